"""The ceiling: how fast this machine multiplies matrices and moves memory.

Every other result is held against it, so it looks for the most the machine can do. Several shapes of
matrix product are tried and the fastest is measured. Memory is probed by reading and by copying, at
working sets from cache to several times the last-level cache: a workload that mostly reads weights may
beat the copy rate honestly. The ceiling is the fastest repetition, not the median (``ceilings``): a
median taken while something disturbed the machine would let honest results look impossible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import DTYPE_BYTES, Cell, Need
from bench.workloads.base import Prepared, Workload
from bench.workloads.common import require

if TYPE_CHECKING:
    from bench.devices.base import Device

Product = tuple[int, int, int]

MATMUL, COPY, READ = "matmul", "copy", "read"
#: A product of fixed shape, timed now and then to see whether the machine is still the same.
ANCHOR = "anchor"
TO_DEVICE, TO_HOST, ACROSS = "host-to-device", "device-to-host", "device-to-device"

#: Rows x inner x columns tried by the matrix-product probe, small ones first: squares, and the wide and
#: deep ones of language models. Multiples of 64, so that no kernel is handicapped by its tiles.
PRODUCTS: dict[str, tuple[Product, ...]] = {
    "all": (
        (256, 768, 768), (512, 512, 512), (1_024, 1_024, 1_024), (512, 2_048, 8_192),
        (2_048, 2_048, 2_048), (4_096, 1_024, 4_096), (4_096, 4_096, 4_096), (8_192, 2_048, 8_192),
        (4_096, 4_096, 14_336), (8_192, 8_192, 8_192), (16_384, 8_192, 8_192), (8_192, 8_192, 28_672),
    ),
    "tiny": ((64, 64, 64), (128, 64, 64)),
}  # fmt: skip

#: The search over shapes ends after this long, and leaves out a shape that would take half of it; a cell
#: has counted enough when its repetitions took this long together.
SEARCH_S, ENOUGH_S = 4.0, 2.0
#: The anchor's shape: some milliseconds on an ordinary device.
ANCHOR_PRODUCT: dict[str, Product] = {"cpu": (1_024, 1_024, 1_024), "accelerator": (4_096, 4_096, 4_096)}

#: Working sets of the memory probes. The largest is several times the largest caches (1.1 GB of L3 on
#: some server CPUs, 128 MB of L2 on accelerators).
SIZES: dict[str, tuple[str, ...]] = {
    "cpu": ("256 KiB", "4 MiB", "32 MiB", "256 MiB", "1 GiB"),
    "accelerator": ("4 MiB", "16 MiB", "32 MiB", "64 MiB", "128 MiB", "512 MiB", "2 GiB"),
    "tiny": ("256 KiB", "4 MiB"),
}

#: Flags of a probe's row that make its ceiling doubtful: what is disturbed at one moment need not be at the
#: next. A limit that holds for all of a run makes none.
DISTURBED = frozenset({"contended", "device-shared", "swapping", "throttled"})

#: Flags which beside a wide interval say that a probe's row did not settle: even its fastest repetition may
#: be an early, slow one, so it is no ceiling, and nothing is called impossible by it.
UNSETTLED = frozenset({"few-samples", "not-warm"})

UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def size_bytes(size: str) -> int:
    """Bytes of a size such as ``16 MiB``."""
    number, unit = size.split()
    return int(number) * UNITS[unit]


def product_need(product: Product, element: float, repeats: int = 1) -> Need:
    """Of ``repeats`` products of (m, k) by (k, n): 2 m k n FLOPs each, and each matrix moved once."""
    m, k, n = product
    matrices = round((m * k + k * n + m * n) * element)
    flops = 2 * m * k * n * repeats
    return Need(matrices, flops, matrices * repeats, flops, matrices)


def memory_need(operation: str, size: int, repeats: int = 1) -> Need:
    """Of ``repeats`` passes over a working set of ``size`` bytes.

    A read passes over one buffer of ``size`` bytes. A copy passes over two of half the size: it reads one
    and writes the other, as STREAM counts it (McCalpin 1995). A copy over a link moves ``size`` bytes.
    """
    resident = 2 * size if operation in (TO_DEVICE, TO_HOST, ACROSS) else size
    return Need(resident, 0.0, size * repeats, size * repeats, size)


class Probe(Workload):
    name = "probe"
    title = "Ceiling probe"
    what = "Matrix products in each number type, and memory traffic at working sets from cache to memory."
    why = "It shows what the hardware can do at most, so that no impossible figure is published."
    rate_unit = "B/s"
    most_s = SEARCH_S + ENOUGH_S

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """A product for each type, a read and a copy for each size, and an accelerator's host link."""
        scale = "tiny" if suite == "tiny" else "cpu" if device_kind == "cpu" else "accelerator"
        if scale == "tiny":
            dtypes: tuple[str, ...] = ("fp32",)
        elif device_kind == "cpu":
            dtypes = ("fp32", "bf16")
        else:
            dtypes = ("fp32", "tf32", "bf16", "fp16") if device_kind == "cuda" else ("fp32", "bf16", "fp16")
        cells = [
            Cell(
                self.name,
                weights_dtype="fp32" if dtype == "tf32" else dtype,
                compute_dtype=dtype,
                settings={"operation": MATMUL, "shapes": "tiny" if scale == "tiny" else "all"},
            )
            for dtype in dtypes
        ]
        cells += [self._memory(operation, size) for operation in (READ, COPY) for size in SIZES[scale]]
        if device_kind != "cpu":
            cells += [self._memory(operation, SIZES[scale][-2]) for operation in (TO_DEVICE, TO_HOST)]
        return cells

    def _memory(self, operation: str, size: str) -> Cell:
        return Cell(self.name, settings={"operation": operation, "size": size})

    def unit(self, cell: Cell) -> str:
        return "FLOP/s" if cell.settings["operation"] in (MATMUL, ANCHOR) else "B/s"

    def need(self, cell: Cell) -> Need:
        """Of a product: the largest that is tried. The row carries what was run (``Prepared.need``)."""
        if cell.settings["operation"] == MATMUL:
            element = DTYPE_BYTES[cell.compute_dtype]
            tried = (product_need(p, element) for p in PRODUCTS[cell.settings["shapes"]])
            return max(tried, key=lambda need: need.memory_bytes)
        if cell.settings["operation"] == ANCHOR:
            return product_need(ANCHOR_PRODUCT["accelerator"], DTYPE_BYTES[cell.compute_dtype])
        return memory_need(cell.settings["operation"], size_bytes(cell.settings["size"]))

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        from bench.workloads import _probe_kernels

        operation = cell.settings["operation"]
        if operation == MATMUL:
            require(device, cell.compute_dtype)
            return _probe_kernels.best_product(device, cell.compute_dtype, PRODUCTS[cell.settings["shapes"]])
        if operation == ANCHOR:
            product = ANCHOR_PRODUCT["cpu" if device.kind == "cpu" else "accelerator"]
            return _probe_kernels.best_product(device, cell.compute_dtype, (product,))
        return _probe_kernels.memory(device, operation, size_bytes(cell.settings["size"]))


