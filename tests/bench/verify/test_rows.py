"""Rows that contradict themselves, the schema, their probe or their power limit."""

import json

from bench import schema
from bench.verify import CHECKS, SEVERITIES, rules
from bench.verify.base import Context
from bench.workloads.probe import Ceilings


def test_every_check_says_what_and_why():
    assert [r["check"] for r in rules()] == list(CHECKS)
    for rule in rules():
        assert rule["severity"] in SEVERITIES and rule["what"].endswith(".") and rule["why"].endswith(".")


def test_a_sound_row_has_no_findings(tool):
    for severity in SEVERITIES:
        assert tool.found(tool.row(), severity) == []


def test_rates_that_do_not_follow_from_their_times(tool):
    row = tool.row(samples_s=[2.0, 2.0, 2.1], sample_count=3, work_per_sample=20.0)
    assert tool.found(row, "wrong") == []
    assert "gives 10.0 tokens/s, but rate is 11.0" in tool.text(row | {"rate": 11.0})
    assert "nothing takes no time" in tool.text(row | {"samples_s": [0.0, 2.0, 2.1]})
    assert tool.found(row | {"rate": 11.0, "measured_fraction": 0.5}, "wrong") == []


def test_other_tools_state_a_mean(tool):
    row = tool.row(samples_s=[1.0, 2.0, 4.0], sample_count=3, work_per_sample=20.0)
    for rate in (20 * (1 + 0.5 + 0.25) / 3, 20 * 3 / 7, 10.0):  # of the rates, of the times, the median
        assert tool.found(row | {"rate": rate}, "wrong") == []
    assert tool.found(row | {"rate": 9.0}, "wrong") == ["figures"]
    assert "figures" in tool.found(row | {"rate": 20 * 3 / 7, "origin": "measured"}, "wrong")


def test_figures_out_of_order_or_range(tool):
    falling = tool.row(inter_token_p50_ms=5.0, inter_token_p95_ms=4.0)
    assert "percentiles fall (5.00, 4.00 ms)" in tool.text(falling)
    assert "throttled_fraction is 1.5, above 1" in tool.text(tool.row() | {"throttled_fraction": 1.5})
    assert "active parameters" in tool.text(tool.row(active_params=9_000_000_000))
    assert "more than the device has" in tool.text(tool.row(peak_memory_bytes=9 * 2**30))
    assert "left empty, never 0" in tool.text(tool.row(job_s=0.0))
    assert "status is oom, but rate" in tool.text(tool.row() | {"status": "oom"})


def test_a_task_key_of_other_work(tool):
    row = tool.row()
    other = row | {"task_key": schema.task_key(row | {"batch": 8})}
    assert tool.found(other, "wrong") == ["task"]


def test_what_does_not_fit_the_schema(tool):
    assert "rate_low 11.0 is above rate 10.0" in tool.text(tool.row() | {"rate_low": 11.0})


def measured(tool, **values):
    given = {"origin": "measured", "device_id": None, "device_name": "here", "method_version": 1}
    return tool.row(**given | values)


def test_a_measured_row_is_held_against_its_own_probe(tool):
    row = measured(tool, achieved_flops=1.2e12, probe_flops=1e12)
    assert tool.found(row) == ["probe"]
    assert "120% of the 1.00 TFLOP/s" in tool.text(row)
    assert tool.found(measured(tool, achieved_flops=1.04e12, probe_flops=1e12)) == []


def test_traffic_is_judged_by_what_a_cache_may_serve(tool):
    cell = {
        "workload": "decode", "model": "tiny-llama", "weights_dtype": "fp32", "compute_dtype": "fp32",
        "context_depth": 16, "output_tokens": 4, "params": None, "run_id": "r",
        "achieved_bytes_per_s": 60e9, "probe_bytes_per_s": 40e9,
    }  # fmt: skip
    row = measured(tool, **cell)
    slow, cached = Ceilings({}, ((2**10, 40e9),)), Ceilings({}, ((2**10, 90e9), (2**30, 40e9)))
    assert tool.found(row, context=Context(None, {"r": slow})) == ["probe"]
    assert tool.found(row, context=Context(None, {"r": cached})) == []
    unsettled = Ceilings({}, ((2**30, 40e9),), unsettled_sizes=frozenset({2**10}))
    assert tool.found(row, context=Context(None, {"r": unsettled})) == []  # the cache's rate is not known
    assert tool.found(row, context=Context(None)) == []  # without the probe's rows nobody can tell


def test_power_beyond_the_limit(tool):
    row = measured(tool, mean_power_w=900.0, power_limit_w=300.0, energy_scope="device")
    assert tool.found(row, "wrong") == ["power"]
    assert tool.found(row | {"energy_scope": "wall"}, "wrong") == []
    parts = {"samples_s": [1.0, 1.0], "sample_count": 2, "energy_j": 100.0, "mean_power_w": 90.0}
    assert tool.found(measured(tool, **parts), "note") == ["power"]


def test_settings_that_no_formula_knows_are_passed_over(tool):
    row = measured(
        tool, settings=json.dumps({"size": "huge"}), achieved_bytes_per_s=2.0, probe_bytes_per_s=1.0
    )
    assert tool.found(row, context=Context(None, {row["run_id"]: Ceilings({}, ())})) == []


def test_the_unit_of_another_workload(tool):
    own = {"source_id": "hwguide", "origin": "measured", "method_version": 1}
    assert tool.found(tool.row(**own), "wrong") == []
    odd = tool.row(**own, rate_unit="tokens/min")
    assert tool.found(odd, "wrong") == ["unit"]
    assert "rate_unit is tokens/min, but the rate of decode is in tokens/s" in tool.text(odd)
    assert tool.found(tool.row(rate_unit="tokens/min"), "wrong") == []  # a source counts as it likes


def test_the_unit_of_a_probe_is_that_of_its_operation(tool):
    own = {"source_id": "hwguide", "workload": "probe", "model": None, "weights_dtype": "fp32"}
    product = tool.row(**own, settings='{"operation": "matmul", "shapes": "all"}', rate_unit="FLOP/s")
    assert "unit" not in tool.found(product, "wrong")
    assert "unit" in tool.found(product | {"rate_unit": "B/s"}, "wrong")
