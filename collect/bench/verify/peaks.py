"""The most that a device of the catalog can do: arithmetic, memory traffic and capacity.

The catalog holds vendors' dense peaks with fp32 accumulation at reference clocks. What a program may do
beyond that is allowed for, each with its reason, so that an honest row is never called impossible.
"""

from __future__ import annotations

from functools import lru_cache

from bench.catalog import CatalogDevice

#: Boards are sold with higher clocks than the reference, and owners raise them. Of 117 public matrix products
#: all but one lay at or below 1.17 of the catalog's peak. Server parts run at the stated clocks.
HEADROOM = {"datacenter": 1.0, "mobile": 1.0, "edge": 1.0}
HEADROOM_ELSE = 1.2
#: Memory clocks of cards are raised by less, and no program reaches more than about 95 % of the rate. A
#: processor's memory is bought apart from it, in speeds well beyond the one that it is specified for.
MEMORY_HEADROOM_ELSE = 1.1
#: The catalog's figures of a processor are those of one socket, and a name does not tell the sockets.
SOCKETS = 2

#: Parts on which fp16 products that accumulate in fp16 run at twice the catalog's rate, beside those whose
#: int8 rate of four times shows it.
HALF_RATE = frozenset({"nvidia-a10g", "nvidia-l20", "nvidia-l40"})

#: Where the catalog states fp32 alone, matrix units may be this many times as fast (Apple: fp16 at the
#: rate of fp32 up to M4, four times it from M5; elsewhere int8 units of laptop GPUs).
UNSTATED = {"Apple": 4.0}
UNSTATED_ELSE = 16.0
#: Dot products of 8-bit numbers (DP4A) take four numbers for each fp32 one.
DOT_PRODUCTS = 4.0
#: 4-bit arithmetic over the fp8 rate.
FP4 = {"Blackwell": 2.0, "Blackwell Ultra": 3.0, "CDNA4 (gfx950)": 2.0}

#: Caches that may hold a part of the weights from one token to the next: the largest are 256 MB on
#: accelerators (MI300X) and 1.15 GB on processors (EPYC with stacked cache, one socket).
CACHE_BYTES = 0.27e9
CPU_CACHE_BYTES = 1.2e9

#: Kinds of arithmetic, by what a row says: its compute type, else the type of its weights.
SETS = {
    "fp32": ("fp32", "tf32"),
    "tf32": ("fp32", "tf32"),
    "bf16": ("fp32", "bf16"),
    "fp16": ("fp32", "bf16", "fp16"),
    "half": ("fp32", "tf32", "bf16", "fp16"),
    "fp8": ("fp32", "bf16", "fp16", "fp8"),
    "any": ("fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4"),
}


def arithmetic_of(compute_dtype: str | None, weights_dtype: str | None) -> str:
    """Which of ``SETS`` may have run. Quantised weights may be multiplied in 8 bits; 16-bit and 32-bit ones
    are not, but 32-bit ones may be cast to 16 where the source does not say otherwise."""
    if compute_dtype in ("fp32", "tf32", "bf16", "fp16", "fp8"):
        return compute_dtype
    return "half" if weights_dtype in ("fp32", "fp16", "bf16") else "any"


@lru_cache(maxsize=4096)
def most_flops(device: CatalogDevice, arithmetic: str = "any") -> float | None:
    """FLOP/s (op/s of integers) of one device at most; None where the catalog states nothing to go by."""
    allowed = SETS[arithmetic]
    stated = {name: device.peak_flops(name) for name in ("fp32", "tf32", "fp16", "bf16", "fp8", "int8")}
    half = max(stated["fp16"] or 0, stated["bf16"] or 0)
    rates = {name: value for name, value in stated.items() if value}
    if not rates:
        return None
    if half and stated["fp16"] and ((stated["int8"] or 0) > 3.5 * half or device.device_id in HALF_RATE):
        rates["fp16"] = 2 * stated["fp16"]
    if not half and stated["fp32"]:
        rates["fp16"] = rates["bf16"] = UNSTATED.get(device.vendor or "", UNSTATED_ELSE) * stated["fp32"]
    if not stated["int8"]:
        rates["int8"] = max(DOT_PRODUCTS * (stated["fp32"] or 0), 2 * half)
    if device.architecture in FP4 and stated["fp8"]:
        rates["fp4"] = FP4[device.architecture] * stated["fp8"]
    most = max((rates[name] for name in allowed if name in rates), default=0.0)
    return most * headroom(device) * sockets(device) or None


@lru_cache(maxsize=4096)
def most_bytes_per_s(device: CatalogDevice) -> float | None:
    """B/s of memory traffic of one device at most."""
    if device.bandwidth_gb_s is None:
        return None
    more = headroom(device)
    if device.device_class != "cpu":
        more = min(more, MEMORY_HEADROOM_ELSE)
    return device.bandwidth_gb_s * 1e9 * more * sockets(device)


def cache_bytes(device: CatalogDevice) -> float:
    """Bytes of weights that need not be read again for each token."""
    return CPU_CACHE_BYTES * SOCKETS if device.device_class == "cpu" else CACHE_BYTES


def headroom(device: CatalogDevice) -> float:
    """By how much a device may exceed its catalog figures honestly."""
    return HEADROOM.get(device.device_class, HEADROOM_ELSE)


def sockets(device: CatalogDevice) -> int:
    """How many of the device may hide behind its name."""
    return SOCKETS if device.device_class == "cpu" else 1
