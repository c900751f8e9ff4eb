"""Everything the guide knows, read once and put in order: rows, systems, tasks, prices, sources.

``analyse`` is a pure function of its arguments; ``load_evidence`` reads them from a data folder.
Rows are never changed for the better: every row passes the physics gate here, whoever measured it, and a row
without status ``ok`` loses its figures, so that no page can show one. A withdrawn row is left out by name.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from bench import store
from bench.catalog import Catalog
from bench.catalog.electricity import Tariff, load_electricity
from bench.catalog.prices import PriceBook
from bench.catalog.table import read_lines
from bench.project import DataDir
from bench.schema import Row
from bench.verify.base import Context
from bench.verify.gate import FIGURES, gated
from guide.model import Counts, LeftOut, Price, Source, System, Task
from guide.scenarios import Settings, load_scenarios
from guide.systems import merge, prices_of, system_of
from guide.tasks import build_tasks

#: Rows with one of these flags keep their place in the store but are no evidence.
WITHDRAWN_FLAG = "withdrawn"
#: Imported rows that say too little: they stay in the store until somebody adds what their file lacks.
UNSTATED_FLAGS = {
    "device-not-stated": "the imported file names no device",
    "settings-not-stated": "the imported file does not say what was run",
}
WITHDRAWN_COLUMNS = ("run_id", "cell_id", "withdrawn_on", "reason")


@dataclass(frozen=True)
class Evidence:
    """What was analysed. ``rows`` are all that count, oldest first; ``rows_by_system`` the same by key.

    ``prices`` holds each system's prices as of ``as_of``. ``tasks`` are ordered by workload, model and
    label; ``left_out`` names everything that is not shown, with the reason.
    """

    rows: tuple[Row, ...] = field(repr=False)
    systems: Mapping[str, System]
    rows_by_system: Mapping[str, tuple[Row, ...]] = field(repr=False)
    tasks: tuple[Task, ...]
    prices: Mapping[str, tuple[Price, ...]]
    sources: Mapping[str, Source]
    catalog: Catalog
    book: PriceBook
    tariffs: tuple[Tariff, ...]
    settings: Settings
    counts: Counts
    left_out: tuple[LeftOut, ...]
    as_of: date | None

    def task(self, key: str) -> Task:
        """The task of that key. Raises ``KeyError``."""
        found = next((t for t in self.tasks if t.key == key), None)
        if found is None:
            raise KeyError(key)
        return found

    @cached_property
    def single_origin(self) -> frozenset[str]:
        """Workloads all of whose tasks come from one origin: this project's collector, or one source."""
        from guide.views.families import origin

        origins: dict[str, set[str]] = defaultdict(set)
        for task in self.tasks:
            origins[task.workload].add(origin(task))
        return frozenset(name for name, found in origins.items() if len(found) == 1)


def load_evidence(data: DataDir, as_of: date | None = None) -> Evidence:
    """Read a data folder and analyse it. With ``as_of``, only what was known on that day counts.

    A damaged run file is left out by name; any other fault is a ``BenchError`` naming the file.
    """
    from bench.published import load_published

    contents = store.read_store(data.runs)
    published = load_published(data)
    left_out = [
        LeftOut(
            path.relative_to(data.root).as_posix(),
            reason.removeprefix(f"{path} ").replace(f"{data.root}{os.sep}", ""),
        )
        for path, reason in contents.left_out
    ]
    return analyse(
        rows=[*contents.rows, *published.rows],
        sources=published.sources,
        catalog=Catalog.load(data.devices),
        book=PriceBook.load(data.prices),
        tariffs=load_electricity(data.electricity),
        settings=load_scenarios(data.scenarios),
        withdrawn=load_withdrawn(data.root / "withdrawn.csv"),
        left_out=left_out,
        as_of=as_of,
    )


def load_withdrawn(path: Path) -> dict[tuple[str, str | None], str]:
    """``withdrawn.csv``: (run, cell or None for the whole run) -> reason. No file means nothing is withdrawn.

    Raises ``BenchError`` naming line and column where a run or a reason is missing, or the fault of the file.
    """
    if not path.is_file():
        return {}
    return {
        (line.text("run_id", required=True), line.text("cell_id")): line.text("reason", required=True)
        for line in read_lines(path, WITHDRAWN_COLUMNS)
    }


