"""llama-bench's tables where people put them: logs, README files, discussions; every figure is made up."""

from __future__ import annotations

import json

import pytest

from bench.errors import BenchError

HEAD = "| model | size | params | backend | ngl | test | t/s |\n| --- | --: | --: | --- | --: | --: | --: |\n"


def row(test: str = "pp512", rate: str = "1000.50 ± 1.25", backend: str = "CUDA") -> str:
    return f"| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | {backend} | 99 | {test} | {rate} |"


@pytest.fixture
def table(rows, tmp_path):
    def read(text: str, **options):
        path = tmp_path / "table.md"
        path.write_text(text, encoding="utf-8")
        return rows(path, **options)

    return read


def rates(found):
    return [r["rate"] for r in found]


@pytest.mark.parametrize(
    "noise",
    [
        "============ Repacked 12 tensors\n",
        "load_tensors: offloaded 33/33 layers to GPU\n\n",
        "ggml_metal_free: deallocating\n",
        "\n```\n",
    ],
)
def test_rows_go_on_after_the_log(table, noise):
    text = HEAD + noise + row() + "\n" + noise + row("tg128", "90.25 ± 0.10") + "\n\nbuild: abc1234 (5000)\n"
    found = table(text)
    assert rates(found) == [1000.5, 90.25]
    assert {r["engine_version"] for r in found} == {"b5000 (abc1234)"}


def test_a_line_of_the_log_within_the_table(table):
    text = HEAD + "| ==== Repacked 12 tensors | | | | | | |\n" + row() + "\n| | | | | | | |\n" + row("tg128")
    assert len(table(text)) == 2


def test_another_table_ends_the_first(table):
    text = HEAD + row() + "\n\n| quant | note | test |\n| --- | --- | --- |\n| Q4 | fine | tg128 |\n"
    assert rates(table(text)) == [1000.5]


def test_rows_whose_header_broke_are_not_lost_in_silence(table):
    broken = HEAD.replace("| ngl", "\n| ngl", 1) + row() + "\n"
    with pytest.raises(BenchError, match="line 10: a row of a table whose header is missing"):
        table(HEAD + row("tg128", "90.00 ± 0.10") + "\n\nbuild: abc1234 (5000)\n\n" + broken)


def test_quoted_and_emphasised(table):
    text = "".join(f"> {line}\n" for line in (HEAD + row("**pp512**", "**1000.50 ± 1.25**")).splitlines())
    assert rates(table(text)) == [1000.5]


@pytest.mark.parametrize(
    "rate", ["1000.50 ±   1.25", "1000.50±1.25", "1000.50 +/- 1.25", "1000.50\u00a0± 1.25"]
)
def test_the_spread_is_written_in_several_ways(table, rate):
    (found,) = table(HEAD + row(rate=rate) + "\n", partial=False)
    assert found["rate"] == 1000.5


def test_a_closing_bar_that_is_missing(table):
    assert rates(table(HEAD + row().removesuffix(" |"))) == [1000.5]
    with pytest.raises(BenchError, match="breaks off before its closing bar"):
        table(HEAD + row(rate="1000.50 ± 1.2").removesuffix(" |"))


def test_a_table_far_down_in_a_log(table):
    assert rates(table("load: a line of a verbose log\n" * 5000 + HEAD + row())) == [1000.5]


def test_generation_after_a_prompt_that_is_not_timed(table):
    (found,) = table(HEAD + row("tg64@pp4096", "80.00 ± 0.10"))
    assert (found["workload"], found["output_tokens"], found["context_depth"]) == ("decode", 64, 4096)


def test_generation_after_a_prompt_in_json(rows, changed):
    def after(value):
        value[1].update(test="tg128@pp512", n_prompt=512)

    found = rows(changed("llama_2025.json", after))[1]
    assert (found["workload"], found["output_tokens"], found["context_depth"]) == ("decode", 128, 512)


def test_columns_of_other_programs_are_settings(table):
    head = HEAD.replace("| test", "| rtr | fmoe | test").replace("--: |\n", "--: | --: | --: |\n")
    one, other = table(head + row("0 | 1 | pp512") + "\n" + row("1 | 1 | pp512") + "\n")
    assert json.loads(other["settings"]) | {"rtr": "1", "fmoe": "1"} == json.loads(other["settings"])
    assert one["task_key"] != other["task_key"]


def test_columns_of_newer_builds_are_settings_in_json(rows, changed):
    plain = rows("llama_2025.json")[0]
    unset = rows(changed("llama_2025.json", lambda v: v[0].update(new_switch=False, another="none")))[0]
    given = rows(changed("llama_2025.json", lambda v: v[0].update(new_switch=True)))[0]
    assert unset["task_key"] == plain["task_key"] != given["task_key"]
    assert json.loads(given["settings"])["new_switch"] == "True"


