"""The physics gate: what is impossible is caught, what is plausible passes, caches included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import schema
from bench.measure.gate import CACHED_PART, SLOW, judge
from bench.workloads.probe import Ceilings

MIB = 2**20
#: 1 TFLOP/s in fp32; 400 GB/s within a 32 MiB cache, 40 GB/s beyond it.
MACHINE = Ceilings(
    {"fp32": 1e12, "bf16": 2e12},
    ((4 * MIB, 500e9), (32 * MIB, 400e9), (256 * MIB, 40e9), (1024 * MIB, 40e9)),
)


def held(
    seconds=1.0, flops=None, bytes_moved=None, working_set=1024 * MIB, dtype="fp32", flags=(), on=MACHINE
):
    return judge(
        on,
        seconds=seconds,
        flops=flops,
        bytes_moved=bytes_moved,
        working_set_bytes=working_set,
        dtype=dtype,
        flags=flags,
    )


def test_a_cell_at_its_ceiling_is_fully_efficient():
    found = held(flops=1e12)
    assert (found.status, found.bound, found.efficiency) == ("ok", "compute", 1.0)
    assert found.flags == ()
    assert found.detail is None


def test_more_arithmetic_than_the_machine_can_do_is_impossible():
    found = held(flops=17e15)
    assert found.status == "impossible"
    assert "1.7e+16 FLOP/s in fp32" in found.detail
    assert "slow-for-hardware" not in found.flags


def test_each_type_has_its_own_ceiling():
    assert held(flops=1.5e12, dtype="fp32").status == "impossible"
    assert held(flops=1.5e12, dtype="bf16").status == "ok"


def test_more_traffic_than_the_memory_can_bear_is_impossible():
    found = held(bytes_moved=400e9, working_set=2048 * MIB)
    assert found.status == "impossible"
    assert "B/s of memory traffic" in found.detail


def test_a_cell_that_lives_in_a_cache_is_possible():
    found = held(bytes_moved=390e9, working_set=30 * MIB)
    assert (found.status, found.bound) == ("ok", "memory")
    assert found.efficiency == pytest.approx(390 / 500)


def test_a_cell_that_lives_partly_in_a_cache_is_possible():
    found = held(bytes_moved=100e9, working_set=100 * MIB)
    assert found.status == "ok"


def test_the_ceiling_is_a_measurement_too():
    assert held(flops=1.04e12).status == "ok"
    assert held(flops=1.06e12).status == "impossible"


def test_a_slow_cell_is_flagged_with_what_is_known():
    found = held(flops=1e11)
    assert found.flags == ("slow-for-hardware",)
    assert found.bound == "overhead"
    assert "10%" in found.detail
    assert "overhead" in found.detail
    assert "throttled" in held(flops=1e11, flags=["throttled"]).detail


def test_the_tighter_limit_is_the_bound():
    assert held(flops=4e11, bytes_moved=30e9).bound == "memory"
    assert held(flops=9e11, bytes_moved=10e9).bound == "compute"


def test_without_a_probe_nothing_is_claimed():
    found = held(flops=1e20, bytes_moved=1e20, on=Ceilings({}, ()))
    assert (found.status, found.bound, found.efficiency) == ("ok", None, None)
    assert found.achieved_flops == 1e20


def test_a_type_that_was_not_probed_is_judged_by_memory_alone():
    found = held(flops=1e20, bytes_moved=40e9, dtype="fp16")
    assert (found.status, found.bound, found.probe_flops) == ("ok", "memory", None)


def test_a_time_that_cannot_be_is_refused():
    for seconds in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="cannot take"):
            held(seconds=seconds)


def test_columns_are_the_schemas():
    assert held(flops=1e12).columns().keys() <= schema.BY_NAME.keys()


work = st.floats(1e6, 1e15)
sizes = st.floats(1e3, 1e12)


@given(flops=work, bytes_moved=work, working_set=sizes, share=st.floats(0.01, 1.0))
def test_what_keeps_to_both_ceilings_is_never_impossible(flops, bytes_moved, working_set, share):
    least = max(flops / MACHINE.flops["fp32"], bytes_moved / MACHINE.memory_at(working_set))
    found = held(least / share, flops, bytes_moved, working_set)
    assert found.status == "ok"
    assert found.efficiency == pytest.approx(share)
    assert ("slow-for-hardware" in found.flags) == (found.efficiency < SLOW)


@given(flops=work, working_set=sizes, excess=st.floats(1.06, 1e6))
def test_what_breaks_the_ceiling_of_products_is_always_caught(flops, working_set, excess):
    found = held(flops / MACHINE.flops["fp32"] / excess, flops, None, working_set)
    assert found.status == "impossible"


@given(bytes_moved=work, working_set=sizes, excess=st.floats(1.06, 1e6))
def test_what_no_cache_explains_is_always_caught(bytes_moved, working_set, excess):
    most = MACHINE.memory_at(working_set * CACHED_PART)
    assert held(bytes_moved / most / excess, None, bytes_moved, working_set).status == "impossible"


def test_memory_whose_probe_did_not_settle_judges_nothing():
    """The cache's rate is not known: that of memory alone would condemn what lives in the cache."""
    on = Ceilings({"fp32": 1e12}, ((256 * 2**20, 1e10),), unsettled_sizes=frozenset({2**20}))
    found = judge(on, seconds=1.0, flops=1.0, bytes_moved=5e10, working_set_bytes=2**31, dtype="fp32")
    assert found.status == "impossible"  # a quarter of it is beyond any size that did not settle
    found = judge(on, seconds=1.0, flops=1.0, bytes_moved=5e10, working_set_bytes=256 * 2**20, dtype="fp32")
    assert found.status == "ok"
    assert on.lacks("fp32", 256 * 2**20) == []
    assert on.lacks("fp32", 256 * 2**20, 64 * 2**20) == ["memory traffic"]
    assert on.memory_at(2**10) is None and on.memory_at(2**30) == 1e10
