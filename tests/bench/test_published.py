"""The published tables: counts, figures held against the sources, and what a wrong table is told."""

import json
import math
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench import schema
from bench.catalog import Catalog
from bench.errors import BenchError
from bench.project import DataDir
from bench.published import FLAGS, Source, load_published, load_sources, read_table

DATA = DataDir(Path(__file__).parents[2] / "data")

PUBLISHED = load_published(DATA)
CATALOG = Catalog.load(DATA.devices)


def rows(source_id: str, **values):
    return [
        r for r in PUBLISHED.rows if r["source_id"] == source_id and all(r[k] == v for k, v in values.items())
    ]


def one(source_id: str, **values):
    found = rows(source_id, **values)
    assert len(found) == 1, [(r["device_name"], r["status"], r["rate"]) for r in found]
    return found[0]


def test_every_row_fits_the_schema_and_says_where_it_is_from():
    for row in PUBLISHED.rows:
        assert schema.check(row) == []
        assert row["origin"] == "published" and row["value_kind"] and row["source_locator"]
        assert row["source_id"] in PUBLISHED.sources
        assert set(row["flags"]) <= set(FLAGS)
        if row["status"] != "ok":
            assert row["rate"] is None and row["job_s"] is None and row["status_detail"]
        for value in row.values():
            assert not isinstance(value, float) or math.isfinite(value)


def test_no_two_rows_of_a_source_are_the_same_cell():
    keys = Counter(
        (
            r["source_id"],
            r["task_key"],
            r["device_name"],
            r["device_count"],
            r["value_kind"],
            r["source_locator"],
        )
        for r in PUBLISHED.rows
    )
    assert max(keys.values()) == 1
    assert len({r["cell_id"] for r in PUBLISHED.rows}) == len(PUBLISHED.rows)


def test_no_task_is_shared_between_sources_or_with_the_collector():
    owners: dict[str, set[str]] = {}
    for row in PUBLISHED.rows:
        owners.setdefault(row["task_key"], set()).add(row["source_id"])
        assert row["protocol"] != "hwguide"
    assert all(len(sources) == 1 for sources in owners.values())


def test_devices_are_what_the_catalog_makes_of_their_names():
    for row in {(r["device_name"], r["device_id"]): r for r in PUBLISHED.rows}.values():
        found = CATALOG.resolve(row["device_name"], memory_bytes=row["device_memory_bytes"])
        if row["device_id"] is None:
            assert found.device_id is None, row["device_name"]
        else:
            assert row["device_id"] in CATALOG.devices
            assert row["device_id"] in (found.device_id, *found.candidates), row["device_name"]


# --- article 1 -----------------------------------------------------------------------------------------


def test_article1_counts():
    found = rows("article1")
    assert Counter((r["workload"], r["value_kind"], r["status"]) for r in found) == {
        ("summarize", "stated", "ok"): 3,
        ("summarize", "inferred", "ok"): 2,
        ("summarize", "stated", "impossible"): 2,
        ("finetune", "stated", "ok"): 4,
        ("finetune", "estimated", "ok"): 1,
    }
    assert len({r["task_key"] for r in found}) == 2


def test_article1_figures_give_the_speedups_that_it_states():
    def rate(workload, device):
        return one("article1", workload=workload, device_name=device, status="ok")["rate"]

    cpu = "CPU (unspecified)"
    assert rate("summarize", "NVIDIA T4") / rate("summarize", cpu) == pytest.approx(15, rel=1e-5)
    assert rate("summarize", "NVIDIA H100") / rate("summarize", cpu) == pytest.approx(40, rel=1e-5)
    assert rate("finetune", "NVIDIA GeForce RTX 4090") / rate("finetune", cpu) == pytest.approx(200, rel=1e-5)
    assert rate("finetune", "NVIDIA T4") / rate("finetune", cpu) == pytest.approx(12000 / 243, rel=1e-5)
    assert rate("summarize", "NVIDIA GeForce RTX 4090") == pytest.approx(100 / 69, rel=1e-5)
    assert rate("finetune", "NVIDIA H100") == pytest.approx(5 * 6090 / 46, rel=1e-5)


