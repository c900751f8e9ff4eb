"""What the probe runs on the device. Imported only when a cell is prepared."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import torch

from bench.cells import DTYPE_BYTES, Need
from bench.devices.base import Device
from bench.measure.harness import Harness
from bench.models.build import torch_dtype
from bench.workloads import probe
from bench.workloads.base import Prepared
from bench.workloads.probe import ENOUGH_S, SEARCH_S

#: One repetition lasts about this long, so that neither the clock nor a kernel's launch is what is timed. On
#: a processor nothing is launched, and a short one fits between the slices in which a busy machine hands it
#: out: there the fastest of long ones was seen 3 to 20 times too slow to be a ceiling.
REPETITION_S, REPETITION_ON_CPU_S = 0.02, 0.002
#: A stretch that is timed to choose how many calls that is.
STRETCH_S = 0.005
MOST_REPEATS = 1 << 16
#: A probe ends after this many repetitions that took ``ENOUGH_S`` together.
ENOUGH = 5
#: Width of the matrix that the memory probe reads.
COLUMNS = 1_024


class Repeated(Prepared):
    """``repeats`` calls of one kernel make a repetition; ``result`` lets a test look at what it computed."""

    def __init__(self, call: Callable[[], object], repeats: int, need: Need, result: torch.Tensor) -> None:
        self.call, self.repeats, self.need, self.result = call, repeats, need, result

    def step(self) -> None:
        for _ in range(self.repeats):
            self.call()

    def run(self, harness: Harness) -> None:
        """Repeat until the harness has seen enough, or for ``ENOUGH_S`` of counted time.

        The ceiling is the fastest repetition. Waiting for a narrow interval of the median, as other
        workloads do, would not raise it, and the probe comes before every run.
        """
        while harness.wants_more():
            with harness.sample():
                self.step()
            if len(harness.samples_s) >= ENOUGH and sum(harness.samples_s) >= ENOUGH_S:
                break


def best_product(device: Device, dtype: str, products: Sequence[probe.Product]) -> Repeated:
    """The product with the highest rate among ``products``, tried in the order given (small ones first).

    Operands are normal random values: on many devices zeros multiply faster, because they draw less power.
    """
    element, kind = DTYPE_BYTES[dtype], torch_dtype(dtype)
    best: tuple[float, probe.Product] | None = None
    started = time.perf_counter()
    for product in products:
        flops = probe.product_need(product, element).flops_per_sample
        left = SEARCH_S - (time.perf_counter() - started)
        if best is not None and (left < 0 or flops / best[0] > SEARCH_S / 2):
            continue
        try:
            seconds = _seconds_each(device, _product(device, kind, product)[0])
        except (RuntimeError, MemoryError) as error:
            if best is None or not device.is_out_of_memory(error):
                raise
            device.empty_cache()
            break
        if best is None or flops / seconds > best[0]:
            best = flops / seconds, product
    call, result = _product(device, kind, best[1])
    repeats = _repeats(device, _seconds_each(device, call))
    return Repeated(call, repeats, probe.product_need(best[1], element, repeats), result)


def memory(device: Device, operation: str, size: int) -> Repeated:
    """A pass over a working set of ``size`` bytes, see ``probe.memory_need``."""
    target, count = device.torch_device, size // 4
    if operation == probe.READ:
        # A matrix times a vector reads the matrix once and keeps next to nothing, as decoding does.
        matrix = torch.rand(count // COLUMNS, COLUMNS, device=target)
        vector = torch.rand(COLUMNS, device=target)
        result = torch.empty(count // COLUMNS, device=target)
        call = lambda: torch.mv(matrix, vector, out=result)  # noqa: E731
    else:
        source, destination = _ends(operation, count, target)
        result = destination
        call = lambda: destination.copy_(source, non_blocking=True)  # noqa: E731
    repeats = _repeats(device, _seconds_each(device, call))
    return Repeated(call, repeats, probe.memory_need(operation, size, repeats), result)


def _ends(operation: str, count: int, target: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """(source, destination) of a copy; host memory is page-locked where the device is a CUDA one."""
    if operation == probe.COPY:
        return torch.rand(count // 2, device=target), torch.empty(count // 2, device=target)
    host = torch.rand(count, pin_memory=target.type == "cuda")
    there = torch.rand(count, device=target)
    return (host, there) if operation == probe.TO_DEVICE else (there, host)


def _product(
    device: Device, dtype: torch.dtype, product: probe.Product
) -> tuple[Callable[[], object], torch.Tensor]:
    m, k, n = product
    # The right-hand matrix lies in memory as a linear layer's weights do, transposed.
    left = torch.randn(m, k, device=device.torch_device).to(dtype)
    right = torch.randn(n, k, device=device.torch_device).to(dtype).t()
    result = torch.empty(m, n, device=device.torch_device, dtype=dtype)
    return lambda: torch.mm(left, right, out=result), result


def _seconds_each(device: Device, call: Callable[[], object]) -> float:
    """Seconds of one call, from a stretch long enough to be timed, after one call to warm up."""
    call()
    count = 1
    while True:
        device.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        device.synchronize()
        seconds = time.perf_counter() - begin
        if seconds > STRETCH_S or count >= MOST_REPEATS:
            return max(seconds / count, 1e-9)
        count *= 4


def _repeats(device: Device, seconds_each: float) -> int:
    repetition_s = REPETITION_ON_CPU_S if device.kind == "cpu" else REPETITION_S
    return min(MOST_REPEATS, max(1, round(repetition_s / seconds_each)))
