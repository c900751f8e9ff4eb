"""What a workload is. Adding one is one file in this folder that defines a ``Workload`` subclass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from bench.cells import Cell, Need

if TYPE_CHECKING:
    from bench.devices.base import Device
    from bench.measure.harness import Harness


class Workload(ABC):
    """Declares its cells, what each needs, and how one is run. One instance serves the whole process."""

    name: ClassVar[str]
    title: ClassVar[str]
    #: One sentence: what is run. Another: why a reader should care.
    what: ClassVar[str]
    why: ClassVar[str]
    rate_unit: ClassVar[str]
    #: How its cells can be run (values of the column ``execution``); see ``bench.workloads._execution``.
    executions: ClassVar[tuple[str, ...]] = ("eager",)
    #: Seconds after which a cell ends itself on any device; None: its suite's budget decides.
    most_s: ClassVar[float | None] = None

    @abstractmethod
    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """A suite's cells on a kind of device (``cuda``, ``mps``, ``xpu``, ``cpu``), small ones first."""

    @abstractmethod
    def need(self, cell: Cell) -> Need:
        """Memory, arithmetic and traffic of a cell, by formula. Must not import torch."""

    def unit(self, cell: Cell) -> str:
        """The unit of the cell's rate, for a workload whose cells differ in it."""
        return self.rate_unit

    def times(self, row: Mapping[str, Any]) -> dict[str, float]:
        """What the rate of a row of this workload means in time, by a header with its unit."""
        return {}

    @abstractmethod
    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        """Build what the cell needs on the device. ``models`` keeps built models between cells of a group.

        Raises ``Unsupported`` when the device or the software cannot run the cell.
        """


class Prepared:
    """A cell ready to be repeated. Subclasses define ``step``, or ``run`` where a library owns the loop."""

    load_s: float = 0.0
    #: What one repetition really takes, where ``prepare`` chose what to run (the probe's search over
    #: shapes, the lengths of drawn texts). It replaces ``Workload.need`` in the row; None: that stands.
    need: Need | None = None
    #: Conditions that only the built cell knows, added to the run's.
    conditions: Mapping[str, Any] = MappingProxyType({})

    def one_pass(self) -> bool:
        """Run one forward pass, untimed, for those who look at what it calls; False where there is none.

        Called after ``run``: what it leaves behind is not used again.
        """
        return False

    def step(self) -> None:
        """One repetition. The harness synchronises before and after it."""
        raise NotImplementedError

    def run(self, harness: Harness) -> None:
        """Repeat until the harness has seen enough."""
        while harness.wants_more():
            with harness.sample():
                self.step()

    def columns(self, harness: Harness) -> dict[str, Any]:
        """Columns only this workload knows, such as ``first_token_ms`` or ``job_s``; called after ``run``.

        ``flags`` are added to those the runner sets; every other column is taken as it is.
        """
        return {}


class Unsupported(Exception):
    """The device or the software cannot run this cell; the text says why."""
