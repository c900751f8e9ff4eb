"""LoadGen summaries of all generations, in the folders of a submission; every figure is made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.errors import BenchError

SYSTEM = {
    "accelerator_model_name": "NVIDIA L4",
    "accelerators_per_node": 1,
    "accelerator_memory_capacity": "24 GB",
    "host_processor_model_name": "Example CPU",
    "system_type": "edge",
    "division": "closed",
}


def summary(top: str, stats: str, asked: str) -> str:
    rule = "=" * 48
    blocks = (("MLPerf Results Summary", top), ("Additional Stats", stats), ("Test Parameters Used", asked))
    text = "\n\n".join(f"{rule}\n{title}\n{rule}\n{content}" for title, content in blocks)
    return f"{text}\n\nNo warnings encountered during test.\n\nNo errors encountered during test.\n"


VALID = "Result is : VALID\n  Min duration satisfied : Yes\n  Min queries satisfied : Yes"


@pytest.fixture
def submission(tmp_path: Path):
    """Writes a summary into the folders of a submission, with its system's description."""

    def write(text: str, model: str = "resnet50", scenario: str = "SingleStream", **system) -> Path:
        base = tmp_path / "v2.1" / "closed" / "Example"
        folder = base / "results" / "box" / model / scenario / "performance" / "run_1"
        folder.mkdir(parents=True, exist_ok=True)
        (base / "systems").mkdir(exist_ok=True)
        (base / "systems" / "box.json").write_text(json.dumps(SYSTEM | system), encoding="utf-8")
        path = folder / "mlperf_log_summary.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def single(mode: str = "PerformanceOnly", scenario: str = "SingleStream", asked: str = "") -> str:
    top = f"Scenario : {scenario}\nMode     : {mode}\n90th percentile latency (ns) : 5000000\n{VALID}"
    stats = "Max latency (ns)                : 9000000\n90.00 percentile latency (ns)   : 5000000"
    return summary(top, stats, f"samples_per_query : 1\n{asked}".rstrip())


@pytest.mark.parametrize(
    ("mode", "scenario"),
    [("Performance", "Single Stream"), ("Submission", "Single Stream"), ("SubmissionRun", "SingleStream")],
)
def test_older_words_give_the_same_task(rows, submission, mode, scenario):
    (new,) = rows(submission(single()))
    (old,) = rows(submission(single(mode, scenario)))
    assert old["rate"] == new["rate"] == pytest.approx(200)
    assert old["task_key"] == new["task_key"]


def test_a_search_for_the_peak_is_no_result(rows, submission):
    with pytest.raises(BenchError, match="no performance run"):
        rows(submission(single("FindPeakPerformance")))


def test_an_accuracy_run_of_old_says_what_it_is(rows, submission):
    with pytest.raises(BenchError, match="accuracy runs, which time nothing"):
        rows(submission("No warnings encountered during test.\n\nNo errors encountered during test.\n"))


def streams(count: int = 24) -> str:
    top = f"Scenario : Multi Stream\nMode     : Performance\nSamples per query : {count}\n{VALID}"
    stats = "\n".join(
        [
            'Intervals between each IssueQuery:  "qps" : 20, "ms" : 50',
            "99.00 percentile : 1",
            "",
            'Per-query latency:  "target_ns" : 50000000, "target_ms" : 50',
            "99.00 percentile latency (ns)   : 48000000",
            "",
            "Per-sample latency:",
            "Max latency (ns)                : 49000000",
            "99.00 percentile latency (ns)   : 47000000",
        ]
    )
    return summary(top, stats, "samples_per_query : 24\ntarget_qps : 20\ntarget_latency (ns): 50000000")


def test_multi_stream_of_old_counts_streams(rows, submission):
    (row,) = rows(submission(streams(), scenario="MultiStream"))
    assert (row["status"], row["rate"], row["rate_unit"]) == ("ok", 24, "streams")
    asked = json.loads(row["settings"])
    assert (asked["interval_ms"], asked["latency_limit_ms"], asked["counts"]) == (50, 50, "streams")
    assert "48000000" in row["status_detail"]
    assert "47000000" not in row["status_detail"]


def test_streams_that_were_not_asked_for(rows, submission):
    with pytest.raises(BenchError, match="25 in the first block, 24 asked for"):
        rows(submission(streams(25), scenario="MultiStream"))


def test_the_percentile_is_the_one_at_the_top(rows, submission):
    top = "\n".join(
        [
            "Scenario : SingleStream",
            "Mode     : PerformanceOnly",
            "99.9th percentile latency (ns) : 40000000",
            VALID,
            "  Early stopping satisfied: Yes",
            "Early Stopping Result:",
            " * Early stopping 99.9th percentile estimate: 50000000",
            " * Early stopping 99.0th percentile estimate: 30000000",
        ]
    )
    stats = "Max latency (ns)                : 60000000\n99.90 percentile latency (ns)   : 40000000"
    (row,) = rows(submission(summary(top, stats, "samples_per_query : 1"), "pointpainting"))
    assert row["rate"] == pytest.approx(20)
    assert row["rate_unit"] == "samples/s at the 99.9th percentile latency"


