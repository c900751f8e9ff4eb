"""The CPU as a device: what a workload asks of any device, run for real."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from bench.cells import DTYPE_BYTES
from bench.devices import host, open_device
from bench.devices.base import Device
from bench.devices.peak import ResidentPeak
from bench.devices.precision import fp32_products, precision_conditions

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def cpu() -> Device:
    return open_device("cpu")


def test_what_it_is(cpu):
    info = cpu.info()
    assert info.kind == "cpu"
    assert info.name == host.cpu_name()
    assert info.memory_bytes >= cpu.free_memory_bytes() > 0
    json.dumps(dataclasses.asdict(info))


def test_conditions_are_plain_values(cpu):
    found = cpu.conditions()
    assert json.loads(json.dumps(found)) == found
    assert found["torch"] == torch.__version__
    assert 1 <= found["threads"] <= host.usable_cores()


def test_more_threads_than_cores_are_taken_back(monkeypatch):
    before = torch.get_num_threads()
    try:
        monkeypatch.setattr(host, "usable_cores", lambda: 1)
        open_device("cpu")
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_seeds_repeat(cpu):
    cpu.seed(7)
    first = torch.rand(5, device=cpu.torch_device)
    cpu.seed(7)
    assert torch.equal(first, torch.rand(5, device=cpu.torch_device))


@pytest.mark.parametrize("dtype", [d for d in DTYPE_BYTES if d not in ("tf32", "int4")])
def test_it_really_computes_what_it_says_it_supports(cpu, dtype):
    assert cpu.supports(dtype)
    if dtype == "int8":
        ones = torch.ones(32, 32, dtype=torch.int8)
        assert torch._int_mm(ones, ones)[0, 0] == 32
        return
    kind = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[dtype]
    with cpu.compute_dtype(dtype):
        assert (torch.ones(8, 8, dtype=kind) @ torch.ones(8, 8, dtype=kind))[0, 0] == 8


@pytest.mark.parametrize("dtype", ["tf32", "int4", "fp64"])
def test_it_refuses_the_rest(cpu, dtype):
    assert not cpu.supports(dtype)
    with pytest.raises(ValueError, match="cannot compute"), cpu.compute_dtype(dtype):
        pass


def test_fp32_is_fp32_and_settings_come_back(cpu):
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    try:
        with cpu.compute_dtype("fp32"):
            assert torch.get_float32_matmul_precision() == "highest"
            assert not torch.backends.cuda.matmul.allow_tf32
            assert not torch.backends.cudnn.allow_tf32
            assert torch.backends.mkldnn.matmul.fp32_precision in ("ieee", "none")
        assert torch.get_float32_matmul_precision() == "high"
        with pytest.raises(KeyError), fp32_products(tf32=True):
            assert precision_conditions()["fp32_matmul"] == "high"
            raise KeyError
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = True


def test_an_override_from_outside_is_told(monkeypatch):
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "1")
    assert precision_conditions()["nvidia_tf32_override"] == "1"


def test_running_out_of_memory_is_recognised(cpu):
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**55, device=cpu.torch_device)
    assert cpu.is_out_of_memory(caught.value)
    assert cpu.is_out_of_memory(MemoryError())
    assert cpu.is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    assert cpu.is_out_of_memory(RuntimeError("MPS backend out of memory (MPS allocated: 8 GB)"))
    assert cpu.is_out_of_memory(RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"))
    assert cpu.is_out_of_memory(RuntimeError("UR backend failed: UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"))
    assert not cpu.is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    assert not cpu.is_out_of_memory(ValueError("out of memory"))


def test_the_peak_holds_what_was_touched_and_forgets_it_at_a_reset():
    peak = ResidentPeak()
    before = peak.read()
    block = np.ones(2**25)  # 256 MiB
    with_block = peak.read()
    assert with_block is not None
    assert with_block - (before or 0) > 200 * 2**20
    del block
    assert peak.read() >= with_block - 2**20  # the kernel sums its counters now and then
    peak.reset()
    after = peak.read()
    assert after is None or after < with_block - 200 * 2**20


def test_where_the_mark_cannot_be_restarted_an_older_peak_is_not_taken_for_this_cells(monkeypatch, tmp_path):
    from bench.devices import peak as module

    monkeypatch.setattr(module, "CLEAR_REFS", tmp_path / "no" / "file")
    monkeypatch.setattr(module, "_life_peak_bytes", lambda: 5_000)
    peak = ResidentPeak()
    assert peak.read() is None
    monkeypatch.setattr(module, "_life_peak_bytes", lambda: 6_000)
    assert peak.read() == 6_000
