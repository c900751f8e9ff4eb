"""From a name that software prints to a device of the catalog, without guessing between two.

The rule: every word of the name must be accounted for. A device fits when all words that tell its model are
there and nothing is left over that is not its vendor, product line, architecture, memory or form. So a
'RTX 5090 D v2' is not a 5090 D, and a 'RX 6950 XT' is nothing the catalog knows. Memory and core counts then
rule devices out; when more than one is left, the answer is none, and says which they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench.catalog import names
from bench.catalog.devices import CatalogDevice
from bench.catalog.dress import unwrap
from bench.catalog.fitting import (
    GENERIC_CPUS,
    NOTHING,
    Told,
    disagreement,
    doubled,
    memory_fits,
    unit_counts,
    variant_of,
)
from bench.catalog.index import Index
from bench.catalog.names import Printed
from bench.catalog.partitions import take_partition
from bench.text import brief

_HIDDEN = "the machine hides the model of its processor: never ranked by specification"

#: The driver writes 'SUPER' for the cards of this generation and 'Super' for their laptop parts, which have
#: as many cores and as much memory; people write either.
_LAPTOP_SUPER = re.compile(r"GeForce RTX 20[678]0 Super\b(?! with)")
_CARD_OR_LAPTOP = "drivers write 'SUPER' for the card and 'Super' for its laptop part, people either for both"
_CUT = re.compile(r"\s*\.{2,}$")  # nvidia-smi's table: 'NVIDIA GeForce RTX 3080 ...'
_MODIFIED = "a card of this kind with twice its memory: modified"
_MOST_PARTS = 64
_CPU_CORES_AT_MOST = 10  # of Apple's chips: up to here a bare '8-core' may count the processor's


@dataclass(frozen=True)
class Resolution:
    """What a printed name means.

    ``device_id`` is None when the name is unknown or fits several devices; ``reason`` says which.
    ``partition`` is the slice of the device that a MIG instance, a vGPU profile or a virtual function is.
    ``variant`` is a bin of the device that the name or the core count tells, such as '7-core GPU'.
    ``candidates`` are the ids that the name fits when it fits several.
    """

    device_id: str | None
    partition: str | None
    reason: str
    variant: str | None = None
    candidates: tuple[str, ...] = ()


class Resolver:
    """The rules over one catalog."""

    def __init__(self, devices: Mapping[str, CatalogDevice]) -> None:
        self._devices = devices
        self._index = Index(devices)

    def resolve(
        self, name: str | None, *, memory_bytes: int | None = None, compute_units: int | None = None
    ) -> Resolution:
        """The device that ``name`` means, with memory and core count as the system reports them."""
        raw = name or ""
        text = names.plain(raw) if len(raw) <= names.MAX_LENGTH else raw
        if len(text) > names.MAX_LENGTH:
            return Resolution(None, None, f"a text of {len(raw):,} characters is no device's name")
        if not text:
            return Resolution(None, None, "no name is given")
        if _LAPTOP_SUPER.search(raw):
            return Resolution(None, None, _CARD_OR_LAPTOP)
        told = Told(memory_bytes, compute_units)
        known = self._index.exact.get(text)
        if known is not None and disagreement(known, None, told) is None:
            return self._answer([known], None, told, None)
        bare = unwrap(text)
        for pattern, device_id in GENERIC_CPUS:
            if pattern.fullmatch(bare) and device_id in self._devices:
                return Resolution(device_id, None, _HIDDEN)
        listed = list(dict.fromkeys(names.pieces(bare)))
        if len(listed) == 1 and listed[0] != bare:
            return self.resolve(listed[0], memory_bytes=memory_bytes, compute_units=compute_units)
        parts = names.joined([unwrap(part) for part in listed])
        if not parts:
            return self._by_architecture(text, told)
        distinct = list(dict.fromkeys(parts))
        if len(distinct) > _MOST_PARTS:
            return Resolution(None, None, f"{len(distinct)} different names stand together")
        answers = [self._one(part, told) for part in distinct]
        ids = {answer.device_id for answer in answers}
        if len(answers) == 1:
            return answers[0]
        if len(ids) == 1 and None not in ids and len({a.partition for a in answers}) == 1:
            return answers[0]
        some = ", ".join(f"'{brief(part, 40)}'" for part in distinct[:3])
        more = ", …" if len(distinct) > 3 else ""
        return Resolution(None, None, f"{len(answers)} different names stand together ({some}{more})")

    def _one(self, text: str, told: Told) -> Resolution:
        if _CUT.search(text):
            return self._cut(_CUT.sub("", text), told)
        whole, partition = take_partition(text)
        if not whole:
            return Resolution(None, partition, f"a slice ({partition}) of a device that is not named")
        if partition is not None:
            told = NOTHING
        known = self._index.exact.get(" ".join(whole.split()))
        if known is not None and disagreement(known, None, told) is None:
            return self._answer([known], partition, told, None)
        ways = names.alternatives(whole)
        alone = told if len(ways) == 1 else NOTHING
        found: list[CatalogDevice] = []
        why = ""
        for way in ways:
            printed = names.read(way)
            fitting, why = self._match(printed, alone)
            if not fitting:
                return Resolution(None, partition, why)
            found += [device for device in fitting if device not in found]
        if len(ways) > 1 and len(found) > 1:
            several, found = len(found), self._told_apart(found, told)
            why = _decided(several, names.read(whole), told)
        printed = names.read(ways[0])
        cores = printed.gpu_cores
        if cores is None and (printed.cores or 0) > _CPU_CORES_AT_MOST:
            cores = printed.cores
        return self._answer(found, partition, told, cores, why)

    def _told_apart(self, found: list[CatalogDevice], told: Told) -> list[CatalogDevice]:
        """One string for several chips: core counts tell them apart, and memory those that come in one size
        each (an id that ends in a size has siblings, which the catalog need not know)."""
        one_size = all(not re.search(r"-\d+gb$", device.device_id) for device in found)
        kept = [d for d in found if told.units in unit_counts(d)]
        if not kept and one_size and told.gib:
            kept = [d for d in found if memory_fits(d, told.gib)]
        return kept if len(kept) == 1 else found

    def _cut(self, text: str, told: Told) -> Resolution:
        """A name of which a program printed the beginning: certain only if nothing that tells is missing."""
        longer = [name for name in self._index.all if name.plain.startswith(text)]
        missing = [names.read(name.plain[len(text) :]) for name in longer]
        certain = told.gib and not any(rest.words or rest.forms or rest.memory_gib for rest in missing)
        devices = {name.device.device_id: name.device for name in longer}
        if certain and len(devices) == 1 and disagreement(longer[0].device, None, told) is None:
            return self._answer([longer[0].device], None, told, None)
        return Resolution(None, None, "the name is cut short: what is missing may tell another device")

    def _match(self, printed: Printed, told: Told) -> tuple[list[CatalogDevice], str]:
        """The devices that fit, closest form first and alone, and what else than the name told them; or none,
        and why."""
        if printed.repeats:
            return [], "a model stands in it twice, as if two devices were named together"
        close: dict[str, CatalogDevice] = {}
        loose: dict[str, CatalogDevice] = {}
        siblings: set[str] = set()
        refused: dict[str, str] = {}
        for name in self._index.all:
            device = name.device
            if not self._index.accounts_for(name, printed):
                continue
            siblings.add(device.device_id)
            why = disagreement(device, printed, told, self._index.sizes[device.device_id])
            if why is not None:
                refused[device.device_id] = why
            elif self._index.forms(name, printed) == name.forms and name.memory_types <= printed.memory_types:
                close[device.device_id] = device
            else:
                loose[device.device_id] = device
        fitting = list((close or loose).values())
        if fitting and not close and len(siblings) == 1:
            return [], f"could be {fitting[0].device_id} or one in another form: the name does not tell"
        apart = len(siblings) > 1 and told.units > 0
        if len(fitting) == 1 and not (apart or self._size_known(fitting[0], printed, told)):
            return [], f"could be {fitting[0].device_id} or one with other memory: the name does not tell"
        if not fitting:
            return [], next(iter(refused.values())) if refused else self._index.unaccounted(printed)
        # Cards whose own memory fits go before cards that would have to be modified to fit.
        own = [d for d in fitting if not doubled(d, printed, told)]
        if not own:
            return fitting, _MODIFIED
        several = len(fitting) + len(refused)
        return own, _decided(several, printed, told) if several > len(own) else ""

    def _size_known(self, device: CatalogDevice, printed: Printed, told: Told) -> bool:
        """Whether memory is stated, or this device's own names leave it out too."""
        return bool(
            printed.memory_gib
            or printed.memory_measured_gib
            or told.gib
            or device.memory_gib is None
            or device.device_id in self._index.sizeless
        )

    def _answer(
        self,
        found: list[CatalogDevice],
        partition: str | None,
        told: Told,
        cores: int | None,
        why: str = "",
    ) -> Resolution:
        if len(found) > 1:
            ids = tuple(device.device_id for device in found)
            reason = (
                f"could be {', '.join(ids[:6])}{' …' if len(ids) > 6 else ''}: nothing given tells them apart"
            )
            return Resolution(None, partition, reason, candidates=ids)
        device = found[0]
        variant, reason = variant_of(device, cores or told.units or None)
        if device.generic:
            reason = _HIDDEN
        elif partition is not None:
            reason = f"a slice ({partition}) of this device"
        elif told.gib and not memory_fits(device, told.gib):
            reason = _MODIFIED
        elif why and variant is None:
            reason = why
        elif device.software_devices > 1 and 0 < told.gib < 0.6 * (device.memory_gib or 0):
            reason = f"one of the {device.software_devices} devices that software sees in it"
        return Resolution(device.device_id, partition, reason, variant)

    def _by_architecture(self, text: str, told: Told) -> Resolution:
        """A name without a model: an architecture id identifies where the catalog lists it as an alias, or
        where memory and core count together leave one device of it."""
        _, partition = take_partition(text)
        if partition is not None:
            return Resolution(None, partition, f"a slice ({partition}) of a device that is not named")
        gfx = names.gfx_of(text)
        if gfx is None:
            return Resolution(None, None, "the name tells no model")
        device = self._index.exact.get(gfx)
        if device is not None and disagreement(device, None, told) is None:
            return Resolution(device.device_id, None, f"{gfx} is this device's own")
        if told.gib and told.units:
            built = [d for d in self._devices.values() if f"({gfx})" in (d.architecture or "")]
            fitting = [d for d in built if d.compute_units and disagreement(d, None, told) is None]
            if len(fitting) == 1:
                reason = f"the one device of {gfx} with {told.units} units and {told.gib:.0f} GiB"
                return Resolution(fitting[0].device_id, None, reason)
        return Resolution(None, None, f"{gfx} is an architecture, not a device")


def _decided(several: int, printed: Printed, told: Told) -> str:
    """The reason where the name alone would have left several devices."""
    by = [f"{told.gib:.1f} GiB"] if told.gib else []
    by += [f"{told.units} units"] if told.units else []
    what = " and ".join(by) or "the memory in the name"
    return f"of {several} devices called so, the one that {what} {'fit' if by else 'tells'}"
