"""Several cards or one machine with unified memory? Capacity, speed, gain over one, cost and rated energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guide.cost import Assumptions, host_usd
from guide.evidence import Evidence
from guide.fit import WEIGHT_BYTES, known_shape, usable_bytes
from guide.model import Price, Ratio, Result, System, Task
from guide.ratios import ratio
from guide.verdicts import ScalePoint, ScaleView


def scale_view(evidence: Evidence, given: Assumptions | None = None) -> ScaleView | None:
    """The comparison on the protocol with most multi-device systems; None when there is none.

    Systems of several devices, single devices of those kinds, and machines with unified memory are shown,
    larger memory first.
    """
    given = given or evidence.settings.given
    by_protocol: dict[str, list[Task]] = {}
    for task in evidence.tasks:
        by_protocol.setdefault(str(task.columns["protocol"]), []).append(task)
    found = [(_several(tasks), protocol) for protocol, tasks in by_protocol.items()]
    count, protocol = max(found, default=(0, ""), key=lambda pair: (pair[0], pair[1]))
    if count == 0:
        return None
    tasks = by_protocol[protocol]
    shown = _systems(tasks)
    points = tuple(_point(system, tasks, evidence, given) for system in shown)
    return ScaleView(protocol, tuple(tasks), points)


def _tried(tasks: Sequence[Task]) -> dict[str, System]:
    systems = [s.result.system for t in tasks for s in t.standings]
    systems += [r.system for t in tasks for r in t.failures]
    return {s.key: s for s in systems}


def _several(tasks: Sequence[Task]) -> int:
    return sum(s.count > 1 for s in _tried(tasks).values())


def _systems(tasks: Sequence[Task]) -> list[System]:
    tried = _tried(tasks)
    kinds = {s.device_id for s in tried.values() if s.count > 1}
    shown = [s for s in tried.values() if s.count > 1 or s.unified_memory or s.device_id in kinds]
    return sorted(shown, key=lambda s: (-(usable_bytes(s) or 0), s.key))


def _point(system: System, tasks: Sequence[Task], evidence: Evidence, given: Assumptions) -> ScalePoint:
    results = {t.key: r for t in tasks if (r := t.of(system.key)) is not None}
    price = _buy(evidence.prices.get(system.key, ()))
    ran = [(_weight_bytes(t), f"{t.model}, {t.columns['weights_dtype']}") for t in tasks if _ok(results, t)]
    out = [
        (_weight_bytes(t), f"{t.model}, {t.columns['weights_dtype']}")
        for t in tasks
        if t.key in results and results[t.key].status == "oom"
    ]
    return ScalePoint(
        system=system,
        usable_bytes=usable_bytes(system),
        largest=max(ran, default=(0, None))[1],
        failed=min(out, default=(0, None))[1],
        price=price,
        whole_machine_usd=None if price is None else price.usd + host_usd(price, system.count, given, True),
        rates={key: r for key, r in results.items() if r.ok},
        gains={t.key: _gain(system, t) for t in tasks if _ok(results, t) and system.count > 1},
        joules={
            key: system.power_w / r.rate
            for key, r in results.items()
            if r.rate and system.power_w is not None
        },
    )


def _ok(results: Mapping[str, Result], task: Task) -> bool:
    return task.key in results and results[task.key].ok


def _buy(prices: Sequence[Price]) -> Price | None:
    """The price of buying it: new, else used; the fresh one first."""
    bought = [p for p in prices if p.route in ("buy-new", "buy-used")]
    return min(bought, key=lambda p: (not p.fresh, p.route), default=None)


def _weight_bytes(task: Task) -> float:
    shape = known_shape(task.model or "")
    element = WEIGHT_BYTES.get(str(task.columns["weights_dtype"]).lower())
    return shape.weight_bytes(element) if shape and element else 0.0


def _gain(system: System, task: Task) -> Ratio | None:
    """The ratio over one device of the same kind; None when one alone has no rate."""
    one = next(
        (
            s.result
            for s in task.standings
            if s.result.system.count == 1 and s.result.system.device_id == system.device_id
        ),
        None,
    )
    many = task.of(system.key)
    return ratio(many, one) if one is not None and many is not None else None