@dataclass(frozen=True)
class Ceilings:
    """What one machine can do at most: FLOP/s by compute type, and (working set, B/s) by rising size.

    ``disturbed`` are flags of the probe's rows that may have made it slower than the machine is.
    ``unsettled`` are the types, and ``unsettled_sizes`` the working sets, whose probe did not settle.
    """

    flops: Mapping[str, float]
    memory: tuple[tuple[int, float], ...]
    disturbed: tuple[str, ...] = ()
    unsettled: frozenset[str] = frozenset()
    unsettled_sizes: frozenset[int] = frozenset()

    def lacks(self, dtype: str, *working_sets: float) -> list[str]:
        """What of a cell cannot be judged since the probe of it did not settle, in words."""
        memory = any(self._start(size) in self.unsettled_sizes for size in working_sets)
        return [
            words
            for words, lacking in (
                (f"arithmetic in {dtype}", dtype in self.unsettled),
                ("memory traffic", memory),
            )
            if lacking
        ]

    def _start(self, working_set_bytes: float) -> int:
        """The probed size that counts for a working set."""
        sizes = [*(size for size, _ in self.memory), *self.unsettled_sizes]
        return max((size for size in sizes if size <= working_set_bytes), default=min(sizes, default=0))

    def memory_at(self, working_set_bytes: float) -> float | None:
        """The highest memory rate seen at this working set or any larger one; None without a probe that
        settled.

        Where the working set lies between two probed sizes the smaller one counts, whose rate is the
        higher: a workload that lives partly in cache is given the benefit.
        """
        start = self._start(working_set_bytes)
        if start in self.unsettled_sizes:
            return None
        return max((rate for size, rate in self.memory if size >= start), default=None)


def settled(row: Mapping[str, Any]) -> bool:
    """Whether a probe's row came to rest: one that did not is no ceiling, and no rate of the machine."""
    return "wide-interval" not in row["flags"] or not UNSETTLED & set(row["flags"])


def ceilings(rows: Iterable[Mapping[str, Any]]) -> Ceilings:
    """The ceilings that finished probe rows stand for: work over the fastest repetition of each.

    Rows of other workloads, and probe rows without a result, are passed over; one that did not settle is no
    ceiling, and leaves what it was to judge unjudged.
    """
    flops: dict[str, float] = {}
    memory: dict[int, float] = {}
    disturbed: set[str] = set()
    unsettled: set[str] = set()
    unsettled_sizes: set[int] = set()
    for row in rows:
        if row["workload"] != Probe.name or row["status"] != "ok" or not row["samples_s"]:
            continue
        disturbed |= DISTURBED & set(row["flags"])
        rate = row["work_per_sample"] / min(row["samples_s"])
        settings = json.loads(row["settings"])
        if settings["operation"] == MATMUL and not settled(row):
            unsettled.add(row["compute_dtype"])
        elif settings["operation"] == MATMUL:
            flops[row["compute_dtype"]] = max(rate, flops.get(row["compute_dtype"], 0.0))
        elif settings["operation"] in (READ, COPY):
            size = size_bytes(settings["size"])
            if settled(row):
                memory[size] = max(rate, memory.get(size, 0.0))
            else:
                unsettled_sizes.add(size)
    found = tuple(sorted(memory.items()))
    return Ceilings(
        flops,
        found,
        tuple(sorted(disturbed)),
        frozenset(unsettled - flops.keys()),
        frozenset(unsettled_sizes),
    )
