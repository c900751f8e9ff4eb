"""What a reader's own run is held against in the browser: every task that a file of theirs can be part of.

A file of ``bench collect`` names its tasks by ``task_key``; one of llama-bench says what it asked for, and
the published tables of the same test take it (``guide.views.llama_tests``). Tasks of any other source follow
a procedure that nobody's file follows, and are left out. ``assets/js/own.js`` says what is made of this.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bench.catalog import Catalog, CatalogDevice
from bench.compare import bands
from bench.measure.flags import DISTURBED
from bench.measure.gate import TOLERANCE
from bench.measure.stats import t_quantile
from bench.schema import SCHEMA_VERSION, STATUSES, TASK_FIELDS, VALUE_KINDS
from bench.verify import models, peaks
from guide import paths
from guide.charts import clean
from guide.evidence import Evidence
from guide.model import Price, System, Task
from guide.show import figures
from guide.views import llama_tests, pairs, words
from guide.views.devices import device_page
from guide.views.families import is_own, results
from guide.views.matchable import matchable
from guide.views.origins import page_of

#: Where the browser finds it; ``own.js`` has the same name.
PATH = "assets/data/own.json"
#: Degrees of freedom for which Student's quantile is given; llama-bench repeats five times unless told to.
MOST_FREEDOM = 200


def data(evidence: Evidence) -> bytes:
    """``own.json``: ``tasks`` by key with each system's result as in ``guide.views.pairs``, the ``systems``
    with their prices, the collector's ``runs`` that are in the guide, and the constants of the arithmetic."""
    builds = llama_tests.fixed_builds(evidence.rows)
    tasks = {task.key: _task(evidence, task, builds) for task in evidence.tasks if matchable(task)}
    shown = {key for task in tasks.values() for key in task["results"]}
    content = {
        "tasks": tasks,
        "systems": {key: _system(evidence, evidence.systems[key]) for key in sorted(shown)},
        "runs": sorted({row["run_id"] for row in evidence.rows if row["protocol"] == "hwguide"}),
        "fields": list(TASK_FIELDS),
        "schema": SCHEMA_VERSION,
        "statuses": STATUSES,
        "value_kinds": list(VALUE_KINDS),
        "allowances": {
            "measured": bands.MEASURED_ALLOWANCE,
            "published": bands.PUBLISHED_ALLOWANCE,
            "indirect": bands.INDIRECT_ALLOWANCE,
            "uploads": bands.UPLOADS_ALLOWANCE,
        },
        "indirect_kinds": sorted(bands.INDIRECT_KINDS),
        "disturbed": DISTURBED,
        "uploads_flag": bands.UPLOADS_FLAG,
        "tolerance": TOLERANCE,
        "ceilings": _ceilings(evidence.catalog),
        "dense": sorted(models.DENSE),
        "quantiles": [round(t_quantile(0.975, n), 9) for n in range(1, MOST_FREEDOM + 1)],
    }
    return json.dumps(clean(content), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _ceilings(catalog: Catalog) -> dict[str, Any]:
    """By each device's id the names that mean it alone, written as software prints them, and the most that
    it can do: bytes a second, FLOP/s with weights in 16 or 32 bits, and with any. The browser holds a file
    of llama-bench against them, as the importer does; a name that it does not find here is not judged."""
    names = Counter(name for device in catalog for name in _names(device))
    found = {}
    for device in catalog:
        alone = [name for name in _names(device) if names[name] == 1]
        most = (peaks.most_bytes_per_s(device), peaks.most_flops(device, "half"), peaks.most_flops(device))
        found[device.device_id] = {"names": alone, "most": most, "cpu": device.device_class == "cpu"}
    return found


def _names(device: CatalogDevice) -> list[str]:
    """Its names in lower case, each once."""
    return list(dict.fromkeys(name.casefold() for name in (device.name, *device.aliases)))


def _task(evidence: Evidence, task: Task, builds: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "label": task.short_label,
        "unit": task.unit or "",
        "kind": task.kind.partition(",")[0],
        "page": paths.address(page_of(evidence, task)),
        "origin": "measured here" if is_own(task) else words.source_words(task.source_ids, evidence.sources),
        "reference": task.reference.result.system.key if task.reference else None,
        "results": {r.system.key: pairs.result_values(r) for r in results(task)},
    }
    test = llama_tests.test_of(task, builds)
    return found | ({"llama": test} if test else {})


def _system(evidence: Evidence, system: System) -> dict[str, Any]:
    return {
        "label": system.label,
        "vendor": system.vendor or "Other",
        "page": paths.address(device_page(system)),
        "device": system.device_id,
        "count": system.count,
        "prices": [_price(price) for price in evidence.prices.get(system.key, ())],
    }


def _price(price: Price) -> dict[str, Any]:
    return {
        "route": price.route,
        "basis": price.basis,
        "usd": [price.low_usd, price.usd, price.high_usd],
        "seen": figures.day(price.observed_on),
        "fresh": price.fresh,
        "any_size": price.any_size,
    }
