"""What the probe runs: it computes what it times, and keeps the fastest shape that fits."""

import math

import pytest
import torch

from bench.workloads import _probe_kernels
from bench.workloads.probe import READ, TO_DEVICE, memory_need

pytestmark = pytest.mark.torch


def test_probe_computes_what_it_times(cpu):
    product = _probe_kernels.best_product(cpu, "fp32", ((64, 32, 16),))
    product.result.zero_()
    product.step()
    assert product.result.abs().sum() > 0
    copied = _probe_kernels.memory(cpu, "copy", 1 << 20)
    copied.result.zero_()
    copied.step()
    assert copied.result.abs().sum() > 0
    assert copied.need.bytes_per_sample == copied.repeats * (1 << 20)
    read = _probe_kernels.memory(cpu, READ, 1 << 20)
    read.step()
    assert math.isclose(read.result.mean().item(), 256, rel_tol=0.2), "1,024 products of means 1/2"


def test_the_search_keeps_the_fastest_product(cpu, monkeypatch):
    seconds = {(2, 2, 2): 1e-3, (4, 4, 4): 1e-3, (8, 8, 8): 1.0}
    made = []

    def product(device, dtype, shape):
        made.append(shape)
        return (lambda: None), torch.zeros(1)

    monkeypatch.setattr(_probe_kernels, "_product", product)
    monkeypatch.setattr(_probe_kernels, "_seconds_each", lambda device, call: seconds[made[-1]])
    best = _probe_kernels.best_product(cpu, "fp32", tuple(seconds))
    assert made[-1] == (4, 4, 4)
    assert best.need.flops_per_sample == best.repeats * 2 * 4**3


def test_the_search_passes_over_what_does_not_fit(cpu, monkeypatch):
    real = _probe_kernels._product

    def product(device, dtype, shape):
        if shape[0] > 100:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return real(device, dtype, shape)

    monkeypatch.setattr(_probe_kernels, "_product", product)
    found = _probe_kernels.best_product(cpu, "fp32", ((64, 64, 64), (128, 8, 8)))
    assert found.result.shape == (64, 64)
    with pytest.raises(RuntimeError, match="allocate"):
        _probe_kernels.best_product(cpu, "fp32", ((128, 8, 8),))


def test_repetitions_on_a_processor_fit_between_the_slices_of_a_busy_machine(cpu):
    """There is no launch to be drowned there; elsewhere a repetition is long against one."""
    from types import SimpleNamespace

    card = SimpleNamespace(kind="cuda")
    assert (_probe_kernels._repeats(cpu, 1e-4), _probe_kernels._repeats(card, 1e-4)) == (20, 200)
    assert _probe_kernels._repeats(cpu, 1.0) == 1


def test_a_link_holds_the_data_twice():
    assert memory_need(TO_DEVICE, 1_000).memory_bytes == 2_000
    assert memory_need(READ, 1_000).memory_bytes == 1_000
