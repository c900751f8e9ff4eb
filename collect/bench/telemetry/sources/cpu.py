"""The processor, on Linux: clocks of its cores and its temperature. Other systems tell neither to a user.

psutil reads the same files, but all of them at each call; here they are looked up once. What a virtual
machine writes into ``/proc/cpuinfo`` is a nominal clock and is not used.
"""

from __future__ import annotations

import os
from pathlib import Path

from bench.telemetry.sources import Values, sysfs

SYS = Path("/sys")
#: At most so many cores are read, evenly spread: each costs microseconds, and servers have hundreds.
MOST_CORES = 16
#: Drivers of sensors in processors, and the sensor that stands for the whole.
SENSORS = {"coretemp": "Package", "k10temp": "T", "zenpower": "T", "cpu_thermal": "", "cpu-thermal": ""}
#: Thermal zones of boards without such a driver.
ZONES = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc-thermal", "soc_thermal")


class Cpu:
    """``clock_mhz`` is the mean over the cores that are read; ``temperature_c`` the hottest sensor."""

    def __init__(self, clocks: list[Path], temperatures: list[Path]) -> None:
        self._clocks = [sysfs.Kept(path) for path in clocks]
        self._temperatures = temperatures

    def fast(self) -> Values:
        clock_khz = sysfs.mean([clock.number() for clock in self._clocks])
        return {"clock_mhz": None if clock_khz is None else round(clock_khz / 1e3, 1)}

    def slow(self) -> Values:
        found = [t for path in self._temperatures if (t := sysfs.number(path)) is not None]
        return {"temperature_c": max(found) / 1e3 if found else None}


def clock_files(cores: list[int]) -> list[Path]:
    """The files with the current clock of some of these cores."""
    step = max(1, -(-len(cores) // MOST_CORES))
    paths = [SYS / f"devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq" for core in cores[::step]]
    return [path for path in paths if sysfs.number(path) is not None]


def temperature_files() -> list[Path]:
    """The files with the processor's temperature: of its own sensor, else of a thermal zone."""
    found = []
    for folder in sorted(SYS.glob("class/hwmon/hwmon*")):
        wanted = SENSORS.get(sysfs.text(folder / "name"))
        if wanted is not None:
            inputs = sorted(folder.glob("temp*_input"))
            labelled = [p for p in inputs if sysfs.text(_label(p)).startswith(wanted or "\0")]
            found += labelled or inputs
    if not found:
        zones = sorted(SYS.glob("class/thermal/thermal_zone*"))
        found = [zone / "temp" for zone in zones if sysfs.text(zone / "type") in ZONES]
    return found


def _label(path: Path) -> Path:
    return path.with_name(path.name.replace("_input", "_label"))


def open_source(address: str, pid: int) -> Cpu:
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return Cpu(clock_files(cores), temperature_files())