def test_what_other_programs_measured_is_no_setting(rows, changed):
    plain = rows("llama_2025.json")[0]
    more = {"avg_ttft_ms": 12.3, "stddev_itl_ms": 0.4, "p99_itl_ms": 9, "max_step_us": 17}
    assert rows(changed("llama_2025.json", lambda v: v[0].update(more)))[0]["task_key"] == plain["task_key"]
    limit = rows(changed("llama_2025.json", lambda v: v[0].update(max_context=4096)))[0]
    assert limit["task_key"] != plain["task_key"]


def test_a_column_that_names_the_machine(table):
    head = "| Machine " + HEAD.replace("| --- | --: | --: |", "| --- | --- | --: | --: |", 1)
    found = table(head + "| NVIDIA L4 " + row() + "\n| NVIDIA A100-SXM4-80GB " + row() + "\n")
    assert [r["device_id"] for r in found] == ["nvidia-l4", "nvidia-a100-sxm4-80gb"]
    (on_cpu,) = table(head + "| AMD Example 9999 " + row(backend="CPU") + "\n")
    assert (on_cpu["device_name"], json.loads(on_cpu["settings"])["runs_on"]) == ("AMD Example 9999", "cpu")


def test_a_processor_called_cpu_is_none(rows, changed):
    found = rows(
        changed("llama_2025.json", lambda v: v[0].update(gpu_info="", backends="CPU", cpu_info="CPU"))
    )
    assert (found[0]["device_name"], found[0]["device_id"]) == ("unknown", None)
    assert "device-not-stated" in found[0]["flags"]


def overflown(value):
    """Repetitions of seconds: the tool's own spread of times has overflown, its other figures are right."""
    seconds = (16, 12, 2, 9, 9)
    rates = [128 / s for s in seconds]
    value[1].update(
        samples_ns=[s * 10**9 for s in seconds],
        samples_ts=rates,
        avg_ns=int(sum(seconds) / 5 * 1e9),
        stddev_ns=1_230_000_000,
        avg_ts=sum(rates) / 5,
        stddev_ts=23.0,
    )


def test_an_overflown_spread_is_not_held_against_the_rate(rows, changed):
    found = rows(changed("llama_2025.json", overflown))[1]
    assert found["rate"] == pytest.approx(22.2222, rel=1e-5)


def test_without_repetitions_the_spread_of_the_rates_bounds_them(rows, changed):
    def summed(value):
        overflown(value)
        del value[1]["samples_ns"], value[1]["samples_ts"]

    assert rows(changed("llama_2025.json", summed))[1]["status"] == "ok"

    def steady(value):
        summed(value)
        value[1]["stddev_ts"] = 0.2

    with pytest.raises(BenchError, match="contradict each other"):
        rows(changed("llama_2025.json", steady))


SYCL = """[SYCL] call ggml_check_sycl
found 1 SYCL devices:
|  |                   |                  |       |Max    |
|ID|        Device Type|              Name|Version|units  |
|--|-------------------|------------------|-------|-------|
| 0| [level_zero:gpu:0]|Intel Arc A770 Graphics|  12.55|    512|
"""


@pytest.mark.parametrize("between", ["", "llama_context: n_ctx = 512\n"])
def test_the_list_of_sycl_devices_within_a_table(table, between):
    found = table(HEAD + SYCL + between + row(backend="SYCL") + "\n" + row("tg128", backend="SYCL") + "\n")
    assert len(found) == 2
    assert {r["device_name"] for r in found} == {"Intel Arc A770 Graphics"}


def test_a_table_of_another_tool_with_more_columns(table):
    other = "| model | test | t/s | peak t/s | ttfr (ms) |\n| - | - | - | - | - |\n"
    with pytest.raises(BenchError, match="in no format"):
        table(other + "| org/model-8B | pp2048 | 3215.7 ± 67.2 | 33.00 ± 1.00 | 637.5 ± 13.4 |\n")


BIG = "| llama 405B Q4_K - Medium | 226.37 GiB | 405.85 B | {} | {} | tg128 | 0.88 ± 0.01 |"
DEVICE = (
    "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9\n"
)


def test_weights_that_one_device_cannot_hold(table):
    (spread,) = table(DEVICE + HEAD + BIG.format("CUDA,RPC", 99) + "\n")
    assert (spread["status"], spread["device_id"], spread["rate"]) == ("ok", None, 0.88)
    assert "does-not-fit" in spread["flags"]
    assert spread["protocol"].startswith("import/llama-bench/alone/")


def test_weights_that_are_partly_elsewhere(table):
    (offloaded,) = table(DEVICE + HEAD + BIG.format("CUDA", 10) + "\n")
    assert offloaded["device_id"] == "nvidia-rtx-4090"
    assert "does-not-fit" not in offloaded["flags"]
