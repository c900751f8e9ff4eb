"""What the answers assume, side by side for all readers, as tables for the Methodology page."""

from __future__ import annotations

from guide.decide.cost import LABELS
from guide.decide.scenarios import Scenario, Settings
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Table


def assumption_table(settings: Settings) -> Table:
    """The constants of the ownership model: the guide's, where they come from, and each reader's own."""
    sources = dict(settings.assumption_sources)
    rows = []
    for name, (label, unit) in LABELS.items():
        value = getattr(settings.given, name)
        row: dict[str, object] = {
            "what": Cell(_named(label, unit), sub=sources.get(name, "")),
            "guide": _shown(value, unit),
        }
        for scenario in settings.scenarios:
            own = getattr(scenario.given, name)
            row[_key(scenario)] = Blank("same") if own == value else _shown(own, unit)
        rows.append(row)
    return Table(
        columns=(
            Column("what", "Assumption"),
            Column("guide", "Guide", kind="number"),
            *_readers(settings.scenarios),
        ),
        rows=rows,
        caption="Constants of the ownership model",
        unsourced="own",
        caption_hidden=True,
        sortable=False,
        search=True,
    )


def grid_table(settings: Settings) -> Table:
    """The plausible values of each input, over whose combinations an answer's share is counted."""
    axes = sorted({name for s in settings.scenarios for name, _ in s.grid})
    rows = []
    for scenario in settings.scenarios:
        plausible = dict(scenario.grid)
        row: dict[str, object] = {"reader": scenario.title}
        for name in axes:
            values = plausible.get(name)
            row[f"axis-{name}"] = ", ".join(f"{v:g}" for v in values) if values else Blank("not varied")
        rows.append(row)
    named = {name: _named(*LABELS.get(name, ("price of the pick, times", ""))) for name in axes}
    return Table(
        columns=(
            Column("reader", "Reader"),
            *(Column(f"axis-{name}", named[name], kind="number") for name in axes),
        ),
        rows=rows,
        caption="Plausible values",
        caption_hidden=True,
        phone="cards",
        sortable=False,
        search=True,
        unsourced="own",
    )


def _readers(scenarios: tuple[Scenario, ...]) -> list[Column]:
    return [Column(_key(s), s.title, kind="number") for s in scenarios]


def _key(scenario: Scenario) -> str:
    return f"reader-{scenario.key}"


def _shown(value: float | None, unit: str) -> Cell | Blank:
    if value is None:
        return Blank("no bound")
    return Cell(figures.usd(value) if unit == "USD" else f"{value:g}", sort=value)


def _named(label: str, unit: str) -> str:
    """``Electricity, USD/kWh``; a unit that the label or the figures say already is not said again."""
    said = unit in ("", "h", "USD", "years")
    return f"{label[0].upper()}{label[1:]}{'' if said else f', {unit}'}"
