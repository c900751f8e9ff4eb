"""What AMD's management library says. Reads only; everything is None where it is not installed."""

from __future__ import annotations

import contextlib
import functools
import io
from typing import Any


@functools.cache
def library() -> Any | None:
    """The started ``amdsmi`` module; None when the package, its system library or the driver is missing."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints where it looked for its library
            import amdsmi
    except (ImportError, KeyError, OSError, AttributeError):  # what it raises where there is no ROCm
        return None
    try:
        amdsmi.amdsmi_init(amdsmi.AmdSmiInitFlags.INIT_AMD_GPUS)
    except amdsmi.AmdSmiException:
        return None
    return amdsmi


def find(slot: str) -> Any | None:
    """The card in a PCI slot such as ``0000:03:00.0``; None for no such one."""
    smi = library()
    if smi is None or not slot:
        return None
    try:
        return smi.amdsmi_get_processor_handle_from_bdf(slot)
    except smi.AmdSmiException:
        return None


def call(name: str, card: Any | None) -> Any | None:
    """What a call tells of a card; None where it is refused or does not exist."""
    smi = library()
    function = getattr(smi, name, None)
    if function is None or card is None:
        return None
    try:
        return function(card)
    except smi.AmdSmiException:
        return None


def number(value: Any) -> float | None:
    """A number as it is; None for the library's "N/A"."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def power_limits_w(card: Any | None) -> tuple[float | None, float | None]:
    """The power limit in force and the card's default. The library tells microwatts."""
    found = call("amdsmi_get_power_cap_info", card) or {}
    limits = (number(found.get(name)) for name in ("power_cap", "default_power_cap"))
    limit, default = (value / 1e6 if value else None for value in limits)
    return limit, default
