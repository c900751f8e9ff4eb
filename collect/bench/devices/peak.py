"""The most memory this process has held resident since a mark: what a cell on the CPU needed."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil

CLEAR_REFS = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")


class ResidentPeak:
    """High-water mark of the resident set, in bytes, of the whole process (not of tensors alone).

    Linux can restart the kernel's mark. Elsewhere the mark covers the life of the process, so ``read``
    tells a peak only when it rose after ``reset``, and None when an earlier cell held more.
    """

    def __init__(self) -> None:
        self._mark = 0
        self._restarted = False
        self.reset()

    def reset(self) -> None:
        """Start a new mark."""
        try:
            CLEAR_REFS.write_text("5")
            self._restarted = True
        except OSError:
            self._restarted = False
        self._mark = _life_peak_bytes() or 0

    def read(self) -> int | None:
        """Bytes at the highest point since ``reset``; None when the system cannot tell."""
        peak = _life_peak_bytes()
        if peak is None or self._restarted or peak > self._mark:
            return peak
        return None


def _life_peak_bytes() -> int | None:
    if STATUS.is_file():
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return None
    if sys.platform == "win32":
        return psutil.Process().memory_info().peak_wset
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, others KiB
