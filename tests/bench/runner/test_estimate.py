"""What a plan expects to take."""

import json

import pytest

from bench.cells import Cell
from bench.runner.estimate import ROUGH_RATES, cell_s, known_rates
from bench.suites import get_suite
from bench.workloads import WORKLOADS


def _probe(unit, rate, *, dtype="fp32", flags=(), **settings):
    return {
        "workload": "probe", "host_id": "here", "device_name": "CPU", "status": "ok", "rate_unit": unit,
        "rate": rate, "compute_dtype": dtype, "settings": json.dumps(settings), "flags": list(flags),
    }  # fmt: skip


def test_memory_is_known_from_the_largest_working_set_not_from_a_cache():
    rows = [
        _probe("FLOP/s", 2e11, operation="matmul"),
        _probe("FLOP/s", 9e11, dtype="bf16", operation="matmul"),
        _probe("B/s", 9e10, operation="read", size="256 KiB"),
        _probe("B/s", 1e10, operation="read", size="1 GiB"),
        _probe("B/s", 8e9, operation="copy", size="1 GiB"),
    ]
    rates = known_rates(rows, "here", "CPU", "cpu")
    assert (rates.flops, rates.bytes_per_s) == (2e11, 1e10)
    elsewhere = known_rates(rows, "another host", "CPU", "cpu")
    assert (elsewhere.flops, elsewhere.bytes_per_s) == ROUGH_RATES["cpu"]


def test_a_probe_that_did_not_settle_is_no_rate_of_the_machine():
    """One run while something else held the machine had announced nine hours for a minute's work."""
    held_up = [
        _probe("FLOP/s", 5e7, flags=["few-samples", "wide-interval"], operation="matmul"),
        _probe("B/s", 2e7, flags=["not-warm", "wide-interval"], operation="read", size="1 GiB"),
    ]
    rough = known_rates(held_up, "here", "CPU", "cpu")
    assert (rough.flops, rough.bytes_per_s) == ROUGH_RATES["cpu"]
    quiet = [_probe("FLOP/s", 2e11, operation="matmul"),
             _probe("B/s", 1e10, flags=["contended"], operation="read", size="256 MiB")]  # fmt: skip
    known = known_rates([*held_up, *quiet], "here", "CPU", "cpu")
    assert (known.flops, known.bytes_per_s) == (2e11, 1e10)


def test_a_cell_that_ends_itself_is_not_expected_to_take_its_budget():
    suite, rates = get_suite("standard"), known_rates([], "", "", "cpu")
    need = WORKLOADS["probe"].need(Cell("probe", settings={"operation": "matmul", "shapes": "all"}))
    free = cell_s(need, rates, suite, first_of_group=False)
    ended = cell_s(need, rates, suite, first_of_group=False, most_s=WORKLOADS["probe"].most_s)
    assert ended == pytest.approx(WORKLOADS["probe"].most_s)
    assert ended < free
