"""NVIDIA's Jetson boards and their like, whose GPU NVML does not read: Linux's own files.

Power is that of the board's input, from the INA3221 that every Jetson has (NVIDIA, "Jetson Linux Developer
Guide", Platform Power and Performance).
"""

from __future__ import annotations

from pathlib import Path

from bench.telemetry.sources import Values, sysfs

SYS = Path("/sys")
#: The rail that feeds the whole board.
INPUT_RAILS = ("VDD_IN", "SYS_VIN_TOTAL", "SYS_5V0", "POM_5V_IN", "VIN_SYS_5V0")


class Jetson:
    """Files found when it is made; what a board lacks is None."""

    def __init__(self, clock: Path | None, temperatures: list[Path], rail: tuple[Path, Path] | None) -> None:
        self._clock, self._temperatures, self._rail = clock, temperatures, rail

    def fast(self) -> Values:
        hertz = sysfs.number(self._clock) if self._clock else None
        hot = [t for path in self._temperatures if (t := sysfs.number(path)) is not None]
        millivolt, milliampere = (sysfs.number(path) for path in self._rail or (Path(), Path()))
        known = millivolt is not None and milliampere is not None
        return {
            "clock_mhz": None if hertz is None else hertz / 1e6,
            "temperature_c": max(hot) / 1e3 if hot else None,
            "power_w": millivolt * milliampere / 1e6 if known else None,
        }

    def slow(self) -> Values:
        return {}


def gpu_clock() -> Path | None:
    """The current clock of the GPU, in hertz."""
    folders = sorted(SYS.glob("class/devfreq/*"))
    names = ("gpu", "ga10b", "gv11b", "gp10b", "gb10b")
    return next((f / "cur_freq" for f in folders if any(name in f.name for name in names)), None)


def input_rail() -> tuple[Path, Path] | None:
    """(millivolts, milliamperes) of the board's input."""
    for label in sorted(SYS.glob("bus/i2c/drivers/ina3221*/*/hwmon/hwmon*/in*_label")):
        if sysfs.text(label) in INPUT_RAILS:
            number = label.name.removeprefix("in").removesuffix("_label")
            return label.with_name(f"in{number}_input"), label.with_name(f"curr{number}_input")
    return None


def open_source(address: str, pid: int) -> Jetson:
    zones = sorted(SYS.glob("class/thermal/thermal_zone*"))
    hot = [z / "temp" for z in zones if sysfs.text(z / "type").lower() in ("gpu-therm", "gpu-thermal")]
    return Jetson(gpu_clock(), hot, input_rail())
