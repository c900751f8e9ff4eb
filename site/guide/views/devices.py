"""Which devices have a page, and how a system is named with a link to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from guide import paths
from guide.charts import theme
from guide.model import System
from guide.show.markup import escape
from guide.show.tables import Cell


def by_name(system: System) -> tuple[list[str | int], int, str]:
    """What lists of systems are ordered by: the device's name, numbers in it as numbers, then how many there
    are. ``byName`` in ``assets/js/answer.js`` does the same."""
    name = system.label.lower().removeprefix(f"{system.count} × ")
    # Texts and numbers take turns, a text first, so that like is held against like.
    parts = enumerate(re.split("([0-9]+)", name))
    return [int(part) if place % 2 else part for place, part in parts], system.count, system.key


@dataclass(frozen=True)
class Device:
    """A device with evidence: ``systems`` are its counts, partitions and memory sizes, small ones first."""

    key: str
    label: str
    systems: tuple[System, ...]

    @property
    def first(self) -> System:
        """The smallest system: one device where one was measured."""
        return self.systems[0]

    def short(self, system: System) -> str:
        """What tells one of the device's systems from the others: its count, or its whole label."""
        same = [s for s in self.systems if s.count == system.count]
        return f"{system.count} ×" if len(same) == 1 else system.label

    @property
    def path(self) -> str:
        """The device's page."""
        return device_page(self.first)


def device_key(system: System) -> str:
    """What all systems of a device share: the catalog's id, or the name that resolves to none."""
    return system.device_id or system.key.removesuffix(f"-x{system.count}")


def device_page(system: System) -> str:
    """The path of the page about the system's device."""
    return paths.device(device_key(system))


def devices(systems: Iterable[System]) -> tuple[Device, ...]:
    """The systems by device, ordered by label."""
    by_device: dict[str, list[System]] = {}
    for system in systems:
        by_device.setdefault(device_key(system), []).append(system)
    found = []
    for key, members in by_device.items():
        ordered = tuple(sorted(members, key=lambda s: (s.count, s.label, s.key)))
        found.append(Device(key, _label(ordered), ordered))
    return tuple(sorted(found, key=lambda d: (d.label.lower(), d.key)))


def _label(ordered: Sequence[System]) -> str:
    """The first's label; a processor without a name drops the vectors that its systems do not share."""
    first = ordered[0]
    label = first.label.removeprefix(f"{first.count} × ")
    nameless = (first.device_id or "").startswith("cpu-generic-")
    if nameless and first.variant and any(s.variant != first.variant for s in ordered):
        return label.replace(f", {first.variant})", ")").replace(f" ({first.variant})", "")
    return label


def vendor_key(system: System) -> str:
    """The palette's key for the system."""
    return theme.vendor_key(system.vendor, system.device_class)


def named(label: str, vendor: str) -> Markup:
    """A device's name behind its vendor's coloured dot."""
    return Markup(f'<span class="vendor vendor--{vendor}">{escape(label)}</span>')


def system_cell(system: System, sub: str = "") -> Cell:
    """The system's name, linked to its device's page."""
    return Cell(named(system.label, vendor_key(system)), sort=system.label, sub=sub, link=device_page(system))
