"""A scenario's form, and what its script is given: ``decide.reader``'s records and the words beside them that
a reader's numbers do not change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from guide.charts.theme import VENDORS
from guide.decide import reader, wording
from guide.decide.confidence import (
    ENOUGH_DEVICES,
    FRAGILE_SHARE,
    MEDIUM_FAILURES,
    ROBUST_SHARE,
    Checks,
    of_price,
    of_results,
)
from guide.decide.scenarios import Scenario
from guide.decide.screen import fallen, ways_of
from guide.decide.verdicts import Answer, Candidate
from guide.evidence import Evidence
from guide.model import System
from guide.show import figures
from guide.show.provenance import Ledger
from guide.show.tables import Provenance
from guide.show.traces import Keys
from guide.site_files import SiteFile
from guide.translate.handed import Wording
from guide.views.answers import THIN, over_cpu, reference_words, speed_words
from guide.views.devices import vendor_key
from guide.views.money import speed_on_chart
from guide.views.owning import price_cell
from guide.views.ranking import REASONS, evidence_cell, speed_cell
from guide.views.reading import (
    CELLS,
    PLAIN_NEED,
    Form,
    cell,
    data_file,
    floor_inputs,
    form,
    model_inputs,
    system_words,
)

#: Where words stand in what a scenario's script is given.
WORDING = Wording(
    CELLS
    | {"headline", "calls", "routes", "speedHeading", "over", "task", "done", "because", "label", "assumed"}
    | {"briefly", "seen", "held", "failed"},
    frozenset({"says"}),
    {"headings": 1, "reasons": 1, "labels": 0, "floors": 2},
)


def scenario_form(
    answer: Answer, scenario: Scenario, evidence: Evidence, ledger: Ledger | None = None
) -> tuple[Form, SiteFile] | None:
    """A scenario's form and its file; None where no question can be answered, or where no system has a
    price of today: no number of a reader's makes a pick then."""
    keys = Keys(ledger)
    data = scenario_data(answer, scenario, evidence, keys)
    if data is None or not any(_priced(record) for record in data["systems"]):
        return None
    file = data_file(scenario.key, data)
    fits = ("What must fit in memory", model_inputs(data))
    least = ("Least speed that is usable", floor_inputs(data))
    made = form(scenario.key, file.path, scenario.given, fits, least)
    return replace(made, records=tuple(sorted(keys.files))), file


def _priced(record: dict[str, Any]) -> bool:
    return any(offer["price"] and offer["price"]["fresh"] for offer in record.get("offers", ()))


def scenario_data(
    answer: Answer, scenario: Scenario, evidence: Evidence, keys: Keys | None = None
) -> dict[str, Any] | None:
    """What the script works from; None where no question can be answered."""
    asked = reader.ask(scenario, evidence)
    if asked is None:
        return None
    data = reader.handout(asked)
    systems = [
        record | _words(evidence.systems[record["key"]], record, answer, asked, keys or Keys(None))
        if "offers" in record
        else record
        for record in data["systems"]
    ]
    over = reference_words(answer) or "the slowest"
    done = data["unit"].removesuffix("/s")
    return data | {
        "needs": data["needs"] or [PLAIN_NEED],
        "systems": systems,
        "headings": [list(pair) for pair in REASONS.items()],
        "done": {"many": done, "one": done.removesuffix("s")},
        "speedHeading": ["Speed", f"× {over}" if over_cpu(answer) else data["unit"]],
        "over": over,
        "headline": answer.headline,
        "calls": wording.CALLS | {"thin": THIN},
        "sure": {
            "robust": ROBUST_SHARE,
            "fragile": FRAGILE_SHARE,
            "enough": ENOUGH_DEVICES,
            "most": MEDIUM_FAILURES,
            "preferred": answer.answered == answer.asked,
        },
    }


def _words(
    system: System, record: dict[str, Any], answer: Answer, asked: reader.Asked, keys: Keys
) -> dict[str, Any]:
    """What is said of a system and of each of its prices, whatever the reader's numbers."""
    field = asked.field
    told = fallen(system, ("", ""), field, None)
    contenders = ways_of(asked.scenario, field, system, asked.evidence)
    offers = []
    for offer, contender in zip(record["offers"], contenders, strict=True):
        price = contender.price
        if price is not None:
            seen = wording.price_words(replace(told, price=price))
            offer = offer | {"cell": cell(price_cell(price), keys), "seen": seen}
        offer = offer | {"checks": _checks(of_price(price))}
        offers.append(offer)
    return system_words(system) | {
        "offers": offers,
        "speedCell": cell(speed_cell(told, answer), keys),
        "evidence": cell(evidence_cell(told, answer), keys),
        "mark": _mark(told, answer),
        "checks": _checks(of_results([r for r in field.results(system) if r is not None])),
        "keys": {
            "rate": keys.of(Provenance((field.main_task.of(system.key),))),
            "device": keys.of(Provenance((system,))),
        },
        "says": wording.speed_words(told, field),
        "briefly": speed_words(told, answer),
    }


def _checks(checks: Checks) -> dict[str, Any]:
    return {"held": list(checks.held), "failed": list(checks.failed), "disturbed": checks.disturbed}


def _mark(told: Candidate, answer: Answer) -> dict[str, Any]:
    """A system's place on the chart's axis of speed, its interval where one is stated, and its vendor."""
    y, known = speed_on_chart(told, answer)
    ends = {} if known is None else {"low": known.low, "high": known.high}
    if known is not None:
        ends["interval"] = str(figures.span(known.low, known.high))
    return {"y": y, "vendor": VENDORS[vendor_key(told.system)], **ends}