def test_article1_keeps_apart_what_is_stated_inferred_and_estimated():
    cpu = one("article1", workload="finetune", device_name="CPU (unspecified)")
    assert (cpu["value_kind"], cpu["measured_fraction"], cpu["job_s"]) == ("estimated", 0.2, 12000)
    garbled = one("article1", device_name="NVIDIA T4", status="impossible")
    assert "1.6 s" in garbled["status_detail"] and garbled["rate"] is None
    assert (
        one("article1", workload="summarize", device_name="NVIDIA T4", status="ok")["value_kind"]
        == "inferred"
    )


def test_article1_form_factor_and_processor_stay_unknown():
    assert one("article1", workload="finetune", device_name="NVIDIA H100")["device_id"] is None
    assert one("article1", workload="finetune", device_name="CPU (unspecified)")["device_id"] is None
    assert PUBLISHED.sources["article1"].reference_device == "CPU (unspecified)"


def test_article1_claims_are_not_rows():
    assert Counter(c.kind for c in PUBLISHED.claims) == {"expectation": 5, "stated": 10, "derived": 5}
    assert all(c.source_id == "article1" for c in PUBLISHED.claims)


# --- article 2's repository ----------------------------------------------------------------------------


def cell(device, count, model, dtype, phase, tokens, **more):
    length = {"prefill": "input_tokens", "decode": "output_tokens"}[phase]
    wanted = {
        "device_name": device,
        "device_count": count,
        "model": f"Llama-3-{model}",
        "weights_dtype": dtype,
    }
    return one("xiongjie", **wanted, workload=phase, **{length: tokens}, **more)


@pytest.mark.parametrize(
    ("device", "count", "model", "dtype", "phase", "tokens", "rate"),
    [
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "decode", 512, 9.67),
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "decode", 1024, 9.63),
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "decode", 8192, 9.23),
        ("NVIDIA H100 PCIe 80GB", 4, "70B", "fp16", "prefill", 4096, 2437.53),
        ("NVIDIA GeForce RTX 4080 16GB", 1, "8B", "fp16", "decode", 512, 40.58),
        ("NVIDIA GeForce RTX 4080 16GB", 1, "8B", "fp16", "prefill", 4096, 4720.22),
        ("NVIDIA A40 48GB", 1, "8B", "fp16", "prefill", 1024, 4043.05),
        ("NVIDIA A40 48GB", 1, "8B", "fp16", "decode", 4096, 33.06),
        ("NVIDIA A40 48GB", 1, "8B", "fp16", "prefill", 8192, 2295.02),
        ("NVIDIA GeForce RTX 4090 24GB", 4, "70B", "q4_k_m", "decode", 512, 19.80),
    ],
)
def test_xiongjie_cell_as_printed(device, count, model, dtype, phase, tokens, rate):
    assert cell(device, count, model, dtype, phase, tokens)["rate"] == rate


def test_xiongjie_counts():
    found = rows("xiongjie")
    assert Counter(r["status"] for r in found) == {"ok": 796, "oom": 84}
    assert len({(r["device_name"], r["device_count"]) for r in found}) == 35
    # two models, two precisions, two phases, four lengths: one task each, whatever the device
    assert len({r["task_key"] for r in found}) == 32
    assert Counter(f for r in found for f in r["flags"]) == {
        "within-run-interval": 793, "source-anomaly": 18, "source-conflict": 7, "no-log": 3,
    }  # fmt: skip
    assert {r["recorded_at"] for r in found} == {datetime(2024, 5, 12, tzinfo=UTC)}


def test_xiongjie_keeps_out_of_memory_as_a_result():
    row = cell("NVIDIA GeForce RTX 4080 16GB", 1, "8B", "fp16", "prefill", 8192)
    assert (row["status"], row["rate"]) == ("oom", None)
    assert cell("Apple M1 (7-core GPU) 8GB", 1, "8B", "q4_k_m", "prefill", 8192)["status"] == "oom"


def test_xiongjie_says_both_values_where_the_log_differs():
    row = cell("NVIDIA GeForce RTX 4090 24GB", 4, "70B", "q4_k_m", "decode", 512)
    assert (
        "source-conflict" in row["flags"]
        and "19.8" in row["status_detail"]
        and "19.0" in row["status_detail"]
    )


