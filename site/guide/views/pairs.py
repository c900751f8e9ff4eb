"""Any two systems side by side: the data that the browser compares."""

from __future__ import annotations

import json

from guide import paths
from guide.charts import clean
from guide.evidence import Evidence
from guide.model import Price, Result, System, Task
from guide.show import figures
from guide.show.traces import Keys
from guide.translate.handed import Wording
from guide.views import words
from guide.views.devices import by_name, device_page
from guide.views.families import is_own, results
from guide.views.matchable import key_of

#: Where words stand in what the browser compares.
WORDING = Wording(
    frozenset({"facts", "label", "origin", "kind", "statuses", "disturbed", "seen"}),
    places={"results": -1},
)
#: Flags of rows that rest on what single people uploaded.
UPLOADS = frozenset({"median-of-uploads"})
ROUTES = {"buy-new": "new", "buy-used": "used", "rent": "rented, an hour"}


def rests_on_uploads(task: Task) -> bool:
    """Whether the task's figures are medians of what single people uploaded."""
    return any(UPLOADS & set(s.result.flags) for s in task.standings)


def rated(evidence: Evidence) -> list[System]:
    """Systems with a rate on some task, by name and count."""
    found = {s.result.system.key: s.result.system for t in evidence.tasks for s in t.standings}
    return sorted(found.values(), key=by_name)


def data(evidence: Evidence) -> bytes:
    """What ``compare.js`` reads: systems with their facts, tasks, and each system's results by task number;
    ``key`` names a task that a reader's own file can hold.

    A result is ``[rate, low, high, band low, band high, figure in words, remark]`` with ``null`` for an
    interval that is not stated, or ``[null, reason]``. Figures have six significant digits.
    """
    systems = rated(evidence)
    known = {s.key for s in systems}
    tasks = _tasks(evidence)
    by_system: dict[str, dict[str, list[object]]] = {key: {} for key in known}
    for number, task in enumerate(tasks):
        for result in results(task):
            if result.system.key in known:
                by_system[result.system.key][str(number)] = result_values(result)
    content = {
        "systems": [_system(evidence, system) for system in systems],
        "tasks": [_task(evidence, task) for task in tasks],
        "results": by_system,
    }
    return json.dumps(clean(content), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def keys(evidence: Evidence, keys: Keys) -> bytes:
    """The key of each of the same results (``guide.show.provenance``), by system and task number."""
    found: dict[str, dict[str, str]] = {system.key: {} for system in rated(evidence)}
    for number, task in enumerate(_tasks(evidence)):
        for result in results(task):
            if result.system.key in found and (key := keys.of(words.provenance(result))):
                found[result.system.key][str(number)] = key
    return json.dumps(found, sort_keys=True, separators=(",", ":")).encode()


def _tasks(evidence: Evidence) -> list[Task]:
    """Tasks with a rate, family by family; those that rest on uploads last."""
    tasks = [t for f in evidence.families for t in f.tasks if t.standings]
    tasks.sort(key=lambda t: (rests_on_uploads(t), t.workload))
    return tasks


def _system(evidence: Evidence, system: System) -> dict[str, object]:
    facts = [
        ["Memory", figures.gigabytes(system.sold_gib * figures.GIB) if system.sold_gib else "not known"],
        ["Rated power", f"{figures.number(system.power_w)} W" if system.power_w else "not known"],
        ["Released", system.released or "not known"],
    ]
    prices = evidence.prices.get(system.key, ())
    for route, name in ROUTES.items():
        price = next((p for p in prices if p.route == route), None)
        facts.append([f"Price {name}", _price(price) if price else "no price seen"])
    return {
        "key": system.key,
        "label": system.label,
        "vendor": system.vendor or "Other",
        "page": paths.address(device_page(system)),
        "facts": facts,
    }


def _price(price: Price) -> str:
    basis = {"card": "bare card", "system": "whole computer", "rental": "host included"}[price.basis]
    stale = ("" if price.fresh else ", stale") + (f", {words.ANY_SIZE}" if price.any_size else "")
    return f"{figures.usd(price.usd)} ({basis}, {words.seen_words(price)}{stale})"


def _task(evidence: Evidence, task: Task) -> dict[str, object]:
    origin = "measured here" if is_own(task) else words.source_words(task.source_ids, evidence.sources)
    told = {
        "label": task.short_label,
        "unit": task.unit or "",
        "origin": origin,
        "kind": task.kind.partition(",")[0],
    }
    key = key_of(task)
    return told | ({"key": key} if key else {})


def result_values(result: Result) -> list[object]:
    """A result as the browser reads it; see ``data``."""
    if result.rate is None or result.band is None:
        return [None, words.status_words(result)]
    interval = result.interval
    shown = words.rate_words(result.rate, result.unit)
    if interval:
        shown += f" [{words.interval_words(result)}]"
    return [
        _round(result.rate),
        _round(interval.low) if interval else None,
        _round(interval.high) if interval else None,
        _round(result.band.low),
        _round(result.band.high),
        shown,
        "; ".join(words.marks(result)),
    ]


def _round(value: float) -> float:
    return float(f"{value:.6g}")
