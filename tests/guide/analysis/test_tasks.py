"""Rows to tasks: combining, references, labels, and what must never be shown."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from bench.errors import BenchError
from bench.measure.flags import DISTURBED, FLAGS, disturbances
from bench.withdrawn import load_withdrawn
from guide.analysis.tasks import called, passed_over_words
from guide.model import Source
from guide.views import pairs, words


def only_task(found):
    assert len(found.tasks) == 1
    return found.tasks[0]


def test_repeated_runs_are_combined_by_median_and_the_interval_covers_them(made) -> None:
    rows = [
        made.row("a", rate, half=0.01, run_id=f"r{n}", recorded_at=made.day + timedelta(hours=n))
        for n, rate in enumerate((100.0, 104.0, 90.0))
    ]
    result = only_task(made.evidence(rows, [])).of("a")
    assert result.rate == 100.0
    assert result.n == 3
    assert (result.interval.low, result.interval.high) == (pytest.approx(89.1), pytest.approx(105.04))


def test_only_the_newest_software_of_a_host_counts(made) -> None:
    old = made.row("a", 50.0, half=0.01, run_id="r1", conditions='{"torch": "2.6"}')
    new = made.row(
        "a", 80.0, half=0.01, run_id="r2", conditions='{"torch": "2.13"}',
        recorded_at=made.day + timedelta(days=1),
    )  # fmt: skip
    result = only_task(made.evidence([new, old], [])).of("a")
    assert result.rate == 80.0
    assert result.n == 1


def test_hosts_are_combined_by_the_median_of_their_own_figures(made) -> None:
    rows = [made.row("a", 100.0, half=0.01, run_id=f"r{n}", host_id="one") for n in range(5)]
    rows.append(made.row("a", 50.0, half=0.01, run_id="other", host_id="two"))
    result = only_task(made.evidence(rows, [])).of("a")
    assert result.rate == 75.0
    assert "host_id" in result.differs


def test_a_missing_interval_is_not_made_up(made) -> None:
    task = only_task(made.evidence([made.row("a", 100.0), made.row("b", 50.0, half=0.01)], []))
    speedup = task.standing("a").speedup
    assert task.of("a").interval is None
    assert speedup.interval is None
    assert "A" in speedup.reason
    assert speedup.verdict == "faster"


def test_the_better_kind_of_figure_is_taken(made) -> None:
    rows = [
        made.row("a", 100.0, value_kind="stated", origin="published", source_id="s"),
        made.row("a", 900.0, value_kind="inferred", origin="published", source_id="s"),
    ]
    assert only_task(made.evidence(rows, [])).of("a").rate == 100.0


def test_task_keys_are_never_mixed(made) -> None:
    rows = [made.row("a", 100.0), made.row("b", 50.0, protocol="someone-else")]
    found = made.evidence(rows, [])
    assert len(found.tasks) == 2
    assert all(len(t.standings) == 1 for t in found.tasks)


def test_the_reference_is_what_the_source_compares_with(made) -> None:
    rows = [
        made.row(name, rate, origin="published", source_id="s", protocol="s")
        for name, rate in (("a", 100.0), ("b", 50.0), ("c", 10.0))
    ]
    source = Source("s", "A source", reference_device="B")
    task = only_task(made.evidence(rows, [], sources=[source]))
    assert task.reference.result.system.key == "b"
    assert task.standing("a").speedup.value == pytest.approx(2.0)


def test_else_the_cpu_that_ran_most_and_else_the_slowest(made) -> None:
    cpus = [made.device(name, device_class="cpu", form="cpu") for name in ("cpu1", "cpu2")]
    rows = [made.row("card", 100.0), made.row("cpu1", 1.0), made.row("cpu2", 2.0)]
    rows.append(made.row("cpu2", 2.0, output_tokens=512))
    found = made.evidence(rows, [], devices=cpus)
    task = next(t for t in found.tasks if t.columns["output_tokens"] == 1024)
    assert task.reference.result.system.key == "cpu2"
    assert task.reference.is_cpu

    without = only_task(made.evidence([made.row("a", 100.0), made.row("b", 50.0)], []))
    assert without.reference.result.system.key == "b"
    assert "slowest" in without.reference.rule


def test_out_of_memory_is_a_failure_with_a_status(made) -> None:
    task = only_task(made.evidence([made.row("a", 100.0), made.row("b", None)], []))
    assert [f.system.key for f in task.failures] == ["b"]
    assert task.of("b").status == "oom"
    assert task.standing("b") is None


def test_an_impossible_figure_is_nowhere(made) -> None:
    bad = made.row("b", 1849.0, status="impossible", half=0.01, first_token_ms=1.0, job_s=3.0)
    found = made.evidence([made.row("a", 100.0), bad], [])
    result = only_task(found).of("b")
    assert result.status == "impossible"
    assert result.rate is None
    assert "1849" not in repr(found.rows)
    assert found.left_out[0].rows == 1


def test_a_withdrawn_row_is_left_out_by_name(made, tmp_path) -> None:
    path = tmp_path / "withdrawn.csv"
    path.write_text("run_id,cell_id,withdrawn_on,reason\nbad-run,,2026-06-02,wrong power limit\n")
    rows = [made.row("a", 100.0), made.row("b", 50.0, run_id="bad-run")]
    found = made.evidence(rows, [], withdrawn=load_withdrawn(path))
    assert list(found.systems) == ["a"]
    assert found.left_out[0].what == "bad-run"
    assert "wrong power limit" in found.left_out[0].reason


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"run,why\nbad-run,x\n", "line 1: unknown column 'run'"),
        (b"run_id,cell_id,withdrawn_on,reason\nbad-run,,2026-06-02,\n", "line 2, column reason"),
        (b"run_id,cell_id,withdrawn_on,reason\nbad-run\n", "line 2: found 1 values, expected 4"),
        (b"run_id,cell_id,withdrawn_on,reason\nbad-run,,,caf\xe9\n", "not UTF-8"),
    ],
)
def test_a_malformed_withdrawal_is_named_by_its_place(tmp_path, content, words) -> None:
    path = tmp_path / "withdrawn.csv"
    path.write_bytes(content)
    with pytest.raises(BenchError, match=words):
        load_withdrawn(path)


@pytest.mark.parametrize("flag", ["device-not-stated", "settings-not-stated"])
def test_an_import_that_says_too_little_is_no_evidence(made, flag) -> None:
    rows = [made.row("a", 100.0), made.row("b", 50.0, run_id="import-x", flags=[flag])]
    found = made.evidence(rows, [])
    assert list(found.systems) == ["a"]
    assert (found.left_out[0].what, found.left_out[0].rows) == ("import-x", 1)


def test_a_measured_and_a_published_row_are_different_tasks_with_different_labels(made) -> None:
    rows = [
        made.row("a", 100.0),
        made.row("a", 90.0, origin="published", source_id="blog", protocol="blog"),
    ]
    labels = {t.label for t in made.evidence(rows, []).tasks}
    assert labels == {
        "Llama 3 8B, Q4_K_M, decode, 1,024 tokens, one stream",
        "Llama 3 8B, Q4_K_M, decode, 1,024 tokens, one stream (blog)",
    }


def test_shuffled_rows_give_equal_evidence(made) -> None:
    rows = [
        made.row(name, 100.0 + n, half=0.01, run_id=f"r{n}", output_tokens=tokens, device_count=count)
        for n, name in enumerate(("a", "b", "c"))
        for tokens in (512, 1024)
        for count in (1, 2)
    ]
    first = made.evidence(rows, [])
    shuffled = rows[:]
    random.Random(1).shuffle(shuffled)
    second = made.evidence(shuffled, [])
    assert first.rows == second.rows
    assert first.tasks == second.tasks
    assert list(first.systems.items()) == list(second.systems.items())
    assert first.counts == second.counts


def test_several_devices_are_a_system_of_their_own(made) -> None:
    found = made.evidence([made.row("a", 100.0), made.row("a", 90.0, device_count=4)], [])
    assert list(found.systems) == ["a", "a-x4"]
    assert found.systems["a-x4"].label == "4 × A"
    assert found.systems["a-x4"].memory_bytes == 4 * found.systems["a"].memory_bytes


def test_a_name_that_the_source_leaves_open_is_a_family_with_a_range_of_prices(made) -> None:
    family = [made.device("x1-small", name="X1 small"), made.device("x1-large", name="X1 large", tdp_w=500.0)]
    rows = [made.row(None, 10.0, device_name="X1", origin="published", source_id="s")]
    prices = [made.price("x1-small", 1000.0), made.price("x1-large", 3000.0)]
    found = made.evidence(rows, prices, devices=family)
    system = found.systems["unlisted-x1"]
    assert system.candidates == ("x1-large", "x1-small")
    known = found.prices["unlisted-x1"][0]
    assert (known.low_usd, known.usd, known.high_usd) == (1000.0, 2000.0, 3000.0)
    assert "2" in known.note


BUSY = {"run_id": "busy", "flags": ["anchor-drift", "contended"]}


def test_a_disturbed_run_is_not_averaged_into_the_figure(made) -> None:
    clean = made.row("a", 100.0, half=0.01, run_id="clean", flags=["anchor-drift"])
    busy = made.row("a", 7.0, half=0.5, recorded_at=made.day + timedelta(days=1), **BUSY)
    result = only_task(made.evidence([clean, busy], [])).of("a")
    assert (result.rate, result.n, result.flags) == (100.0, 1, ("anchor-drift",))
    assert (result.interval.low, result.interval.high) == (pytest.approx(99.0), pytest.approx(101.0))
    assert [row["run_id"] for row in result.passed_over] == ["busy"]
    assert passed_over_words(result) == "passed over: 1\u00a0row (contended)"
    assert "passed over" not in str(words.rate_cell(result).sub)


def test_a_figure_of_disturbed_rows_alone_says_so_wherever_it_stands(made) -> None:
    found = made.evidence([made.row("a", 100.0), made.row("b", 7.0, **BUSY)], [])
    task = only_task(found)
    result = task.of("b")
    assert (result.rate, result.passed_over) == (7.0, ())
    assert words.rate_cell(result).sub == "contended"
    assert pairs.result_values(result)[-1] == "contended"
    assert called(task.reference.result) == "B, contended"


def test_every_word_of_a_disturbance_is_of_a_known_flag() -> None:
    assert set(DISTURBED) < set(FLAGS)
    assert "anchor-drift" not in DISTURBED, "every row of a run carries it"
    assert disturbances(["swapping", "few-samples", "contended"]) == ("contended", "swapping")


def generic(made, **values):
    return made.device(
        "cpu-generic-amd-epyc", name="Anonymous AMD EPYC (cloud)", device_class="cpu", form="cpu", **values
    )


def test_processors_without_a_name_are_told_apart_by_their_vectors(made) -> None:
    def row(rate, conditions, n):
        return made.row("cpu-generic-amd-epyc", rate, run_id=f"r{n}", host_id=f"h{n}", conditions=conditions)

    told = [None, '{"cpu_capability": "AVX2"}', '{"cpu_capability": "AVX512"}', '{"cpu_capability": "<b>"}']
    rows = [row(10.0 * (n + 1), conditions, n) for n, conditions in enumerate(told)]
    found = made.evidence(rows, [], devices=[generic(made)])
    assert {key: system.label for key, system in found.systems.items()} == {
        "cpu-generic-amd-epyc": "Anonymous AMD EPYC (cloud)",
        "cpu-generic-amd-epyc-avx2": "Anonymous AMD EPYC (cloud, AVX2)",
        "cpu-generic-amd-epyc-avx512": "Anonymous AMD EPYC (cloud, AVX512)",
    }
    task = only_task(found)
    assert task.of("cpu-generic-amd-epyc-avx2").rate == 20.0
    assert task.of("cpu-generic-amd-epyc-avx512").rate == 30.0


def test_a_named_processor_is_one_system_whatever_its_vectors(made) -> None:
    cpu = made.device("cpu", device_class="cpu", form="cpu")
    rows = [
        made.row("cpu", 10.0, host_id=kind, run_id=kind, conditions=f'{{"cpu_capability": "{kind}"}}')
        for kind in ("AVX2", "AVX512")
    ]
    assert list(made.evidence(rows, [], devices=[cpu]).systems) == ["cpu"]
