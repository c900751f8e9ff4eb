"""What a person sees while a run is going: a live display on a terminal, plain lines elsewhere.

Everything goes to standard error, and is drawn only when a message arrives: a display that refreshes by
itself would take processor time from what is measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from bench.runner.plan import Planned
from bench.text import duration, one_path, plain, rate

if TYPE_CHECKING:
    from bench.runner.rows import RunFile


class Reporter:
    """Says nothing; keeps count. The base of the others."""

    def __init__(self) -> None:
        self.total = 0
        self.number = 0
        self._expected: dict[str, float] = {}
        self._spent_s = 0.0
        self._spent_of_s = 0.0
        self._cell_started = 0.0

    def begin(
        self, run: RunFile, cells: Sequence[Planned], expected_s: Mapping[str, float], device_name: str
    ) -> None:
        """A run starts with these cells left to do."""
        self.total = len(cells)
        self._expected = dict(expected_s)

    def start(self, item: Planned) -> None:
        """A cell, or its next process, starts."""
        self._cell_started = time.monotonic()

    def sample(self, item: Planned, message: Mapping[str, Any]) -> None:
        """Repetitions so far: ``count``, ``seconds``, ``low``, ``high``."""

    def part(self, item: Planned, count: int, of: int) -> None:
        """``count`` of a cell's processes have measured it."""
        left = self._expected.get(item.cell.cell_id, 0.0)
        spent = left / (of - count + 1)
        self._expected[item.cell.cell_id] = left - spent
        self._spend(spent)

    def done(self, item: Planned, row: Mapping[str, Any]) -> None:
        """A cell is settled, whether or not it was started."""
        self.number += 1
        self._spend(self._expected.pop(item.cell.cell_id, 0.0))

    def _spend(self, expected_s: float) -> None:
        if self._cell_started:
            self._spent_s += time.monotonic() - self._cell_started
            self._spent_of_s += expected_s
            self._cell_started = 0.0

    def note(self, text: str) -> None:
        """Something to know."""

    def close(self) -> None:
        """The run is over."""

    @property
    def left_s(self) -> float:
        """Seconds that the rest will take: as estimated, scaled by how the estimate has done so far."""
        running = time.monotonic() - self._cell_started if self._cell_started else 0.0
        scale = self._spent_s / self._spent_of_s if self._spent_of_s > 0 else 1.0
        return max(0.0, sum(self._expected.values()) * scale - running)


def so_far(item: Planned, unit: str, message: Mapping[str, Any]) -> str:
    """``412 tokens/s (408 to 415) after 12 repetitions``."""
    work = item.need.work_per_sample
    text = rate(work / message["seconds"], unit)
    if message["low"] and message["high"]:
        text += f" ({rate(work / message['high'], unit)} to {rate(work / message['low'], unit)})"
    return f"{text} after {message['count']} repetitions"


def outcome(row: Mapping[str, Any]) -> str:
    """How a cell ended, in a few words."""
    if row["status"] != "ok":
        return f"{row['status']}: {row['status_detail']}" if row["status_detail"] else row["status"]
    unit, text = row["rate_unit"], rate(row["rate"], row["rate_unit"])
    if row["rate_low"] is not None and row["rate_high"] is not None:
        half = (row["rate_high"] - row["rate_low"]) / 2 / row["rate"]
        text += f" ±{half:.1%}" if half < 10 else f" ({rate(row['rate_low'], unit)} at least)"
    return text


class Lines(Reporter):
    """A line for each cell, for logs and pipes."""

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__()
        self._stream = stream or sys.stderr

    def _line(self, text: str) -> None:
        print(plain(text), file=self._stream, flush=True)

    def begin(self, run, cells, expected_s, device_name) -> None:  # type: ignore[no-untyped-def]
        super().begin(run, cells, expected_s, device_name)
        self._line(
            f"Run {run.run_id} on {device_name}: {self.total} cells, about {duration(round(self.left_s))}."
        )
        self._line(f"Results: {one_path(run.path)}")

    def done(self, item: Planned, row: Mapping[str, Any]) -> None:
        super().done(item, row)
        left = f", about {duration(round(self.left_s))} left" if self.number < self.total else ""
        self._line(f"[{self.number}/{self.total}] {item.cell.label}: {outcome(row)}{left}")

    def note(self, text: str) -> None:
        self._line(text)


class Live(Reporter):
    """One line that is redrawn for the running cell, above it the finished ones; with rich."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self.console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[left]}", style="dim", markup=False),
            TextColumn("{task.description}", markup=False),
            console=self.console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, left="")
        self._units: dict[str, str] = {}

    def begin(self, run, cells, expected_s, device_name) -> None:  # type: ignore[no-untyped-def]
        super().begin(run, cells, expected_s, device_name)
        self._units = {cell_id: row["rate_unit"] for cell_id, row in run.rows.items()}
        self.note(
            f"Run {run.run_id} on {device_name}: {self.total} cells, about {duration(round(self.left_s))}"
        )
        self._progress.update(self._task, total=self.total)
        self._progress.start()

    def _draw(self, text: str, completed: int) -> None:
        left = f"{duration(round(self.left_s))} left"
        self._progress.update(self._task, description=plain(text), completed=completed, left=left)
        self._progress.refresh()

    def start(self, item: Planned) -> None:
        super().start(item)
        self._draw(f"{item.cell.label}: building", self.number)

    def sample(self, item: Planned, message: Mapping[str, Any]) -> None:
        unit = self._units.get(item.cell.cell_id)
        if unit is None:  # the anchor is none of the plan's cells
            return
        self._draw(f"{item.cell.label}: {so_far(item, unit, message)}", self.number)

    def done(self, item: Planned, row: Mapping[str, Any]) -> None:
        super().done(item, row)
        colour = {"ok": "green", "failed": "red", "killed": "red", "impossible": "red"}
        mark = "✓" if row["status"] == "ok" else "·"
        self.note(f"{mark} {item.cell.label}: {outcome(row)}", colour.get(row["status"], "yellow"))
        self._draw("", self.number)

    def note(self, text: str, style: str | None = None) -> None:
        self.console.print(plain(text), style=style, markup=False)

    def close(self) -> None:
        self._progress.stop()


def reporter(*, live: bool | None = None) -> Reporter:
    """A live display when standard error is a terminal, else lines."""
    return Live() if (sys.stderr.isatty() if live is None else live) else Lines()
