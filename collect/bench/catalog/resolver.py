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
from bench.catalog.fitting import (
    GENERIC_CPUS,
    REPORTED_SHARE,
    memory_fits,
    needed_words,
    unit_counts,
    variant_of,
    words_of,
)
from bench.catalog.names import Printed
from bench.text import brief

_HIDDEN = "the machine hides the model of its processor: never ranked by specification"


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


@dataclass(frozen=True)
class _Name:
    """One name of one device, sorted into words."""

    device: CatalogDevice
    needed: frozenset[str]
    forms: frozenset[str]
    memory_types: frozenset[str]


@dataclass(frozen=True)
class _Told:
    """What the caller knows beside the name; neither holds for a slice of a device."""

    memory_bytes: int | None
    compute_units: int | None


class Resolver:
    """The rules over one catalog."""

    def __init__(self, devices: Mapping[str, CatalogDevice]) -> None:
        self._devices = devices
        self._exact: dict[str, CatalogDevice] = {}
        self._names: list[_Name] = []
        self._allowed: dict[str, frozenset[str]] = {}
        self._sizes: dict[str, frozenset[float]] = {}
        self._sizeless: set[str] = set()
        self._several_forms: set[str] = set()
        for device in devices.values():
            self._learn(device)

    def _learn(self, device: CatalogDevice) -> None:
        allowed, sizes = words_of(device.architecture or ""), {device.memory_gib or 0.0}
        for alias in (device.device_id, device.name, *device.aliases):
            text = names.plain(alias)
            for key in (text, names.unwrap(text)) if alias != device.name else ():
                self._exact.setdefault(key, device)
            printed = names.read(names.unwrap(re.sub(r"\([^)]*\)", " ", text)))
            needed = needed_words(printed, device)
            self._names.append(_Name(device, needed, printed.forms, printed.memory_types))
            if printed.forms:
                self._several_forms.add(device.device_id)
            if alias in device.aliases and not printed.memory_gib:
                self._sizeless.add(device.device_id)
            allowed |= words_of(alias)
            sizes |= set(printed.memory_gib)
        if device.device_class == "datacenter" and device.vendor == "NVIDIA":
            allowed |= {"tesla"}
        self._allowed[device.device_id] = frozenset(allowed)
        self._sizes[device.device_id] = frozenset(sizes)

    def resolve(
        self, name: str | None, *, memory_bytes: int | None = None, compute_units: int | None = None
    ) -> Resolution:
        """The device that ``name`` means, with memory and core count as the system reports them."""
        text = names.plain(name or "")
        if not text:
            return Resolution(None, None, "no name is given")
        told = _Told(memory_bytes, compute_units)
        known = self._exact.get(text)
        if known is not None and self._fits(known, None, told) is None:
            return self._answer([known], None, told, None)
        bare = names.unwrap(text)
        for pattern, device_id in GENERIC_CPUS:
            if pattern.fullmatch(bare) and device_id in self._devices:
                return Resolution(device_id, None, _HIDDEN)
        parts = names.pieces(bare)
        telling = [part for part in parts if names.read(part).names_a_model]
        if not telling:
            return self._by_architecture(text, told)
        answers = [self._one(part, told) for part in dict.fromkeys(telling)]
        ids = {answer.device_id for answer in answers}
        if len(answers) == 1:
            return answers[0]
        if len(ids) == 1 and None not in ids and len({a.partition for a in answers}) == 1:
            return answers[0]
        return Resolution(None, None, f"{len(answers)} different devices are named together")

    def _one(self, text: str, told: _Told) -> Resolution:
        whole, partition = names.take_partition(text)
        if partition is not None:
            told = _Told(None, None)
        known = self._exact.get(" ".join(whole.split()))
        if known is not None and self._fits(known, None, told) is None:
            return self._answer([known], partition, told, None)
        ways = [way.strip() for way in whole.split("/")]
        ways = [way for way in ways if names.read(way).names_a_model] or [whole]
        alone = told if len(ways) == 1 else _Told(None, None)
        found: list[CatalogDevice] = []
        for way in ways:
            printed = names.read(way)
            fitting, why = self._match(printed, alone)
            if not fitting:
                return Resolution(None, partition, why)
            found += [device for device in fitting if device not in found]
        if len(ways) > 1 and len(found) > 1:
            # One string for two chips: memory does not tell them apart (both come in several sizes).
            counted = [d for d in found if told.compute_units in unit_counts(d)]
            return self._answer(counted if len(counted) == 1 else found, partition, told, None)
        return self._answer(found, partition, told, names.read(ways[0]).gpu_cores)

    def _match(self, printed: Printed, told: _Told) -> tuple[list[CatalogDevice], str]:
        """The devices that fit, closest form first and alone; or none, and why."""
        close: dict[str, CatalogDevice] = {}
        loose: dict[str, CatalogDevice] = {}
        siblings: set[str] = set()
        refused: list[str] = []
        for name in self._names:
            device = name.device
            if not self._accounts_for(name, printed):
                continue
            siblings.add(device.device_id)
            why = self._fits(device, printed, told)
            if why is not None:
                refused.append(why)
            elif self._forms(name, printed) == name.forms and name.memory_types <= printed.memory_types:
                close[device.device_id] = device
            else:
                loose[device.device_id] = device
        fitting = list((close or loose).values())
        if fitting and not close and len(siblings) == 1:
            return [], f"could be {fitting[0].device_id} or one in another form: the name does not tell"
        if len(fitting) == 1 and not self._size_known(fitting[0], printed, told):
            return [], f"could be {fitting[0].device_id} or one with other memory: the name does not tell"
        if not fitting:
            words = " ".join(sorted(printed.words | printed.forms))
            return [], refused[0] if refused else f"no device of the catalog is called that ({brief(words)})"
        return self._modified_or_exact(fitting, printed, told), ""

    def _size_known(self, device: CatalogDevice, printed: Printed, told: _Told) -> bool:
        """Whether memory is stated, or this device's own names leave it out too."""
        return bool(
            printed.memory_gib
            or told.memory_bytes
            or told.compute_units
            or device.memory_gib is None
            or device.device_id in self._sizeless
        )

    def _modified_or_exact(
        self, fitting: list[CatalogDevice], printed: Printed, told: _Told
    ) -> list[CatalogDevice]:
        """Cards whose own memory fits go before cards that would have to be modified to fit."""
        own = [d for d in fitting if not self._doubled(d, printed, told)]
        return own or fitting

    def _accounts_for(self, name: _Name, printed: Printed) -> bool:
        if not (name.needed <= printed.words | printed.brands and self._forms(name, printed) <= name.forms):
            return False
        allowed = self._allowed[name.device.device_id]
        return printed.words - name.needed <= allowed and printed.brands <= allowed | name.needed

    def _forms(self, name: _Name, printed: Printed) -> frozenset[str]:
        """The printed form, without what goes without saying for a device that comes in one form only."""
        if name.device.device_id in self._several_forms:
            return printed.forms
        return printed.forms - {{"card": "pcie", "module": "sxm"}.get(name.device.form)}

    def _fits(self, device: CatalogDevice, printed: Printed | None, told: _Told) -> str | None:
        """None when memory and core counts agree with the device, else what does not."""
        told_gib = (told.memory_bytes or 0) / 2**30
        doubled = self._doubled(device, printed, told)
        for size in printed.memory_gib if printed is not None else ():
            if not (size in self._sizes[device.device_id] or memory_fits(device, size) or doubled):
                return f"named like {device.device_id}, which has no {size:g} GB"
        kinds = printed.memory_types if printed is not None else frozenset()
        if kinds and device.memory_type and names.plain(device.memory_type) not in kinds:
            return f"named like {device.device_id}, which has {device.memory_type}"
        if told_gib and not (memory_fits(device, told_gib) or doubled):
            return f"named like {device.device_id}, but {told_gib:.1f} GiB do not fit it"
        cores = printed.gpu_cores if printed is not None and device.vendor == "Apple" else None
        for count in (cores, told.compute_units):
            if count and device.compute_units and count not in unit_counts(device):
                return f"named like {device.device_id}, but {count} cores do not fit it"
        return None

    def _doubled(self, device: CatalogDevice, printed: Printed | None, told: _Told) -> bool:
        """Whether the stated memory is twice a consumer card's: such cards are modified, and named alike."""
        card = device.device_class == "consumer" and device.form == "card" and device.vendor == "NVIDIA"
        if not card or device.memory_gib is None:
            return False
        stated = list(printed.memory_gib) if printed is not None else []
        if told.memory_bytes:
            stated.append(told.memory_bytes / 2**30)
        low, high = (share * 2 * device.memory_gib for share in REPORTED_SHARE)
        return any(low <= size <= high for size in stated)

    def _answer(
        self, found: list[CatalogDevice], partition: str | None, told: _Told, cores: int | None
    ) -> Resolution:
        if len(found) > 1:
            ids = tuple(device.device_id for device in found)
            reason = (
                f"could be {', '.join(ids[:6])}{' …' if len(ids) > 6 else ''}: nothing given tells them apart"
            )
            return Resolution(None, partition, reason, candidates=ids)
        device = found[0]
        gib = (told.memory_bytes or 0) / 2**30
        variant, reason = variant_of(device, cores or told.compute_units)
        if device.generic:
            reason = _HIDDEN
        elif partition is not None:
            reason = f"a slice ({partition}) of this device"
        elif gib and not memory_fits(device, gib):
            reason = "a card of this kind with twice its memory: modified"
        elif device.software_devices > 1 and 0 < gib < 0.6 * (device.memory_gib or 0):
            reason = f"one of the {device.software_devices} devices that software sees in it"
        return Resolution(device.device_id, partition, reason, variant)

    def _by_architecture(self, text: str, told: _Told) -> Resolution:
        """A name without a model: an architecture id identifies where the catalog lists it as an alias."""
        gfx = names.gfx_of(text)
        device = self._exact.get(gfx) if gfx else None
        if device is not None and self._fits(device, None, told) is None:
            return Resolution(device.device_id, None, f"{gfx} is this device's own")
        if gfx:
            return Resolution(None, None, f"{gfx} is an architecture, not a device")
        return Resolution(None, None, "the name tells no model")