def analyse(
    *,
    rows: Iterable[Row],
    catalog: Catalog,
    book: PriceBook,
    settings: Settings,
    sources: object = (),
    tariffs: Sequence[Tariff] = (),
    withdrawn: Mapping[tuple[str, str | None], str] | None = None,
    left_out: Iterable[LeftOut] = (),
    as_of: date | None = None,
) -> Evidence:
    """The evidence of these rows, in whatever order they come.

    The guide's date is the newest of the rows' times and of the prices' days (both are dated observations),
    never the clock; ``as_of`` overrules it and hides what came later.
    """
    known = [row for row in rows if as_of is None or row["recorded_at"].date() <= as_of]
    known.sort(key=lambda r: (r["recorded_at"], r["run_id"], r["cell_id"], r["task_key"]))
    counted, gone = _sort_out(gated(known, Context(catalog)), withdrawn or {})
    today = as_of or _newest(counted, book)
    found = [(system_of(row, catalog), row) for row in counted]
    systems = merge(system for system, _ in found)
    by_system: dict[str, list[Row]] = defaultdict(list)
    for system, row in found:
        by_system[system.key].append(row)
    described = {source.source_id: source for source in map(_source, _each(sources))}
    tasks = build_tasks(((systems[s.key], row) for s, row in found), described, settings.references)
    return Evidence(
        rows=tuple(counted),
        systems=systems,
        rows_by_system={key: tuple(by_system[key]) for key in systems},
        tasks=tasks,
        prices={k: prices_of(s, catalog, book, today) if today else () for k, s in systems.items()},
        sources=dict(sorted(described.items())),
        catalog=catalog,
        book=book,
        tariffs=tuple(tariffs),
        settings=settings,
        counts=_counts(counted, systems, tasks),
        left_out=(*left_out, *gone),
        as_of=today,
    )


def _sort_out(
    rows: Iterable[Row], withdrawn: Mapping[tuple[str, str | None], str]
) -> tuple[list[Row], list[LeftOut]]:
    counted: list[Row] = []
    gone: Counter[tuple[str, str]] = Counter()
    for row in rows:
        reason = withdrawn.get((row["run_id"], row["cell_id"])) or withdrawn.get((row["run_id"], None))
        if reason is None and WITHDRAWN_FLAG in row["flags"]:
            reason = row["status_detail"] or "withdrawn"
        if reason is not None:
            gone[row["run_id"], f"withdrawn: {reason}"] += 1
            continue
        unstated = next((why for flag, why in UNSTATED_FLAGS.items() if flag in row["flags"]), None)
        if unstated is not None:
            gone[row["run_id"], unstated] += 1
            continue
        if row["status"] != "ok":
            row = row | dict.fromkeys(FIGURES)
        if row["status"] == "impossible":
            gone[row["run_id"], "impossible figures are kept back"] += 1
        counted.append(row)
    return counted, [LeftOut(run, reason, n) for (run, reason), n in sorted(gone.items())]


def _newest(rows: Sequence[Row], book: PriceBook) -> date | None:
    days = [row["recorded_at"].date() for row in rows]
    days += [o.observed_on for o in book.observations if o.observed_on is not None]
    return max(days, default=None)


def _each(sources: object) -> Iterable[object]:
    return sources.values() if isinstance(sources, Mapping) else sources  # type: ignore[return-value]


def _source(source: object) -> Source:
    """A source as ``bench.published`` gives it, in the guide's words."""
    if isinstance(source, Source):
        return source
    text = {f.name: getattr(source, f.name, None) for f in fields(Source)}
    text |= {name: str(text[name]) for name in ("published",) if text[name] is not None}
    text["title"] = text["title"] or text["source_id"]
    text["left_out"] = tuple(text["left_out"] or ())
    return Source(**text)


def _counts(rows: Sequence[Row], systems: Mapping[str, System], tasks: Sequence[Task]) -> Counts:
    times: list[datetime] = [row["recorded_at"] for row in rows]
    origins = Counter(row["origin"] for row in rows)
    return Counts(
        rows=len(rows),
        measured_rows=origins["measured"],
        published_rows=origins["published"],
        ok_rows=sum(row["status"] == "ok" for row in rows),
        devices=len({s.device_id or s.name for s in systems.values()}),
        systems=len(systems),
        sources=len({row["source_id"] for row in rows}),
        tasks=len(tasks),
        runs=len({row["run_id"] for row in rows if row["origin"] == "measured"}),
        oldest=min(times, default=None),
        newest=max(times, default=None),
        by_status=dict(sorted(Counter(row["status"] for row in rows).items())),
    )