def test_xiongjie_interval_is_students_of_the_mean_of_five():
    row = cell("NVIDIA A40 48GB", 1, "8B", "fp16", "prefill", 1024)  # printed as 4043.05 ± 3.47
    half = 2.7764 * (3.47 + 0.005) / math.sqrt(5)
    assert row["rate_high"] - row["rate"] == pytest.approx(half, rel=1e-3)
    assert row["sample_count"] == 5


# --- the other tables ----------------------------------------------------------------------------------

COUNTS = {
    "article1": 12, "xiongjie": 880, "llamacpp_cuda": 176, "llamacpp_rocm": 42, "llamacpp_vulkan": 74,
    "llamacpp_apple": 166, "llamacpp_dgx_spark": 110, "geerling": 102, "mamf": 20,
    "mlperf": 1413, "mlperf_training": 385, "qualcomm_llm": 34, "localscore": 488,
    "qualcomm_networks": 1319, "argonne": 3497, "mlperf_tiny": 73, "mlenergy": 512,
}  # fmt: skip


def test_every_table_is_whole():
    assert Counter(r["source_id"] for r in PUBLISHED.rows) == COUNTS


@pytest.mark.parametrize(
    ("source_id", "rate", "where"),
    [
        ("llamacpp_cuda", 300.4, {"device_id": "nvidia-rtx-5090", "workload": "decode"}),
        ("llamacpp_rocm", 11476.4, {"device_id": "amd-mi300x", "workload": "prefill"}),
        ("llamacpp_rocm", 232.92, {"device_id": "amd-mi300x", "workload": "decode"}),
        ("llamacpp_apple", 63.93, {"device_name": "Apple M3 Ultra (80-core GPU)", "weights_dtype": "q8_0"}),
        ("llamacpp_apple", 1538.34, {"device_name": "Apple M3 Ultra (80-core GPU)", "weights_dtype": "fp16"}),
        ("llamacpp_dgx_spark", 3782.76, {"model": "gpt-oss-20b", "workload": "prefill", "context_depth": 0}),
        ("mamf", 1565e12, {"device_id": "amd-mi355x", "compute_dtype": "bf16"}),
        ("mlperf", 146960.0, {"device_count": 8, "model": "llama3.1-8b", "energy_scope": "wall"}),
        ("mlperf", 29228.2, {"device_id": "nvidia-h200-sxm-141gb", "model": "llama2-70b-99"}),
        ("geerling", 122.85, {"device_id": "nvidia-rtx-3060-12gb", "model": "Llama-3.2-3B"}),
    ],
)
def test_figure_as_printed(source_id, rate, where):
    assert one(source_id, rate=rate, **where)["status"] == "ok"


def test_training_rates_are_runs_an_hour():
    row = one("mlperf_training", device_id="amd-rx-7900-xtx", model="bert")
    assert (row["device_count"], row["sample_count"], row["rate_unit"]) == (6, 10, "runs/h")
    assert row["rate"] == pytest.approx(60 / 300.5089, rel=1e-5)
    assert row["job_s"] == pytest.approx(300.5089 * 60, rel=1e-5)


def test_rounds_of_mlperf_are_never_one_task():
    tasks = {r["task_key"]: r["protocol"] for r in rows("mlperf")}
    assert all(tasks[r["task_key"]] == r["protocol"] for r in rows("mlperf"))
    assert {r["settings"] for r in rows("mlperf")} and not {r["rate_unit"] for r in rows("mlperf")} - {
        "tokens/s",
        "samples/s",
        "queries/s",
    }


def test_uploads_are_medians_with_their_number():
    for row in rows("localscore"):
        assert row["flags"] == ["median-of-uploads"] and row["sample_count"] >= 1
        assert row["device_id"] is not None


def test_second_hand_figures_say_so():
    for row in PUBLISHED.rows:
        transcribed = row["source_id"] in (
            "llamacpp_cuda",
            "llamacpp_rocm",
            "llamacpp_vulkan",
            "llamacpp_apple",
        )
        assert ("second-hand" in row["flags"]) == transcribed


def test_newer_builds_are_not_ranked_with_the_reference_build():
    old = {r["task_key"] for r in rows("llamacpp_apple") if "newer-build" not in r["flags"]}
    new = {r["task_key"] for r in rows("llamacpp_apple") if "newer-build" in r["flags"]}
    assert old and new and not old & new


