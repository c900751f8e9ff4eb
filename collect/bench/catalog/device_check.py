"""Is the catalog of devices sound? Every line that is not, and what is worth a second look."""

from __future__ import annotations

from pathlib import Path

from bench.catalog.devices import Catalog, CatalogDevice, each_device
from bench.catalog.remarks import Remark, in_order, of_error
from bench.errors import BenchError


def check_devices(path: Path) -> list[Remark]:
    """What is wrong with ``devices.csv``, errors first.

    Errors: a line that does not read (ids, units, a sparse rate among dense ones, a repeated id or name), and
    a name of a device that resolves to another one. Warnings: a device that no name leads to, and a rate
    without a word on how it was found to be dense. Raises ``BenchError`` when the file cannot be read.
    """
    remarks: list[Remark] = []
    lines: dict[str, int] = {}
    devices: dict[str, CatalogDevice] = {}
    for line, device in each_device(path):
        if isinstance(device, BenchError):
            remarks.append(of_error(path, line, device))
        else:
            devices[device.device_id], lines[device.device_id] = device, line
    catalog = Catalog(devices)
    for device_id, device in devices.items():
        found = [*_names(catalog, device), *_rates(device)]
        remarks += [
            Remark(severity, check, lines[device_id], device_id, text) for severity, check, text in found
        ]
    return in_order(remarks)


def _names(catalog: Catalog, device: CatalogDevice) -> list[tuple[str, str, str]]:
    found = []
    for name in (device.device_id, *device.aliases):
        resolution = catalog.resolve(name, memory_bytes=None if device.generic else device.memory_bytes)
        if resolution.device_id != device.device_id:
            to = resolution.device_id or f"no single device ({resolution.reason})"
            found.append(("error", "names", f"its name '{name}' resolves to {to}"))
    if not device.aliases:
        resolution = catalog.resolve(device.name, memory_bytes=device.memory_bytes)
        if resolution.device_id != device.device_id:
            found.append(("warning", "names", "has no name that software prints, so no result finds it"))
    return found


def _rates(device: CatalogDevice) -> list[tuple[str, str, str]]:
    half = device.fp16_dense_tflops or device.bf16_dense_tflops
    if half is not None and device.dense_basis is None:
        return [("warning", "dense", f"nothing says how {half:g} TFLOPS was found to be dense (dense_basis)")]
    if half is not None and device.fp32_tflops and half < 0.4 * device.fp32_tflops:
        return [
            ("warning", "dense", f"16-bit rate {half:g} is below the fp32 rate {device.fp32_tflops:g} TFLOPS")
        ]
    return []
