"""A cell that would not fit is refused before it is tried: most carefully where the machine's own memory is
at stake."""

import dataclasses

import pytest

from bench.cells import Need
from bench.devices.base import DeviceInfo
from bench.runner.plan import refusal, safe_margin_bytes

GB = 10**9


def need(gigabytes):
    return Need(round(gigabytes * GB), 1.0, 1.0, 1.0, 1)


def device(gigabytes, **values):
    return dataclasses.asdict(DeviceInfo("cuda", 0, "d", gigabytes * GB, **values))


def test_what_fits_is_tried_and_what_does_not_is_refused_with_the_figures():
    assert refusal(need(23), device(24)) is None
    found = refusal(need(24), device(24))
    assert found == "needs 24.0 GB, the device has 24.0 GB of which 256 MB stay free; not attempted"


def test_what_others_hold_is_not_free():
    assert refusal(need(10), device(24), 11 * GB) is None
    assert "only 10.0 GB of 24.0 GB are free now" in refusal(need(10), device(24), 10 * GB)


@pytest.mark.parametrize(("total", "margin"), [(8, 0.512), (128, 6.4)])
def test_a_device_that_shares_the_machines_memory_leaves_a_twentieth(total, margin):
    """A GPU of that kind is a CUDA device like any other but for this (Jetson, GB10)."""
    shared = device(total, shares_memory=True)
    assert safe_margin_bytes(total * GB, shared=True) == margin * GB
    assert refusal(need(total - margin), shared) is None
    assert "stay free; not attempted" in refusal(need(total - margin + 0.01), shared)
    assert refusal(need(total - margin + 0.01), device(total)) is None
