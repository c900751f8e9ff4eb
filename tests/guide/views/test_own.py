"""The index that a reader's own file is held against: which tasks are in it, and which test each published
table of llama-bench ran."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.project import DataDir
from bench.published import load_published
from guide.context import Context
from guide.evidence import Evidence, load_evidence
from guide.pages.compare import PAGE
from guide.views import llama_tests, own
from guide.views.matchable import key_of, matchable

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def example(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


@pytest.fixture(scope="module")
def index(example: Evidence) -> dict:
    return json.loads(own.data(example))


def test_every_task_of_the_collector_and_of_llama_bench_is_there_and_no_other(example, index) -> None:
    def could_be_in_a_file(protocol: str) -> bool:
        return protocol == "hwguide" or protocol.startswith("llama-bench/")

    wanted = {t.key for t in example.tasks if t.standings and could_be_in_a_file(t.columns["protocol"])}
    assert set(index["tasks"]) == wanted
    assert any("llama" in t for t in index["tasks"].values())
    assert any("llama" not in t for t in index["tasks"].values())
    article = [t for t in example.tasks if t.columns["protocol"] == "article1"]
    assert article
    assert {key_of(t) for t in article} == {""}


def test_the_runs_of_the_collector_are_named(example, index) -> None:
    measured = {row["run_id"] for row in example.rows if row["protocol"] == "hwguide"}
    assert measured
    assert set(index["runs"]) == measured
    assert measured < {row["run_id"] for row in example.rows}


def test_a_task_holds_every_system_with_its_interval_and_prices(example, index) -> None:
    task = max((t for t in example.tasks if matchable(t)), key=lambda t: len(t.standings))
    found = index["tasks"][task.key]
    assert found["results"].keys() >= {s.result.system.key for s in task.standings}
    best = task.standings[0].result
    assert found["results"][best.system.key][0] == pytest.approx(best.rate, rel=1e-5)
    assert found["results"][best.system.key][3:5] == pytest.approx([best.band.low, best.band.high], rel=1e-5)
    for key in found["results"]:
        prices = index["systems"][key]["prices"]
        assert [p["usd"][1] for p in prices] == [p.usd for p in example.prices[key]]


def test_the_page_publishes_it(example) -> None:
    files = {f.path: f.content for f in PAGE.render(Context(example))}
    assert files[own.PATH] == own.data(example)
    named = json.loads(next(c for p, c in files.items() if p.startswith("assets/data/compare-")))
    assert {t["key"] for t in named["tasks"] if "key" in t} == set(json.loads(files[own.PATH])["tasks"])


def table_row(made, device: str, **values):
    """A row as the published tables of llama.cpp's discussions have it."""
    given = {
        "model": "Llama-2-7B", "params": 6738415616, "weights_dtype": "q4_0", "batch": 1, "input_tokens": 512,
        "output_tokens": None, "context_depth": 0, "workload": "prefill", "origin": "published",
        "weights": "pretrained", "source_id": "board", "protocol": "llama-bench/board",
        "settings": '{"flash_attention": "off"}', "conditions": '{"backend": "CUDA"}', "engine": "llama.cpp",
    }  # fmt: skip
    return made.row(device, values.pop("rate", 1000.0), **(given | values))


def found_in(made, rows) -> list:
    evidence = made.evidence(rows, [])
    builds = llama_tests.fixed_builds(evidence.rows)
    return [llama_tests.test_of(task, builds) for task in evidence.tasks]


def test_what_a_published_table_asked_for(made) -> None:
    (test,) = found_in(made, [table_row(made, "a"), table_row(made, "b", rate=900.0)])
    assert test["family"] == "llama"
    assert (test["params"], test["digits"]) == (6738415616, None)
    assert (test["fed"], test["made"], test["depth"], test["flash"]) == (512, None, 0, "off")
    assert (test["backends"], test["splits"], test["at_once"]) == (["CUDA"], [], 512)
    assert test["build"] is None


def test_a_table_of_one_build_asks_for_it(made) -> None:
    rows = [table_row(made, d, engine_version="8e672ef") for d in ("a", "b")]
    assert found_in(made, rows)[0]["build"] == "8e672ef"
    alone = found_in(made, rows[:1])
    assert alone[0]["build"] is None  # one device asks for nothing
    mixed = [rows[0], table_row(made, "b", engine_version="b5000")]
    assert found_in(made, mixed)[0]["build"] is None


def test_parameters_that_a_source_rounds_keep_their_digits(made) -> None:
    (test,) = found_in(made, [table_row(made, "a", model="gpt-oss-20b", params=20_910_000_000)])
    assert test["digits"] == 4


@pytest.mark.parametrize(
    "values",
    [
        {"model": "gemma-3-4b-it-qat"},
        {"settings": '{"flash_attention": "unknown"}'},
        {"settings": '{"flash_attention": "off", "tool": "batched-bench"}', "protocol": "other"},
        {"params": None},
    ],
    ids=["model", "flash attention", "tool", "parameters"],
)
def test_what_a_source_leaves_open_has_no_counterpart(made, values) -> None:
    assert found_in(made, [table_row(made, "a", **values)]) == [None]


def test_every_published_model_of_llama_bench_has_a_family_or_is_left_out_knowingly() -> None:
    rows = load_published(DataDir(ROOT / "data")).rows
    models = {row["model"] for row in rows if llama_tests.is_llama(row)}
    assert len(models) > 3
    assert models - llama_tests.FAMILIES.keys() == llama_tests.WITHOUT_COUNTERPART


def test_several_devices_are_told_apart_by_how_they_share_the_model(made) -> None:
    rows = [table_row(made, "a"), table_row(made, "a", device_count=2, rate=1500.0)]
    assert found_in(made, rows)[0]["splits"] == ["layer"]


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("CUDA 13.0", "CUDA"),
        ("MTL,BLAS", "Metal"),
        ("CUDA,GPU BLAS,BLAS", "CUDA"),
        ("", "CPU"),
        ("HIP", "ROCm"),
    ],
)
def test_backends_have_one_name(stated, shown) -> None:
    assert llama_tests.backend(stated) == shown
