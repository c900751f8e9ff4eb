"""Several cards or one machine with unified memory? Capacity, speed, gain over one, cost and rated energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guide.analysis.labels import weights_words
from guide.analysis.ratios import ratio
from guide.decide.cost import Assumptions, host_usd
from guide.decide.fit import WEIGHT_BYTES, known_shape, usable_bytes
from guide.decide.verdicts import ScalePoint, ScaleView
from guide.evidence import Evidence
from guide.model import Price, Ratio, Result, System, Task

#: The work that the question is about: reading and writing of language models.
QUESTION = ("prefill", "decode")


def scale_view(evidence: Evidence, given: Assumptions | None = None) -> ScaleView | None:
    """The comparison of several devices with unified memory on language models; None when there is none.

    Of the protocols that time prefill or decode the one is taken that holds most systems of both sides:
    several devices with memories of their own, and machines with unified memory (the smaller number counts,
    then their sum). Its systems of several devices, single devices of those kinds, and machines with unified
    memory are shown, larger memory first.
    """
    given = given or evidence.settings.given
    by_protocol: dict[str, list[Task]] = {}
    for task in evidence.tasks:
        if task.workload in QUESTION:
            by_protocol.setdefault(str(task.columns["protocol"]), []).append(task)
    found = {protocol: weight for protocol, tasks in by_protocol.items() if any(weight := _both_sides(tasks))}
    if not found:
        return None
    protocol = max(found, key=lambda name: (found[name], name))
    tasks = by_protocol[protocol]
    shown = _systems(tasks)
    alone = {task.key: _alone(task) for task in tasks}
    points = tuple(_point(system, tasks, alone, evidence, given) for system in shown)
    return ScaleView(protocol, tuple(tasks), points)


def _tried(tasks: Sequence[Task]) -> dict[str, System]:
    systems = [s.result.system for t in tasks for s in t.standings]
    systems += [r.system for t in tasks for r in t.failures]
    return {s.key: s for s in systems}


def _both_sides(tasks: Sequence[Task]) -> tuple[int, int]:
    """How well the tasks hold the two sides against each other; (0, 0) without several devices."""
    tried = _tried(tasks).values()
    several = sum(s.count > 1 and not s.unified_memory for s in tried)
    unified = sum(s.unified_memory for s in tried)
    return (min(several, unified), several + unified) if several else (0, 0)


def _systems(tasks: Sequence[Task]) -> list[System]:
    tried = _tried(tasks)
    kinds = {_kind(s) for s in tried.values() if s.count > 1}
    shown = [s for s in tried.values() if s.count > 1 or s.unified_memory or _kind(s) in kinds]
    return sorted(shown, key=lambda s: (-(usable_bytes(s) or 0), s.key))


def _point(
    system: System,
    tasks: Sequence[Task],
    alone: Mapping[str, Mapping[str, Result]],
    evidence: Evidence,
    given: Assumptions,
) -> ScalePoint:
    results = {t.key: r for t in tasks if (r := t.of(system.key)) is not None}
    price = _buy(evidence.prices.get(system.key, ()))
    ran = [(_weight_bytes(t), weights_words(t.columns)) for t in tasks if _ok(results, t)]
    out = [
        (_weight_bytes(t), weights_words(t.columns))
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
        gains={t.key: _gain(system, t, alone[t.key]) for t in tasks if _ok(results, t) and system.count > 1},
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


def _kind(system: System) -> str:
    """What several of one kind share: a name that the catalog does not know is a kind of its own."""
    return system.device_id or system.name


def _alone(task: Task) -> dict[str, Result]:
    """The results of single devices by their kind, of several of a kind the fastest."""
    found: dict[str, Result] = {}
    for standing in task.standings:
        if standing.result.system.count == 1:
            found.setdefault(_kind(standing.result.system), standing.result)
    return found


def _gain(system: System, task: Task, alone: Mapping[str, Result]) -> Ratio | None:
    """The ratio over one device of the same kind; None when one alone has no rate."""
    one = alone.get(_kind(system))
    many = task.of(system.key)
    return ratio(many, one) if one is not None and many is not None else None
