"""What an importer is, and what it finds in a file before that becomes rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from bench.importers.files import Entry, Fault, Source
from bench.verify.needs import Least

#: Columns that a person may give where a file lacks them (``--set``).
SETTABLE: tuple[str, ...] = (
    "model", "params", "active_params", "weights_dtype", "compute_dtype", "batch", "input_tokens",
    "output_tokens", "context_depth", "beams", "weights", "engine", "engine_version", "execution",
    "device_count", "device_memory_bytes", "driver_version", "power_limit_w", "recorded_at", "sample_count",
)  # fmt: skip


@dataclass(frozen=True)
class Correction:
    """A fault of the tool or its format, and what the importer does about it. ``flag`` marks the rows."""

    fault: str
    remedy: str
    flag: str | None = None


@dataclass(frozen=True)
class Named:
    """The device as the file tells it. ``name`` is None when it does not; ``listed`` says that it lists
    several and not which of them ran. ``processor``: the CPU ran, even on a chip that also holds a GPU."""

    name: str | None = None
    count: int = 1
    memory_bytes: int | None = None
    processor: bool = False
    listed: bool = False


@dataclass(frozen=True)
class Found:
    """One result of a file. ``columns`` are the schema's, without identity, device, JSON columns and flags.

    ``settings`` is what else was asked for (it enters the task key), ``conditions`` how it came out.
    ``weights_bytes``: what the device alone is said to have held in its memory; None where other memory took
    part, or nothing is known. ``complete`` is False when the file does not say what was run. ``group`` tells
    parts of one file apart that may come from different machines. ``also`` are further figures that the file
    states, as printed.
    """

    where: str
    workload: str
    rate: float | None
    rate_unit: str
    device: Named = field(default_factory=Named)
    columns: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    also: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    status: str = "ok"
    detail: str | None = None
    recorded_at: datetime | None = None
    complete: bool = True
    least: Least | None = None
    weights_bytes: float | None = None
    group: str = ""


Given = Mapping[str, Any]


class Importer(ABC):
    """One format. ``versions`` are the generations that are read, ``corrections`` what is put right.
    ``lacks`` says what a person may have to add.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    forms: ClassVar[tuple[str, ...]]
    versions: ClassVar[tuple[str, ...]]
    corrections: ClassVar[tuple[Correction, ...]]
    lacks: ClassVar[str] = ""
    #: Raised when the same file would give other rows than before.
    version: ClassVar[int] = 1

    @abstractmethod
    def recognises(self, source: Source) -> bool:
        """Whether the file looks like this format, judged by its first entry or lines."""

    @abstractmethod
    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        """The file's results in order, and what cannot be taken over. ``given`` is what the person added."""

    def is_companion(self, source: Source) -> bool:
        """Whether the file belongs to a result of this format without holding one."""
        return False

    def related(self, source: Source) -> list[Any]:
        """Files beside the source that the result depends on; their content enters the import's digest."""
        return []


def each(
    entries: Iterable[Entry | Fault], convert: Callable[[Entry], Iterable[Found | Fault]]
) -> Iterator[Found | Fault]:
    """``convert`` over the entries; a fault in one entry is given out, and the next one is read.

    A reader gives out a fault that it can read on from, and raises one that ends the file.
    """
    walk = iter(entries)
    while True:
        try:
            entry = next(walk)
        except StopIteration:
            return
        except Fault as fault:
            yield fault
            return
        if isinstance(entry, Fault):
            yield entry
            continue
        try:
            found = list(convert(entry))
        except Fault as fault:
            found = [fault]
        yield from found
