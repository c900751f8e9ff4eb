"""The form of the page about cost, and what its script is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from guide.decide import fit, reader
from guide.decide.scenarios import ROUTES
from guide.evidence import Evidence
from guide.model import Price, System
from guide.show.provenance import Ledger
from guide.show.tables import Provenance
from guide.show.traces import Keys
from guide.site_files import SiteFile
from guide.translate.handed import Wording
from guide.views.owning import owning_pairs, price_cell
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
from guide.views.work_costs import Work, offer_words

KEY = "cost"
#: Where words stand in what the script is given.
WORDING = Wording(CELLS | {"routes", "label", "caption", "title", "unit", "at", "assumed"})


def cost_form(
    evidence: Evidence, views: Iterable[Work], ledger: Ledger | None = None
) -> tuple[Form, SiteFile] | None:
    """The form and its file; None where nothing on the page depends on a reader's numbers."""
    keys = Keys(ledger)
    data = cost_data(evidence, views, keys)
    if not data["work"] and not data["owning"]:
        return None
    file = data_file(KEY, data)
    fits = ("What must fit in memory", model_inputs(data))
    least = ("Least speed that is usable", floor_inputs(data))
    made = form(KEY, file.path, evidence.settings.given, fits, least)
    return replace(made, records=tuple(sorted(keys.files))), file


def cost_data(evidence: Evidence, views: Iterable[Work], keys: Keys | None = None) -> dict[str, Any]:
    """What the script works from: each table's rows with their prices, and the systems in them."""
    views, pairs = list(views), owning_pairs(evidence)
    keys = keys or Keys(None)
    systems = {r.system.key: r.system for view in views for r, *_ in view.found}
    systems |= {pair.system.key: pair.system for pair in pairs}
    return {
        "kind": "cost",
        "wholeMachine": True,
        "given": asdict(evidence.settings.given),
        "limits": reader.limits(),
        "needs": [PLAIN_NEED],
        "floors": [{"label": "tokens written", "unit": "tokens/s", "least": 0.0, "because": ""}],
        "routes": ROUTES,
        "systems": {key: _system(system, evidence, keys) for key, system in sorted(systems.items())},
        "work": [_work(view, evidence, keys) for view in views],
        "owning": [
            {
                "system": pair.system.key,
                "own": _offer(pair.own) | {"cell": cell(price_cell(pair.own), keys)},
                "rent": _offer(pair.rent) | {"cell": cell(price_cell(pair.rent), keys)},
            }
            for pair in pairs
        ],
        **reader.sizes(()),
    }


def _system(system: System, evidence: Evidence, keys: Keys) -> dict[str, Any]:
    return system_words(system) | {
        "keys": {"device": keys.of(Provenance((system,)))},
        "count": system.count,
        "power": system.power_w,
        "usable": fit.usable_bytes(system),
        "runs": reader.ran(system, evidence),
    }


def _offer(price: Price) -> dict[str, Any]:
    return {"route": price.route, "price": reader.offered_price(price)}


def _work(view: Work, evidence: Evidence, keys: Keys) -> dict[str, Any]:
    rows = []
    for result, prices, _ in view.found:
        offers = {
            route: {
                "price": reader.offered_price(price),
                "at": offer_words(price),
                "key": keys.of(
                    Provenance((price, result, evidence.settings.given, result.system), "per-work")
                ),
            }
            for route, price in prices.items()
        }
        rows.append(
            {
                "system": result.system.key,
                "rate": result.rate,
                "job": result.job_s,
                "cell": cell(view.measured(result), keys),
                "offers": offers,
            }
        )
    return {
        "id": view.id,
        "job": view.is_job,
        "caption": view.table.caption,
        "head": {"title": view.head.title, "unit": view.head.unit},
        "ways": list(view.routes),
        "rows": rows,
    }
