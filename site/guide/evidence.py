"""Everything the guide knows, read once and put in order: rows, systems, tasks, prices, sources.

``analyse`` is a pure function of its arguments; ``load_evidence`` reads them from a data folder.
Rows are never changed for the better: every row passes the physics gate here, whoever measured it, and a row
without status ``ok`` loses its figures, so that no page can show one. A withdrawn row is left out by name.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from bench import store
from bench.catalog import Catalog
from bench.catalog.electricity import Tariff, load_electricity
from bench.catalog.prices import PriceBook
from bench.newest import KEPT, Newest, known_by, read_newest
from bench.project import DataDir
from bench.schema import Row
from bench.verify.base import Context
from bench.verify.gate import gated
from bench.withdrawn import load_withdrawn, withdrawn_because
from guide.analysis.counted import of_one_unit, sort_out
from guide.analysis.later import later_rows, not_later, prices_by
from guide.analysis.systems import merge, prices_of, system_of, with_systems
from guide.analysis.tasks import build_tasks
from guide.decide.advice import Advice, load_advice
from guide.decide.scenarios import Settings, load_scenarios
from guide.decide.verdicts import Surprise
from guide.model import Counts, LeftOut, Price, Source, System, Task

if TYPE_CHECKING:
    from guide.views.families import Family


@dataclass(frozen=True)
class Evidence:
    """What was analysed. ``rows`` are all that count, oldest first; ``rows_by_system`` the same by key.

    ``prices`` holds each system's prices as of ``as_of``. ``tasks`` are ordered by workload, model and
    label; ``left_out`` names everything that is not shown, with the reason. ``advice`` is what others have
    advised the guide's readers, to be held against the answers of its day.
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
    advice: tuple[Advice, ...] = ()

    def known_by(self, day: date) -> Evidence:
        """What was known at the end of that day: rows recorded, prices seen and devices out by then.

        The same as loading the data with ``as_of``, but nothing is read or judged again. What was withdrawn
        since stays out (and tasks do not name it), and the settings are today's.
        """
        return _in_order(
            [row for row in self.rows if row["recorded_at"].date() <= day],
            catalog=self.catalog,
            book=self.book,
            settings=self.settings,
            sources=self.sources,
            tariffs=self.tariffs,
            left_out=(),
            advice=self.advice,
            as_of=day,
        )

    def task(self, key: str) -> Task:
        """The task of that key. Raises ``KeyError``."""
        found = next((t for t in self.tasks if t.key == key), None)
        if found is None:
            raise KeyError(key)
        return found

    @cached_property
    def tasks_of(self) -> Mapping[str, tuple[Task, ...]]:
        """System key -> the tasks that it has tried, with or without a rate, in order."""
        tried: dict[str, list[Task]] = defaultdict(list)
        for task in self.tasks:
            for key in dict.fromkeys((*task.rated, *task.failed)):
                tried[key].append(task)
        return {key: tuple(tasks) for key, tasks in tried.items()}

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The families of all tasks (``views.families``), those with most systems first."""
        from guide.views.families import families

        return families(self.tasks)

    @cached_property
    def single_origin(self) -> frozenset[str]:
        """Workloads all of whose tasks come from one origin: this project's collector, or one source."""
        from guide.views.families import origin

        origins: dict[str, set[str]] = defaultdict(set)
        for task in self.tasks:
            origins[task.workload].add(origin(task))
        return frozenset(name for name, found in origins.items() if len(found) == 1)

    @cached_property
    def surprises(self) -> tuple[Surprise, ...]:
        """What surprises people (``analysis.findings``); several pages tell some of it."""
        from guide.analysis.findings import surprises

        return surprises(self)


