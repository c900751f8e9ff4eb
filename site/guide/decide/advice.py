"""What others advised, as data: ``advice.toml``, checked so that a slip names its file and key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from guide.decide import toml


@dataclass(frozen=True)
class AdvisedPick:
    """What one kind of reader was advised. ``devices`` are the catalog's ids of all that ``words`` covers;
    ``several``: more than one of them was meant."""

    scenario: str
    words: str
    devices: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True)
class Advice:
    """One source's advice, and the day whose knowledge it has to be held against."""

    title: str
    day: date
    url: str
    note: str
    picks: tuple[AdvisedPick, ...]


def load_advice(path: Path, devices: Collection[str], scenarios: Collection[str]) -> tuple[Advice, ...]:
    """The advice in ``advice.toml``; none where there is no such file.

    Raises ``BenchError`` naming the file and the key where one is missing, unknown or of another type, and
    where a device is not in ``devices`` or a scenario not in ``scenarios``.
    """
    if not path.is_file():
        return ()
    told = _take(path, "", toml.read(path), {"advice": list})
    return tuple(
        _advice(path, f"advice[{place}]", entry, devices, scenarios)
        for place, entry in enumerate(told["advice"], start=1)
    )


def _advice(
    path: Path, where: str, entry: Any, devices: Collection[str], scenarios: Collection[str]
) -> Advice:
    told = _take(path, where, entry, {"title": str, "day": date, "url": str, "note": str, "pick": list})
    if not told["url"].startswith(("https://", "http://")):
        raise _fault(path, f"{where}.url", "should be an address that begins with https://")
    picks = tuple(
        _pick(path, f"{where}.pick[{place}]", pick, devices, scenarios)
        for place, pick in enumerate(told["pick"], start=1)
    )
    return Advice(told["title"], told["day"], told["url"], told["note"], picks)


def _pick(
    path: Path, where: str, entry: Any, devices: Collection[str], scenarios: Collection[str]
) -> AdvisedPick:
    needed = {"scenario": str, "words": str, "devices": list}
    told = _take(path, where, entry, needed, {"several": bool})
    if told["scenario"] not in scenarios:
        what = f"is {told['scenario'][:60]!r}, not one of {', '.join(scenarios)}"
        hint = "Name a scenario by its key in scenarios.toml; if that was renamed, rename it here too."
        raise _fault(path, f"{where}.scenario", what, hint)
    unknown = [device for device in told["devices"] if device not in devices]
    if unknown or not told["devices"]:
        what = f"holds {unknown[0]!r}" if unknown else "is empty"
        raise _fault(path, f"{where}.devices", f"{what}; it takes ids of devices.csv")
    return AdvisedPick(told["scenario"], told["words"], tuple(told["devices"]), told.get("several", False))


def _take(
    path: Path, where: str, table: Any, needed: Mapping[str, type], more: Mapping[str, type] | None = None
) -> dict[str, Any]:
    """The table, whose keys and types are right. Raises ``BenchError``."""
    if not isinstance(table, dict):
        raise _fault(path, where, "should be a table")
    kinds = {**needed, **(more or {})}
    for name in table:
        if name not in kinds:
            raise _fault(path, f"{where}.{name}", f"is not known; known are {', '.join(kinds)}")
    for name, kind in kinds.items():
        if name not in table and name in needed:
            raise _fault(path, f"{where}.{name}", "is missing")
        value = table.get(name)
        if name in table and (not isinstance(value, kind) or isinstance(value, datetime)):
            raise _fault(path, f"{where}.{name}", f"should be {kind.__name__}")
    return table


def _fault(path: Path, key: str, what: str, hint: str = "") -> BenchError:
    return BenchError(f"{path}, key '{key.removeprefix('.')}': {what}.", hint=hint)
