"""What of a device software may report, and in which words: the facts that ``resolver`` judges names by."""

from __future__ import annotations

import re

from bench.catalog import names
from bench.catalog.devices import CatalogDevice
from bench.catalog.names import Printed

#: Processors whose machine hides the model, as hypervisors print them. Read on the unwrapped name.
GENERIC_CPUS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), device_id)
    for pattern, device_id in (
        (
            r"(intel )?xeon( (processor|cpu|platinum|gold|silver))*( \([a-z-]+(, [a-z ]+)*\))?",
            "cpu-generic-intel-xeon",
        ),
        (r"genuine intel 0000", "cpu-generic-intel-xeon"),
        (r"amd epyc(-[a-z]+(-v\d)?)?( processor)?( \(with ibpb\))?", "cpu-generic-amd-epyc"),
        (r"intel core processor( \([a-z]+(, [a-z ]+)*\))?", "cpu-generic-x86"),
        (r"common( 32-bit)? kvm processor|qemu (virtual|tcg) cpu( version [\d.+]+)?", "cpu-generic-x86"),
    )
)  # fmt: skip

#: What software reports of the advertised memory: error correction and firmware take up to 12 %.
REPORTED_SHARE = (0.88, 1.03)


def needed_words(printed: Printed, device: CatalogDevice) -> frozenset[str]:
    """The words without which a name is not this device's. A card's code of letters and digits ('w7900',
    'r9700') stands alone; otherwise 'pro' and the like are part of the name ('M2 Pro')."""
    words = printed.words
    if device.form == "card" and any(re.fullmatch(r"[a-z]+\d{2,}[a-z]*", word) for word in words):
        words = words - {"pro", "ai"} or words
    if not any(c.isdigit() for word in words for c in word):
        words |= printed.brands & {"rtx", "radeon", "epyc", "xeon", "gaudi"}
    return words


def words_of(text: str) -> set[str]:
    """The words that a name may hold because one of the device's own names holds them."""
    printed = names.read(names.unwrap(names.plain(text)))
    # What unwrap takes off ('RADV NAVI31', 'DG2') may also stand bare in a name.
    return set(printed.words | printed.brands) | set(re.findall(r"[a-z0-9]+\+?", names.plain(text)))


def memory_fits(device: CatalogDevice, gib: float) -> bool:
    """Whether software may report this much memory of the device."""
    if device.memory_gib is None:
        return True
    low, high = REPORTED_SHARE
    if device.memory_varies:
        return gib <= device.memory_gib * high
    sizes = {device.memory_gib, device.memory_gib / device.software_devices}
    return any(low * size <= gib <= high * size for size in sizes)


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
