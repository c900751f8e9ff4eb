"""Apple's chips: the system's thermal pressure, the only sign of throttling it gives to every user.

Clocks, temperature and power need an administrator (``powermetrics``) and stay unknown here; energy comes
from ``bench.measure.energy``. Levels: Apple, ``OSThermalNotification.h``.
"""

from __future__ import annotations

import ctypes
from typing import Any

from bench.telemetry.sources import Values

NOTIFICATION = b"com.apple.system.thermalpressurelevel"
#: Level 0 is nominal.
LEVELS = {1: "temperature (moderate)", 2: "temperature (heavy)", 3: "temperature (trapping)"}


class Apple:
    """``throttle_reasons``, from a notification that the system keeps up to date; None without it."""

    def __init__(self, library: Any | None) -> None:
        self._library = library
        self._token = ctypes.c_int(-1)
        if library is not None and library.notify_register_check(NOTIFICATION, ctypes.byref(self._token)):
            self._library = None

    def fast(self) -> Values:
        level = ctypes.c_uint64(0)
        if self._library is None or self._library.notify_get_state(self._token, ctypes.byref(level)):
            return {}
        reason = LEVELS.get(level.value, "temperature") if level.value else None
        return {"throttle_reasons": (reason,) if reason else ()}

    def slow(self) -> Values:
        return {}


def open_source(address: str, pid: int) -> Apple:
    try:
        library = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
        library.notify_register_check.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
        library.notify_get_state.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_uint64)]
    except (OSError, AttributeError):
        return Apple(None)
    return Apple(library)
