"""Scenarios: a page a reader, with the answer, what it assumes, who else was in the running, what would
change it, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from guide import paths
from guide.context import Context
from guide.decide.cost import LABELS, Assumptions
from guide.decide.scenarios import Scenario
from guide.decide.verdicts import Answer
from guide.evidence import Evidence
from guide.model import Task
from guide.pages.base import Page
from guide.recommend import FLIPS_SHOWN
from guide.show import figures
from guide.site_files import SiteFile
from guide.views.answers import call_words, own_speed, question, reference_words, ways
from guide.views.answers import origin as answer_origin
from guide.views.money import money_chart, winner_map, winners
from guide.views.origins import page_of
from guide.views.owning import own_or_rent
from guide.views.ranking import fallen_groups, ranking_table
from guide.views.reading_scenario import WORDING, scenario_form
from guide.views.told import (
    fallen_sentences,
    gap_sentences,
    none_sentence,
    told,
    told_card,
    way_sentences,
)


@dataclass(frozen=True)
class Input:
    """One assumption: ``key`` is its field in ``Assumptions``, ``value`` its number as text."""

    key: str
    label: str
    value: str
    shown: str
    source: str


class Scenarios(Page):
    title = "Answers"
    order = 10
    section = "Answers"

    def render(self, ctx: Context) -> Iterable[SiteFile]:
        scenarios = {s.key: s for s in ctx.evidence.settings.scenarios}
        yield from ctx.page(
            paths.SCENARIOS,
            "scenarios.md",
            title="Answers for each reader",
            nav="All readers",
            description="Which hardware to choose, worked out by one rule for each kind of reader from the "
            "same evidence and prices.",
            cards=[told_card(a, scenarios[a.scenario_key]) for a in ctx.answers],
            readers=[(scenarios[a.scenario_key], a) for a in ctx.answers],
        )
        for answer in ctx.answers:
            yield from self._one(ctx, answer, scenarios[answer.scenario_key])

    def _one(self, ctx: Context, answer: Answer, scenario: Scenario) -> Iterable[SiteFile]:
        found = answer.grid
        asked = question(answer, scenario)
        ranked = any(c.place for c in answer.candidates)
        form, file = scenario_form(answer, scenario, ctx.evidence, ctx.ledger) or ("", None)
        if file:
            yield from ctx.handed(file, WORDING)
        yield from ctx.page(
            paths.scenario(answer.scenario_key),
            "scenario.md",
            title=answer.title,
            nav=answer.title,
            description=f"{answer.title}: the answer with its price and date, everyone in the running, what "
            "would change it, and what it rests on.",
            hide=("toc",),
            answer=answer,
            called=call_words(answer),
            origin=answer_origin(answer, scenario) or "",
            reference=reference_words(answer),
            form=form,
            owning=own_or_rent(answer, scenario) or "",
            rentable="rent" in scenario.routes,
            inputs=inputs(scenario, ctx.evidence),
            needs=[need.label for need in asked.must_fit],
            floors=[
                f"at least {floor.min_rate:g} {answer.tasks[0].unit if answer.tasks else ''} on {floor.label}"
                + (f" ({floor.because})" if floor.because else "")
                for floor in asked.floors
            ],
            ways=ways(answer, scenario),
            told=told(answer, scenario),
            said=way_sentences,
            nothing=none_sentence,
            gaps=gap_sentences(answer, ctx.evidence, ctx.catalog_prices, scenario.given),
            given=scenario.given,
            why=fallen_sentences(answer, ctx.evidence, scenario.given),
            ranking=replace(ranking_table(answer, scenario.given), own=own_speed(answer, scenario))
            if ranked
            else "",
            fallen=fallen_groups(answer),
            picture=money_chart(answer, scenario) or "",
            flips_shown=FLIPS_SHOWN,
            winners=winners(found) if found else (),
            winner_map=(winner_map(found) if found else None) or "",
            sources=_sources(answer, ctx.evidence),
            spans=[_span(ctx.evidence, task) for task in answer.tasks],
        )


def inputs(scenario: Scenario, evidence: Evidence) -> list[Input]:
    """The scenario's assumptions in the order of ``LABELS``; the budget is left out where there is none."""
    settings, given = evidence.settings, scenario.given
    told = dict(settings.assumption_sources)
    names = {f.name for f in fields(Assumptions)}
    found = []
    for key, (label, unit) in LABELS.items():
        value = getattr(given, key)
        if key not in names or value is None:
            continue
        own = value != getattr(settings.given, key)
        shown = figures.usd(value) if unit == "USD" else f"{value:g} {unit}".strip()
        source = "set for this reader" if own else told.get(key, "the guide's own choice")
        found.append(Input(key, f"{label[0].upper()}{label[1:]}", f"{value:g}", shown, source))
    return found


def _sources(answer: Answer, evidence: Evidence) -> list[tuple[str, str, str]]:
    """(sentence, address, licence) of each source; the address may be empty."""
    ids = sorted({s for task in answer.tasks for s in task.source_ids})
    found = []
    for source_id, sentence in zip(ids, answer.rests_on, strict=True):
        source = evidence.sources.get(source_id)
        found.append(
            (sentence, (source.url if source else "") or "", (source.licence if source else "") or "")
        )
    return found


def _span(evidence: Evidence, task: Task) -> tuple[str, str, str, str]:
    """(task, the page that shows it, number of rows, days of its oldest and newest row)."""
    rows = [row for standing in task.standings for row in standing.result.rows]
    days = sorted(row["recorded_at"] for row in rows)
    first, last = figures.day(days[0]), figures.day(days[-1])
    between = first if first == last else f"{first} to {last}"
    return task.short_label, page_of(evidence, task), figures.plural(len(rows), "row"), between


PAGE = Scenarios()
