"""What of a device software may report, and in which words: the facts that ``resolver`` judges names by."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from bench.catalog import names
from bench.catalog.devices import CatalogDevice
from bench.catalog.dress import unwrap
from bench.catalog.names import Printed

#: Processors whose machine hides the model, as hypervisors print them. Read on the unwrapped name.
GENERIC_CPUS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), device_id)
    for pattern, device_id in (
        (
            r"(intel )?xeon( (processor|cpu|platinum|gold|silver))*( \([a-z-]+(, [a-z ]+)*\))?",
            "cpu-generic-intel-xeon",
        ),
        (r"intel xeon e3(12xx|-12xx v2)( \([a-z ]+(, [a-z ]+)*\))?", "cpu-generic-intel-xeon"),
        (r"genuine intel 0000", "cpu-generic-intel-xeon"),
        (r"amd epyc(-[a-z]+(-v\d)?)?( processor| cpu)*( \(with ibpb\))?", "cpu-generic-amd-epyc"),
        (r"intel core processor( \([a-z]+(, [a-z ]+)*\))?", "cpu-generic-x86"),
        (r"intel core i7 9xx \(nehalem[a-z0-9 ]*(, [a-z ]+)*\)", "cpu-generic-x86"),
        (r"common( 32-bit)? kvm processor|qemu (virtual|tcg) cpu( version [\d.+]+)?", "cpu-generic-x86"),
    )
)  # fmt: skip

#: Software reports less than the advertised memory: error correction and firmware take up to 12 %. Where it
#: reports more, it is by what a driver counts twice, such as the 256 MiB that the host can see.
REPORTED_SHARE = 0.88
REPORTED_MORE_GIB = 0.3

#: A name states the advertised memory, or whole GB of what is left of it: 'A10G 22GB', 'T4 15GB'. A card of
#: 10 GB is none of 11.
NAMED_SHARE = 0.915

#: Makers of modified cards double the memory of those with 8 GiB and more. What has 12 GiB beside one of
#: 6 GiB is a card of its own.
_SMALLEST_DOUBLED_GIB = 8


@dataclass(frozen=True)
class Told:
    """What the caller knows beside the name; neither holds for a part of a device. What is not above zero is
    not known."""

    memory_bytes: int | None
    compute_units: int | None

    @property
    def gib(self) -> float:
        """The memory, 0 where it is not known."""
        return max(self.memory_bytes or 0, 0) / 2**30

    @property
    def units(self) -> int:
        """The number of compute units, 0 where it is not known."""
        return max(self.compute_units or 0, 0)


NOTHING = Told(None, None)


def needed_words(printed: Printed, device: CatalogDevice) -> frozenset[str]:
    """The words without which a name is not this device's. A card's code of letters and digits ('w7900',
    'r9700') stands alone; otherwise 'pro' and the like are part of the name ('M2 Pro'). A 'Quadro 6000' is
    older than a 'Quadro RTX 6000'."""
    words = printed.words
    if device.form == "card" and any(re.fullmatch(r"[a-z]+\d{2,}[a-z]*", word) for word in words):
        words = words - {"pro", "ai"} or words
    if "quadro" in words:
        words |= printed.brands & {"rtx"}
    if not any(c.isdigit() for word in words for c in word):
        words |= printed.brands & {"rtx", "radeon", "epyc", "xeon", "gaudi"}
    return words


@lru_cache(maxsize=4096)  # a guide has a catalog of each day on which others gave advice
def words_of(text: str) -> frozenset[str]:
    """The words that a name may hold because one of the device's own names holds them."""
    printed = names.read(unwrap(names.plain(text)))
    # What unwrap takes off ('RADV NAVI31', 'DG2') may also stand bare in a name.
    return printed.words | printed.brands | set(re.findall(r"[a-z0-9]+\+?", names.plain(text)))


def memory_fits(device: CatalogDevice, gib: float, *, advertised: bool = False) -> bool:
    """Whether software may report this much memory of the device, or a name state it (``advertised``)."""
    if device.memory_gib is None:
        return True
    share, more = (NAMED_SHARE, 0.0) if advertised else (REPORTED_SHARE, REPORTED_MORE_GIB)
    if device.memory_varies:
        return gib <= device.memory_gib + more
    sizes = {device.memory_gib, device.memory_gib / device.software_devices}
    return any(share * size <= gib <= size * (1 if advertised else 1.005) + more for size in sizes)


def doubled(device: CatalogDevice, printed: Printed | None, told: Told) -> bool:
    """Whether the stated memory is twice a consumer card's: such cards are modified, and named alike."""
    card = device.device_class == "consumer" and device.form == "card" and device.vendor == "NVIDIA"
    if not card or device.memory_gib is None or device.memory_gib < _SMALLEST_DOUBLED_GIB:
        return False
    stated = [*printed.memory_gib, *printed.memory_measured_gib] if printed is not None else []
    twice = 2 * device.memory_gib
    return any(REPORTED_SHARE * twice <= gib <= twice + REPORTED_MORE_GIB for gib in (*stated, told.gib))


def disagreement(
    device: CatalogDevice, printed: Printed | None, told: Told, sizes: Collection[float] = ()
) -> str | None:
    """None when memory and core counts agree with the device, else what does not. ``sizes`` (GiB) are those
    that the device's own names state, which need not be its memory ('GH200 480GB' counts the host's)."""
    named = f"named like {device.device_id}"
    modified = doubled(device, printed, told)
    if printed is not None:
        for gib in printed.memory_gib:
            if not (gib in sizes or memory_fits(device, gib, advertised=True) or modified):
                return f"{named}, which has no {gib:g} GB"
        kinds = printed.memory_types
        if kinds and device.memory_type and names.plain(device.memory_type) not in kinds:
            return f"{named}, which has {device.memory_type}"
    for gib in (*(printed.memory_measured_gib if printed is not None else ()), told.gib):
        if gib and not (memory_fits(device, gib) or modified):
            return f"{named}, but {gib:.1f} GiB do not fit it"
    cores = printed.gpu_cores if printed is not None and device.vendor == "Apple" else None
    for count in (cores, told.units):
        if count and device.compute_units and count not in unit_counts(device):
            return f"{named}, but {count} cores do not fit it"
    return None


def unit_counts(device: CatalogDevice) -> set[int]:
    """The counts that software may report: RDNA is counted in pairs of units by some, Intel's Xe-cores in
    vector engines (8 or 16 each), and a device of several dies by the die."""
    counts = set(device.compute_units)
    counts |= {n // device.software_devices for n in device.compute_units}
    if (device.architecture or "").startswith("RDNA"):
        counts |= {n // 2 for n in device.compute_units}
    if device.vendor == "Intel":
        counts |= {
            n * k // d for n in device.compute_units for k in (8, 16) for d in (1, device.software_devices)
        }
    return counts


def variant_of(device: CatalogDevice, cores: int | None) -> tuple[str | None, str]:
    """The bin that a core count tells, and the reason of the resolution in words."""
    if len(device.compute_units) < 2:
        return None, "a name of this device"
    bins = " or ".join(str(n) for n in device.compute_units)
    if cores in device.compute_units:
        return f"{cores}-core GPU", f"the {cores}-core bin of this device"
    return None, f"a name of this device; sold with {bins} GPU cores, which the name does not tell"