def load_evidence(data: DataDir, as_of: date | None = None, latest: date | None = None) -> Evidence:
    """Read a data folder and analyse it. With ``as_of``, only what was known on that day counts.

    Rows and prices of days after ``latest`` are left out by name, so that one wrong clock does not move the
    guide's own day; who builds a guide says what day it is (``bench.times``).

    A damaged run file is left out by name; any other fault is a ``BenchError`` naming the file.
    """
    from bench.published import load_published

    withdrawn = load_withdrawn(data.withdrawn)
    # What was newest on an earlier day is not what is newest now: then the whole store is read.
    if as_of:
        chosen = known_by(Newest(store.read_store(data.runs)), latest)
    else:
        chosen = read_newest(data.runs, withdrawn, latest=latest)
    contents = chosen.contents
    published = load_published(data)
    left_out = [
        LeftOut(
            path.relative_to(data.root).as_posix(),
            reason.removeprefix(f"{path} ").replace(f"{data.root}{os.sep}", ""),
        )
        for path, reason in contents.left_out
    ]
    if chosen.older:
        reason = f"the newest {KEPT} of the same task, machine and software count, undisturbed ones first"
        left_out.append(LeftOut("older records", reason, chosen.older))
    said, later_said = not_later(published.rows, latest)
    book, later_prices = prices_by(PriceBook.load(data.prices), data.prices.name, latest)
    left_out += [*later_rows({**chosen.later, **later_said}), *later_prices]
    catalog, settings = Catalog.load(data.devices), load_scenarios(data.scenarios)
    return analyse(
        rows=[*contents.rows, *said],
        sources=published.sources,
        catalog=catalog,
        book=book,
        tariffs=load_electricity(data.electricity),
        settings=settings,
        withdrawn=withdrawn,
        left_out=left_out,
        advice=load_advice(data.root / "advice.toml", catalog.devices, [s.key for s in settings.scenarios]),
        as_of=as_of,
    )


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
    advice: Sequence[Advice] = (),
    as_of: date | None = None,
) -> Evidence:
    """The evidence of these rows, in whatever order they come.

    The guide's date is the newest of the rows' times and of the prices' days (both are dated observations),
    never the clock; ``as_of`` overrules it and hides what came later.
    """
    known = [row for row in rows if as_of is None or row["recorded_at"].date() <= as_of]
    known.sort(key=lambda r: (r["recorded_at"], r["run_id"], r["cell_id"], r["task_key"]))
    counted, gone = sort_out(gated(known, Context(catalog)), withdrawn or {})
    counted, apart = of_one_unit(counted)
    cells = {
        (row["task_key"], system_of(row, catalog).key)
        for row in known
        if withdrawn_because(row, withdrawn or {}) is not None
    }
    found = _in_order(
        counted,
        catalog=catalog,
        book=book,
        settings=settings,
        sources={source.source_id: source for source in map(_source, _each(sources))},
        tariffs=tariffs,
        left_out=(*left_out, *gone, *apart),
        advice=advice,
        as_of=as_of,
    )
    return replace(found, tasks=tuple(_without(task, cells) for task in found.tasks)) if cells else found


def _without(task: Task, cells: set[tuple[str, str]]) -> Task:
    """The task, which knows the systems of which nothing is left because their rows have been withdrawn."""
    gone = (system for key, system in cells if key == task.key and task.of(system) is None)
    return replace(task, withdrawn=frozenset(gone))


def _in_order(
    counted: Sequence[Row],
    *,
    catalog: Catalog,
    book: PriceBook,
    settings: Settings,
    sources: Mapping[str, Source],
    tariffs: Sequence[Tariff],
    left_out: Iterable[LeftOut],
    advice: Sequence[Advice],
    as_of: date | None,
) -> Evidence:
    """The evidence of rows that count, oldest first. With ``as_of``, what came later than that day is not
    in the catalog and the prices either."""
    if as_of is not None:
        catalog = _out_by(catalog, as_of, {row["device_id"] for row in counted})
        book = PriceBook(o for o in book.observations if o.observed_on is None or o.observed_on <= as_of)
    today = as_of or _newest(counted, book)
    found = list(with_systems(counted, catalog))
    systems = merge(system for system, _ in found)
    by_system: dict[str, list[Row]] = defaultdict(list)
    for system, row in found:
        by_system[system.key].append(row)
    tasks = build_tasks(((systems[s.key], row) for s, row in found), sources, settings.references)
    return Evidence(
        rows=tuple(counted),
        systems=systems,
        rows_by_system={key: tuple(by_system[key]) for key in systems},
        tasks=tasks,
        prices={k: prices_of(s, catalog, book, today) if today else () for k, s in systems.items()},
        sources=dict(sorted(sources.items())),
        catalog=catalog,
        book=book,
        tariffs=tuple(tariffs),
        settings=settings,
        counts=_counts(counted, systems, tasks),
        left_out=tuple(left_out),
        as_of=today,
        advice=tuple(advice),
    )


def _out_by(catalog: Catalog, day: date, seen: set[str | None]) -> Catalog:
    """The devices that were out on a day, as far as their dates are known, or of which rows were (``seen``).

    A date of a year or a month alone counts from its beginning.
    """
    text = day.isoformat()
    return Catalog(
        {
            device.device_id: device
            for device in catalog
            if device.released is None
            or device.released <= text[: len(device.released)]
            or device.device_id in seen
        }
    )


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