def test_estimates_of_tokens_are_none_of_the_whole(rows, submission):
    top = "\n".join(
        [
            "Scenario : SingleStream",
            "Mode     : PerformanceOnly",
            "90.0th percentile latency (ns) : 2000000000",
            "90.0th first token percentile latency (ns) : 100000000",
            VALID,
            "  Early stopping satisfied: Yes",
            "TTFT Early Stopping Result:",
            " * Early stopping 90.0th percentile estimate: 110000000",
            "TPOT Early Stopping Result:",
            " * Early stopping 90.0th percentile estimate: 9000000",
        ]
    )
    stats = "\n".join(
        [
            "Max latency (ns)                : 3000000000",
            "90.00 percentile latency (ns)   : 2000000000",
            "50.00 percentile first token latency (ns)   : 80000000",
            "50.00 percentile time to output token (ns)   : 8000000",
        ]
    )
    (row,) = rows(submission(summary(top, stats, "samples_per_query : 1"), "llama3.1-8b-edge"))
    assert row["rate"] == pytest.approx(0.5)
    assert (row["first_token_ms"], row["inter_token_p50_ms"]) == (80, 8)


def offline(rate: float, asked: str) -> str:
    top = f"Scenario : Offline\nMode     : PerformanceOnly\nSamples per second: {rate}\n{VALID}"
    return summary(top, "Max latency (ns)                : 100000000000", asked)


PERMUTED = (
    "samples_per_query : 24000\nperformance_sample_count : 10000\n"
    "WARNING: sample_concatenate_permutation was set to true. \nGenerated samples per query might be others"
)


def test_whole_permutations_of_the_data_are_counted(rows, submission):
    (row,) = rows(submission(offline(300, PERMUTED), scenario="Offline"))  # 30,000 samples in 100 s
    assert row["rate"] == 300
    (silent,) = rows(submission(offline(300, PERMUTED.partition("WARNING")[0]), scenario="Offline"))  # v4.1
    assert silent["rate"] == 300
    (cut,) = rows(submission(offline(240, PERMUTED), scenario="Offline"))  # as with a most number of queries
    assert cut["rate"] == 240
    with pytest.raises(BenchError, match="the rate is stated as 270"):
        rows(submission(offline(270, PERMUTED), scenario="Offline"))
    with pytest.raises(BenchError, match="the rate is stated as 300"):
        rows(submission(offline(300, "samples_per_query : 24000"), scenario="Offline"))


@pytest.mark.parametrize(
    ("folder", "model"),
    [
        ("mobilenet", "mobilenet"),
        ("mobilenet-v1-0.25-128-quantized", "mobilenet-v1-0.25-128-quantized"),
        ("llama3_1-405b_pruned", "llama3_1-405b_pruned"),
        ("BERT-99", "bert-99"),
    ],
)
def test_a_variant_of_a_model_is_a_model_of_its_own(rows, submission, folder, model):
    (row,) = rows(submission(single(), folder))
    assert row["model"] == model


def test_a_variant_outside_of_a_submission_is_not_its_model(rows, tmp_path):
    for folder, model in (("mobilenet-v1-0.25-128", None), ("l4_gptj-99-offline_2", "gptj-99")):
        path = tmp_path / folder / "mlperf_log_summary.txt"
        path.parent.mkdir()
        path.write_text(single(), encoding="utf-8")
        assert rows(path)[0]["model"] == model


@pytest.mark.parametrize(
    "asked",
    [
        "performance_issue_same : 1",
        "performance_issue_same : true",
        "performance_issue_unique : true",
        "accuracy_log_probability : 0.1",
    ],
)
def test_an_audit_is_a_task_of_its_own(rows, submission, asked):
    (plain,) = rows(submission(single(asked="performance_issue_same : 0\naccuracy_log_probability : 0")))
    assert plain["task_key"] == rows(submission(single()))[0]["task_key"]
    assert plain["task_key"] != rows(submission(single(asked=asked)))[0]["task_key"]


def test_a_folder_names_the_audit(rows, submission):
    path = submission(single())
    folder = path.parents[2] / "TEST04" / "performance"
    folder.mkdir(parents=True)
    (folder / path.name).write_text(single(), encoding="utf-8")
    (row,) = rows(folder / path.name)
    assert json.loads(row["settings"])["audit"] == "TEST04"
    assert row["task_key"] != rows(path)[0]["task_key"]


def test_a_description_with_two_kinds_of_accelerators(rows, submission):
    path = submission(single(), accelerators_per_node="(8,4)", accelerator_memory_capacity=0)
    (row,) = rows(path)
    assert (row["status"], row["device_id"], row["device_count"]) == ("ok", None, 12)
    assert "several-devices-listed" in row["flags"]


def test_descriptions_differ_in_case_and_order_alone(rows, submission):
    (one,) = rows(submission(single(), division="closed", system_type="datacenter,edge"))
    (other,) = rows(submission(single(), division="Closed", system_type="edge, datacenter"))
    assert one["task_key"] == other["task_key"]


def test_shared_memory_is_that_of_the_host(rows, submission):
    shared = {
        "accelerator_model_name": "NVIDIA Jetson AGX Orin",
        "accelerator_memory_capacity": "Shared with host",
    }
    (row,) = rows(submission(single(), **shared, host_memory_capacity="64 GB"))
    assert (row["device_id"], row["device_memory_bytes"]) == ("nvidia-jetson-agx-orin-64gb", 64 * 2**30)
    (unknown,) = rows(submission(single(), **shared))
    assert unknown["device_id"] is None
