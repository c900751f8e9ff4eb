"""What moved: the answers, devices, rows and prices that changed from one publication to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from guide import paths
from guide.context import Context
from guide.pages.base import Page
from guide.publish import feed
from guide.publish.moved import Movement, Shift, route_name
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table
from guide.site_files import SiteFile
from guide.views.devices import device_page, devices

#: Publications whose tables are shown; of older ones the answers and the counts remain.
FULL = 6


@dataclass(frozen=True)
class Section:
    """One movement as the template places it. ``told`` are (anchor, changed answer, the page to link to)."""

    movement: Movement
    title: str
    told: tuple[tuple[str, Shift, str], ...]
    counted: tuple[str, ...]
    news: tuple[str, ...]
    tables: tuple[tuple[str, Table], ...]


class Changes(Page):
    title = "What moved"
    order = 85

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        found = ctx.movements
        pages = {d.key: d.path for d in devices(ctx.evidence.systems.values())}
        systems = {s.key: (s.label, device_page(s)) for s in ctx.evidence.systems.values()}
        site_url = ctx.publication.site_url
        if site_url and found:
            yield SiteFile(feed.PATH, feed.atom(found, site_url, ctx.publication.site_name))
        answered = {answer.scenario_key for answer in ctx.answers}
        yield from ctx.page(
            paths.CHANGES,
            "changes.md",
            title=self.title,
            nav=self.title,
            description="What changed in the guide since its last publication: answers and the input that "
            "changed each, new rows, devices and prices.",
            sections=[
                _section(movement, pages if number < FULL else None, systems, answered)
                for number, movement in enumerate(found)
            ],
            feed=feed.PATH if site_url and found else "",
            snapshots=len(ctx.publication.history),
        )


def _section(
    movement: Movement,
    pages: Mapping[str, str] | None,
    systems: Mapping[str, tuple[str, str]],
    answered: set[str],
) -> Section:
    tables = [] if pages is None else _tables(movement, pages, systems)
    return Section(
        movement,
        _title(movement),
        tuple((feed.anchor(movement, s), s, s.page if s.key in answered else "") for s in movement.answers),
        feed.counted(movement),
        tuple(line for line in feed.news(movement) if not line.startswith("New device")),
        tuple((title, table) for title, table in tables if table.rows),
    )


def _title(movement: Movement) -> str:
    if movement.since is None:
        return f"First publication, {figures.day(movement.as_of)}"
    if movement.published:
        return f"{figures.day(movement.since)} to {figures.day(movement.as_of)}"
    return f"Since the publication of {figures.day(movement.since)}"


def _tables(
    movement: Movement, pages: Mapping[str, str], systems: Mapping[str, tuple[str, str]]
) -> list[tuple[str, Table]]:
    return [
        ("Rows", _rows(movement, pages)),
        ("Fastest", _bests(movement)),
        ("Prices", _prices(movement, systems)),
    ]


def _rows(movement: Movement, pages: Mapping[str, str]) -> Table:
    new = {key for key, _ in movement.new_devices}
    rows = [
        {
            "device": Cell(label, link=pages.get(key, ""), sub="new device" if key in new else ""),
            "source": source,
            "rows": Cell(figures.number(change) if change < 0 else f"+{change:,}", sort=change),
        }
        for source, key, label, change in sorted(movement.rows, key=lambda r: (-r[3], r[2], r[0]))
    ]
    columns = (Column("device", "Device"), Column("source", "Source"), Column("rows", "Rows", kind="number"))
    return Table(columns, rows, "New rows, and rows that are gone", phone="cards", fold=True,
                 filterable=len(rows) > 12, unsourced="counted")  # fmt: skip


def _bests(movement: Movement) -> Table:
    columns = (Column("task", "Task"), Column("now", "Fastest now"), Column("before", "Before"))
    rows = [{"task": task, "now": now, "before": before} for task, before, now in movement.bests]
    return Table(columns, rows, "Tasks with another first tier", phone="cards", fold=True)


def _prices(movement: Movement, systems: Mapping[str, tuple[str, str]]) -> Table:
    rows = []
    for price in movement.prices:
        label, page = systems.get(price.system, (price.system, ""))
        change = price.after / price.before - 1 if price.before and price.after else None
        rows.append(
            {
                "system": Cell(label, link=page, sub=route_name(price.route)),
                "after": _usd(price.after, "no longer seen"),
                "before": _usd(price.before, "not seen"),
                "change": Blank("–")
                if change is None
                else Cell(f"{'+' if change > 0 else ''}{figures.percent(change)}", sort=change),
                "seen": Cell(figures.written_day(price.seen_on), sort=price.seen_on),
            }
        )
    columns = (
        Column("system", "Device"),
        Column("after", "Now", "USD", "number"),
        Column("before", "Before", "USD", "number"),
        Column("change", "Change", kind="number"),
        Column("seen", "Seen"),
    )
    return Table(columns, rows, "Prices that changed", phone="cards", fold=True,
                 filterable=len(rows) > 12, unsourced="moved")  # fmt: skip


def _usd(amount: float | None, reason: str) -> Cell | Blank:
    return Blank(reason) if amount is None else Cell(figures.usd(amount), sort=amount)


PAGE = Changes()
