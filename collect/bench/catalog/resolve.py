"""From a name that software prints to a device of the catalog, without guessing between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.catalog.devices import CatalogDevice


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
        self._exact = {a.casefold(): d.device_id for d in devices.values() for a in (d.device_id, *d.aliases)}

    def resolve(
        self, name: str | None, *, memory_bytes: int | None = None, compute_units: int | None = None
    ) -> Resolution:
        """The device that ``name`` means."""
        found = self._exact.get((name or "").strip().casefold())
        if found is None:
            return Resolution(None, None, "no device of the catalog has this name")
        return Resolution(found, None, "a name of this device")
