"""What the devices of a catalog are called, sorted into words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench.catalog import names
from bench.catalog.devices import CatalogDevice
from bench.catalog.dress import unwrap
from bench.catalog.fitting import needed_words, words_of
from bench.catalog.names import Printed
from bench.text import brief


@dataclass(frozen=True)
class Name:
    """One name of one device, sorted into words."""

    device: CatalogDevice
    plain: str
    needed: frozenset[str]
    forms: frozenset[str]
    memory_types: frozenset[str]


class Index:
    """The names of all devices. ``exact`` leads from a plain name to its device; ``sizes`` are the GiB that a
    device's own names state, and ``sizeless`` are the devices with a name that states none."""

    def __init__(self, devices: Mapping[str, CatalogDevice]) -> None:
        self.exact: dict[str, CatalogDevice] = {}
        self.all: list[Name] = []
        self._allowed: dict[str, frozenset[str]] = {}
        self.sizes: dict[str, frozenset[float]] = {}
        self._sockets: dict[str, frozenset[str]] = {}
        self.sizeless: set[str] = set()
        self._several_forms: set[str] = set()
        for device in devices.values():
            self._learn(device)

    def _learn(self, device: CatalogDevice) -> None:
        allowed, sizes = set(words_of(device.architecture or "")), {device.memory_gib or 0.0}
        sockets: frozenset[str] = frozenset()
        for alias in (device.device_id, device.name, *device.aliases):
            text = names.plain(alias)
            for key in (text, unwrap(text)) if alias != device.name else ():
                self.exact.setdefault(key, device)
            if device.generic:  # only exact names and GENERIC_CPUS lead to it
                continue
            bare = unwrap(re.sub(r"\([^)]*\)", " ", text))
            printed = names.read(bare)
            needed = needed_words(printed, device)
            if needed:  # a name without a model ('gfx1151', 'NVIDIA Grace CPU') leads here as it stands alone
                self.all.append(Name(device, bare, needed, printed.forms, printed.memory_types))
            if printed.forms:
                self._several_forms.add(device.device_id)
            if alias in device.aliases and not printed.memory_gib:
                self.sizeless.add(device.device_id)
            allowed |= words_of(alias)
            sizes |= set(printed.memory_gib)
            sockets |= printed.sockets
        if device.device_class == "datacenter":  # lines of products that were renamed
            allowed |= {"NVIDIA": {"tesla"}, "AMD": {"radeon"}}.get(device.vendor or "", set())
        self._allowed[device.device_id] = frozenset(allowed)
        self.sizes[device.device_id] = frozenset(sizes)
        self._sockets[device.device_id] = sockets

    def accounts_for(self, name: Name, printed: Printed) -> bool:
        """Whether all of the name is there, and nothing that is not the device's."""
        return name.needed <= printed.words | printed.brands and not self._foreign(name, printed)

    def _foreign(self, name: Name, printed: Printed) -> frozenset[str]:
        """What a name holds beside the names of a device: words, brands, forms and sockets."""
        device_id = name.device.device_id
        sockets = printed.sockets - self._sockets[device_id] if self._sockets[device_id] else frozenset()
        forms = self.forms(name, printed) - name.forms
        return (printed.words | printed.brands) - name.needed - self._allowed[device_id] | forms | sockets

    def unaccounted(self, printed: Printed) -> str:
        """Why no device is called so: the words that the device which comes closest does not have."""
        said = printed.words | printed.brands
        near = [name for name in self.all if name.needed <= said]
        if not near:
            return f"no device of the catalog is called that ({brief(' '.join(sorted(printed.words)))})"
        best = min(near, key=lambda n: (len(self._foreign(n, printed)), -len(n.forms & printed.forms)))
        words = ", ".join(f"'{word}'" for word in sorted(self._foreign(best, printed)))
        return f"like {best.device.device_id}, but {brief(words)} is no part of that device's names"

    def forms(self, name: Name, printed: Printed) -> frozenset[str]:
        """The printed form, without what goes without saying for a device that comes in one form only."""
        if name.device.device_id in self._several_forms:
            return printed.forms
        module = "sxm" if name.device.vendor == "NVIDIA" else None
        return printed.forms - {{"card": "pcie", "module": module}.get(name.device.form)}
