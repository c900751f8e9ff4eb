"""The catalog of devices: what each one is, and the names that software prints for it.

``devices.csv`` holds one device a line. Peak rates are dense (no structured sparsity) and, for tensor units,
with fp32 accumulation, which is what the frameworks run; where a vendor states only a sparse figure it is
halved and ``dense_basis`` says so. ``memory_gib`` is the advertised capacity. Vendors write GB and build
GiB: an 'A100 80GB' reports 81,920 MiB, so the number is taken as GiB. ``memory_reported_mib`` is what the
driver says where a public log shows it (error correction takes about 6 % on some cards).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bench.catalog.table import Line, read_lines
from bench.errors import BenchError

if TYPE_CHECKING:
    from bench.catalog.resolver import Resolution

CLASSES = ("datacenter", "workstation", "consumer", "laptop", "edge", "mobile", "cpu")

#: What the device is bought as: it decides whether a card's price or a whole system's price applies.
FORMS = {
    "card": "a board for a PCIe slot",
    "module": "a module on a server's baseboard (SXM, OAM), never sold alone",
    "laptop": "a GPU built into a laptop",
    "soc": "a chip that holds CPU and GPU on one memory, sold as a whole system",
    "cloud": "offered for rent only",
    "cpu": "a processor",
}

CONFIDENCES = ("high", "medium", "low")

COLUMNS = (
    "device_id", "name", "vendor", "architecture", "class", "form", "memory_gib", "memory_reported_mib",
    "memory_varies", "memory_unified", "memory_type", "bandwidth_gb_s", "fp32_tflops", "fp16_dense_tflops",
    "bf16_dense_tflops", "fp8_dense_tflops", "int8_dense_tops", "tdp_w", "released", "compute_units",
    "software_devices", "interconnect", "aliases", "dense_basis", "source", "source_date", "confidence",
    "notes",
)  # fmt: skip

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BASIS = re.compile(r"(\d+) (?:SM|CU|Xe-core) x (\d+) MHz x (\d+)")
_PERIOD = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


@dataclass(frozen=True)
class CatalogDevice:
    """One device. Rates are dense peaks in 10^12 operations a second, bandwidth is in 10^9 bytes a second.

    ``memory_varies``: sold with several sizes, of which ``memory_gib`` is the largest. ``compute_units``:
    SMs, CUs, Xe-cores or GPU cores; several numbers where one name covers bins. ``software_devices``: how
    many devices software shows for one of these (each with its share of memory and rate).
    """

    device_id: str
    name: str
    vendor: str | None
    architecture: str | None
    device_class: str
    form: str
    memory_gib: float | None
    memory_reported_mib: float | None
    memory_varies: bool
    memory_unified: bool
    memory_type: str | None
    bandwidth_gb_s: float | None
    fp32_tflops: float | None
    fp16_dense_tflops: float | None
    bf16_dense_tflops: float | None
    fp8_dense_tflops: float | None
    int8_dense_tops: float | None
    tdp_w: float | None
    released: str | None
    compute_units: tuple[int, ...]
    software_devices: int
    interconnect: str | None
    aliases: tuple[str, ...]
    dense_basis: str | None
    source: str
    source_date: str
    confidence: str
    notes: str | None

    @property
    def memory_bytes(self) -> int | None:
        """Memory that software sees: as reported where that is known, else as advertised."""
        if self.memory_reported_mib is not None:
            return int(self.memory_reported_mib * 2**20)
        return None if self.memory_gib is None else int(self.memory_gib * 2**30)

    @property
    def generic(self) -> bool:
        """An entry for processors whose machine hides the model; never ranked by specification."""
        return self.device_id.startswith("cpu-generic-")

    def peak_flops(self, dtype: str) -> float | None:
        """Dense peak in FLOP/s (op/s for int8) for a compute dtype, or None where no figure is known.

        tf32 runs at half the fp16 rate on the tensor units that have it (Ampere and later: those with bf16).
        """
        tera = {
            "fp32": self.fp32_tflops,
            "fp16": self.fp16_dense_tflops,
            "bf16": self.bf16_dense_tflops,
            "fp8": self.fp8_dense_tflops,
            "int8": self.int8_dense_tops,
        }
        if dtype == "tf32":
            nvidia = self.vendor == "NVIDIA" and self.bf16_dense_tflops is not None
            return self.bf16_dense_tflops / 2 * 1e12 if nvidia else None
        value = tera.get(dtype)
        return None if value is None else value * 1e12


class Catalog:
    """All devices, by id, with the rules that turn a printed name into one of them."""

    def __init__(self, devices: Mapping[str, CatalogDevice]) -> None:
        self.devices: dict[str, CatalogDevice] = dict(devices)
        self._resolved: dict[tuple[str | None, int | None, int | None], Resolution] = {}

    @classmethod
    def load(cls, path: Path) -> Catalog:
        """Read and check ``devices.csv``. Raises ``BenchError`` naming line, column and what was expected."""
        devices: dict[str, CatalogDevice] = {}
        for _, device in each_device(Path(path)):
            if isinstance(device, BenchError):
                raise device
            devices[device.device_id] = device
        if not devices:
            raise BenchError(f"{path} holds no device.")
        return cls(devices)

    def __iter__(self) -> Iterator[CatalogDevice]:
        return iter(self.devices.values())

    @cached_property
    def folded(self) -> tuple[tuple[str, CatalogDevice], ...]:
        """Each device after its name as names are compared: without capitals."""
        return tuple((device.name.casefold(), device) for device in self)

    def get(self, device_id: str | None) -> CatalogDevice | None:
        """The device of that id, or None."""
        return None if device_id is None else self.devices.get(device_id)

    def resolve(
        self, name: str | None, *, memory_bytes: int | None = None, compute_units: int | None = None
    ) -> Resolution:
        """Which device a printed name means; see ``bench.catalog.resolver``."""
        if len(name or "") > 200:  # kept for the names of many rows, which are short
            return self._resolver.resolve(name, memory_bytes=memory_bytes, compute_units=compute_units)
        asked = (name, memory_bytes, compute_units)
        found = self._resolved.get(asked)
        if found is None:
            if len(self._resolved) >= 10_000:  # a hostile file must not fill the memory
                self._resolved.clear()
            found = self._resolver.resolve(name, memory_bytes=memory_bytes, compute_units=compute_units)
            self._resolved[asked] = found
        return found

    @cached_property
    def _resolver(self):
        from bench.catalog.resolver import Resolver

        return Resolver(self.devices)


def each_device(path: Path) -> Iterator[tuple[int, CatalogDevice | BenchError]]:
    """Line number and device of each line, or the error where a line is none or repeats an id or a name.

    Raises ``BenchError`` where the file cannot be read on from, as at a wrong header.
    """
    ids: set[str] = set()
    owners: dict[str, str] = {}
    for line in read_lines(path, COLUMNS):
        try:
            device = _device(line)
            if device.device_id in ids:
                raise line.fault("device_id", "an id that no earlier line has")
            for alias in device.aliases:
                other = owners.setdefault(alias.casefold(), device.device_id)
                if other != device.device_id:
                    raise line.fault("aliases", f"names of this device only; '{alias}' is one of {other}")
        except BenchError as error:
            yield line.number, error
            continue
        ids.add(device.device_id)
        yield line.number, device


def _device(line: Line) -> CatalogDevice:
    def rate(column: str) -> float | None:
        return line.number_in(column, 0.01, 100_000, unit="10^12/s")

    def period(column: str) -> str | None:
        value = line.text(column)
        if value is not None and not _PERIOD.fullmatch(value):
            raise line.fault(column, "a date as YYYY, YYYY-MM or YYYY-MM-DD")
        return value

    device_id = line.text("device_id", required=True)
    if not _SLUG.fullmatch(device_id):
        raise line.fault("device_id", "lower-case words and digits joined by hyphens")
    units = line.text("compute_units")
    parts = [part.strip() for part in units.split(";")] if units else []
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 100_000 for part in parts):
        raise line.fault("compute_units", "whole numbers separated by semicolons")
    device = CatalogDevice(
        device_id=device_id,
        name=line.text("name", required=True),
        vendor=line.text("vendor"),
        architecture=line.text("architecture"),
        device_class=line.choice("class", CLASSES, required=True),
        form=line.choice("form", FORMS, required=True),
        memory_gib=line.number_in("memory_gib", 0.1, 4096, unit="GiB"),
        memory_reported_mib=line.number_in("memory_reported_mib", 100, 4_194_304, unit="MiB"),
        memory_varies=line.flag("memory_varies"),
        memory_unified=line.flag("memory_unified"),
        memory_type=line.text("memory_type"),
        bandwidth_gb_s=line.number_in("bandwidth_gb_s", 1, 100_000, unit="GB/s"),
        fp32_tflops=rate("fp32_tflops"),
        fp16_dense_tflops=rate("fp16_dense_tflops"),
        bf16_dense_tflops=rate("bf16_dense_tflops"),
        fp8_dense_tflops=rate("fp8_dense_tflops"),
        int8_dense_tops=rate("int8_dense_tops"),
        tdp_w=line.number_in("tdp_w", 0.1, 5000, unit="W"),
        released=period("released"),
        compute_units=tuple(int(part) for part in parts),
        software_devices=line.integer("software_devices", 1, 16) or 1,
        interconnect=line.text("interconnect"),
        aliases=tuple(a for a in (part.strip() for part in (line.text("aliases") or "").split(";")) if a),
        dense_basis=line.text("dense_basis"),
        source=line.text("source", required=True),
        source_date=period("source_date") or "",
        confidence=line.choice("confidence", CONFIDENCES, required=True),
        notes=line.text("notes"),
    )
    _check_dense(line, device)
    return device


def _check_dense(line: Line, device: CatalogDevice) -> None:
    """Hold the rates against each other: a sparse figure among dense ones is off by a factor of two.

    fp8 runs at twice the 16-bit rate, or at the same (Gaudi 3); int8 at 1, 2 or 4 times of it (4 where fp32
    accumulation halves the 16-bit rate). A basis of units x clock x work a clock must give the rate.
    """
    if device.memory_reported_mib and device.memory_gib:
        share = device.memory_reported_mib / 1024 / device.memory_gib
        if not 0.85 <= share <= 1.03:
            raise line.fault("memory_reported_mib", f"85 to 103 % of {device.memory_gib:g} GiB")
    half = device.fp16_dense_tflops or device.bf16_dense_tflops
    if half is None:
        return
    basis = _BASIS.match(device.dense_basis or "")
    if basis is not None:
        computed = int(basis[1]) * int(basis[2]) * int(basis[3]) / 1e6
        if abs(half / computed - 1) > 0.02:
            raise line.fault("fp16_dense_tflops", f"{computed:.4g}, which dense_basis gives")
    for column, value, ratios in (
        ("fp8_dense_tflops", device.fp8_dense_tflops, (1, 2)),
        ("int8_dense_tops", device.int8_dense_tops, (1, 2, 4)),
    ):
        base = device.bf16_dense_tflops or half
        if value is None:
            continue
        if not any(abs(value / of / ratio - 1) < 0.03 for ratio in ratios for of in (half, base)):
            factors = " or ".join(str(ratio) for ratio in ratios)
            raise line.fault(column, f"{factors} times the dense 16-bit rate of {half:g} (a sparse figure?)")