def test_peak_power_at_the_wall_is_not_a_mean():
    found = [r for r in rows("geerling") if "wall-peak-power" in r["flags"]]
    assert len(found) == 86
    assert all(r["mean_power_w"] is None and "wall_peak_power_w" in r["conditions"] for r in found)


def test_prompt_and_generated_tokens_together_are_a_unit_and_a_workload_of_their_own():
    found = rows("argonne")
    others = [r for r in PUBLISHED.rows if r["source_id"] != "argonne"]
    for column in ("rate_unit", "workload", "protocol"):
        (mine,) = {r[column] for r in found}
        assert mine not in {r[column] for r in others}
    assert all("mixed-tokens" in r["flags"] and r["input_tokens"] == r["output_tokens"] for r in found)
    good = [r for r in found if r["status"] == "ok"]
    for row in good:
        tokens = row["batch"] * (row["input_tokens"] + row["output_tokens"])
        assert row["rate"] == pytest.approx(tokens / row["job_s"], rel=0.03)


def test_tokens_that_cannot_have_been_generated_are_impossible():
    where = {"device_name": "NVIDIA GH200", "model": "bloom-7b1", "input_tokens": 2048}
    broken = one("argonne", batch=1, **where)
    assert broken["status"] == "impossible" and "91915.33" in broken["status_detail"]
    rest = [r for r in rows("argonne", **where) if r["status"] == "ok"]
    assert rest and all("source-anomaly" in r["flags"] for r in rest)
    assert one("argonne", source_locator="Plots/All_results.csv line 2")["rate"] == 371.9272


def test_networks_on_processor_and_npu_are_different_tasks():
    found = rows("qualcomm_networks", device_name="Dragonwing IQ-9075 EVK", model="resnet50")
    printed = [r for r in found if r["weights_dtype"] == "float" and r["engine"] == "tflite"]
    assert [r["rate"] for r in printed] == [pytest.approx(1000 / 3.343, rel=1e-6)]
    tasks: dict[str, set[str]] = {}
    for row in rows("qualcomm_networks"):
        asked = json.loads(row["settings"])
        assert asked["compute_unit"] in ("NPU", "GPU", "CPU") and row["batch"] == 1
        tasks.setdefault(row["task_key"], set()).add(asked["compute_unit"])
        assert ("proxy-device" in row["flags"]) == ("Proxy" in row["device_name"])
        assert row["rate"] == pytest.approx(1000 / json.loads(row["conditions"])["latency_ms"], rel=1e-6)
    assert all(len(units) == 1 for units in tasks.values())


def test_small_boards_state_energy_for_one_inference():
    row = one("mlperf_tiny", device_name="NDP9120 (Syntiant Core 2)", source_locator="summary.csv line 8")
    assert (row["rate"], row["energy_scope"]) == (228.982, "board")
    assert row["energy_j"] / row["sample_count"] == pytest.approx(31.537e-6)
    assert sum(r["energy_j"] is not None for r in rows("mlperf_tiny")) == 18


def test_energy_of_serving_is_medians_within_one_latency_band():
    found = rows("mlenergy")
    configurations = sum(r["sample_count"] for r in found)
    assert configurations == 1858 and all("median-of-configurations" in r["flags"] for r in found)
    for row in found:
        conditions = json.loads(row["conditions"])
        assert conditions["configurations"] == row["sample_count"] and row["energy_scope"] == "device"
        assert conditions["lowest_rate"] <= row["rate"] <= conditions["highest_rate"]
        band = json.loads(row["settings"]).get("inter_token_median")
        assert (band is not None) == (row["workload"] == "mlenergy-text")
        if band in ("10 to 20 ms", "20 to 40 ms", "40 to 80 ms"):
            low, high = (float(part) for part in band.removesuffix(" ms").split(" to "))
            assert low < row["inter_token_p50_ms"] <= high


# --- faults --------------------------------------------------------------------------------------------

SOURCE = Source(
    source_id="a", table="a.csv", title="A", url="https://a.example", published=datetime(2024, 1, 2).date(),
    licence="MIT", protocol="a", transcribed="by hand", comparable="all",
)  # fmt: skip
HEADER = "workload,device_name,value_kind,status,rate,rate_unit,flags,settings,recorded_at,batch"


def table(tmp_path: Path, *lines: str, header: str = HEADER):
    file = tmp_path / "a.csv"
    file.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return read_table(file, SOURCE)


def test_a_row_is_completed_from_its_source(tmp_path):
    (row,) = table(tmp_path, 'decode,X,stated,ok,1.5,tokens/s,,"{""b"": 1, ""a"": 2}",,')
    assert row["recorded_at"] == datetime(2024, 1, 2, tzinfo=UTC)
    assert (row["run_id"], row["protocol"], row["device_count"]) == ("published-a", "a", 1)
    assert row["settings"] == '{"a": 2, "b": 1}' and row["method_version"] is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("decode,X,stated,ok,fast,tokens/s,,,,", "line 2, column rate: found 'fast', expected a number"),
        ("decode,X,stated,ok,nan,tokens/s,,,,", "line 2, column rate: found 'nan'"),
        ("decode,X,stated,ok,1,tokens/s,odd,,,", "line 2, column flags: found 'odd', expected flags out of"),
        (
            "decode,X,stated,ok,1,tokens/s,,[1],,",
            "line 2, column settings: found '[1]', expected a JSON object",
        ),
        ('decode,X,stated,ok,1,tokens/s,,"{""a"": NaN}",,', "line 2, column settings"),
        ("decode,X,stated,ok,1,tokens/s,,,May,", "line 2, column recorded_at: found 'May', expected a date"),
        (
            "decode,X,stated,ok,1,tokens/s,,,,1.5",
            "line 2, column batch: found '1.5', expected a whole number",
        ),
        ("decode,X,stated,ok,,tokens/s,,,,", "line 2: A row does not fit the schema: status is ok but rate"),
        ("decode,X,guessed,ok,1,tokens/s,,,,", "value_kind is 'guessed'"),
        ("decode,,stated,ok,1,tokens/s,,,,", "device_name is missing"),
        ("decode,X,stated,ok,1", "line 2: found 5 values, expected 10"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, told):
    with pytest.raises(BenchError) as caught:
        table(tmp_path, line)
    assert str(tmp_path / "a.csv") in caught.value.message and told in caught.value.message


def test_the_loaders_own_columns_may_not_be_set(tmp_path):
    with pytest.raises(BenchError, match="unknown column 'task_key'"):
        table(tmp_path, header=HEADER + ",task_key")


def test_two_equal_lines_are_refused(tmp_path):
    line = "decode,X,stated,ok,1,tokens/s,,,,"
    with pytest.raises(BenchError, match="line 3: says the same as line 2"):
        table(tmp_path, line, line.replace(",1,", ",2,"))


def write_sources(tmp_path: Path, text: str) -> Path:
    (tmp_path / "published").mkdir(exist_ok=True)
    file = tmp_path / "published" / "sources.toml"
    file.write_text(text, encoding="utf-8")
    return file


GOOD = """[a]
table = "a.csv"
title = "A"
url = "https://a.example"
published = 2024-01-02
licence = "MIT"
protocol = "a"
transcribed = "by hand"
comparable = "all"
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a", "is not TOML"),
        ("a = 1", "'a' should be a table"),
        ("[A]\n", "'A' should be a table named in lower-case"),
        (GOOD.replace('"MIT"', "1"), "[a], licence: expected str"),
        (GOOD.replace('licence = "MIT"\n', ""), "[a]: licence missing"),
        (GOOD + 'colour = "red"\n', "[a]: unknown key 'colour'"),
        (GOOD.replace('"a.csv"', '"../a.csv"'), "names of CSV files"),
        (GOOD.replace("2024-01-02", "2024-01-02T03:04:05"), "[a], published: expected date"),
    ],
)
def test_faults_in_sources_are_named(tmp_path, text, told):
    file = write_sources(tmp_path, text)
    with pytest.raises(BenchError) as caught:
        load_sources(file)
    assert str(file) in caught.value.message and told in caught.value.message


def test_a_table_without_a_source_is_refused(tmp_path):
    write_sources(tmp_path, "")
    (tmp_path / "published" / "stray.csv").write_text("x\n", encoding="utf-8")
    with pytest.raises(BenchError, match=r"stray\.csv belongs to no source"):
        load_published(DataDir(tmp_path))


def test_a_project_without_published_tables_has_none(tmp_path):
    assert load_published(DataDir(tmp_path)).rows == ()
