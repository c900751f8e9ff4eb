"""What is not known and would matter, each with the one command that would settle it."""

from __future__ import annotations

from collections.abc import Sequence

from bench.catalog import CatalogDevice
from guide.decide.field import Field
from guide.decide.fit import Requirement, need_bytes
from guide.decide.flips import MOST_USD
from guide.decide.scenarios import ROUTES, Question, Scenario
from guide.decide.verdicts import Candidate, Flip, Gap
from guide.evidence import Evidence
from guide.model import Task
from guide.show import commands
from guide.show.figures import NBSP, plural, usd

#: The collector's own protocol (``bench.cells``).
OWN_PROTOCOL = "hwguide"
#: A price that would have to fall below this share of its last known value is not worth asking for.
WORTH_ASKING = 0.7
PRICES_SHOWN = 3
#: Catalog devices without evidence that are named as gaps.
UNTESTED_SHOWN = 3


def gaps(
    scenario: Scenario,
    asked: Question,
    answered: Question | None,
    field: Field | None,
    candidates: Sequence[Candidate],
    flips: Sequence[Flip],
    leader: Candidate | None,
    evidence: Evidence,
) -> tuple[Gap, ...]:
    """What is not known and would matter, the most valuable first. ``leader``: who would be picked if prices
    that are too old still held, where nothing can be."""
    found: list[Gap] = []
    if answered is not asked:
        found.append(
            Gap(
                f"Too few systems have been measured on: {asked.tasks[0].label}.",
                commands.measure(asked),
                f"It would answer the reader's real question: {asked.text}",
            )
        )
    if answered is not None and not any(c.place for c in candidates):
        found += _pickless_gaps(candidates, leader)
    found += _price_gaps(candidates, flips)
    if field is not None and answered is not None:
        found += _interval_gaps(field, candidates, answered)
        found += _untested(scenario, answered, field.main_task, evidence)
    return tuple(found)


def _pickless_gaps(candidates: Sequence[Candidate], leader: Candidate | None) -> list[Gap]:
    """The prices without which nothing can be picked: the leader's, else of the fastest that have none."""
    if leader is not None:
        worth = "At its last known price it would be the pick."
        return [_price_gap(leader, worth)]
    unpriced = [c for c in candidates if c.reason_code in ("price-missing", "price-stale") and c.speed]
    seen: dict[tuple[str, int], Candidate] = {}
    for c in sorted(unpriced, key=lambda c: (-(c.speed.value if c.speed else 0), c.system.key)):
        seen.setdefault((c.system.device_id or c.system.key, c.system.count), c)
    worth = "It fits and is fast enough; without a price it cannot be weighed."
    return [_price_gap(c, worth) for c in list(seen.values())[:PRICES_SHOWN]]


def _price_gap(candidate: Candidate, worth: str) -> Gap:
    route = candidate.route or "buy-new"
    what = f"A fresh price of {candidate.system.label} ({ROUTES[route]})."
    return Gap(what, commands.add_price(candidate.system, route), worth, f"{candidate.system.key}:{route}")


def _price_gaps(candidates: Sequence[Candidate], flips: Sequence[Flip]) -> list[Gap]:
    """Candidates that only a price that is missing or too old keeps from winning."""
    winning = {flip.input: flip for flip in flips}
    found = []
    for c in candidates:
        flip = winning.get(f"price:{c.system.key}:{c.route}")
        if c.reason_code not in ("price-missing", "price-stale") or flip is None:
            continue
        if flip.now and flip.at < flip.now * WORTH_ASKING:
            continue
        bound = f"{usd(flip.at)} or less" if flip.at < flip.now or not flip.now else usd(flip.at)
        bound = "any price" if flip.at >= MOST_USD else bound
        found.append(_price_gap(c, f"At {bound} it would be the pick."))
    return found[:PRICES_SHOWN]


def _interval_gaps(field: Field, candidates: Sequence[Candidate], question: Question) -> list[Gap]:
    if not candidates or candidates[0].place != 1 or field.interval_known(candidates[0].system):
        return []
    name = candidates[0].system.label
    return [
        Gap(
            f"An interval for {name}: its figures state none.",
            commands.measure(question),
            f"Whether {name} really leads, or is tied with the next, could then be told.",
        )
    ]


def _untested(scenario: Scenario, question: Question, task: Task, evidence: Evidence) -> list[Gap]:
    """Devices of the catalog that would come into question, are priced, and have no row on the task.

    Ordered by what limits the task: bandwidth for decode, else 16-bit arithmetic. This is a reason to
    measure them, never a ranking.
    """
    tested = {s.device_id for s in evidence.systems.values() if task.of(s.key) is not None}
    wanted = [d for d in evidence.catalog if _would_do(d, scenario, question) and d.device_id not in tested]
    decode = task.workload == "decode"
    known = [(d.bandwidth_gb_s if decode else d.fp16_dense_tflops, d) for d in wanted]
    ranked = sorted(((v, d) for v, d in known if v), key=lambda pair: (-pair[0], pair[1].device_id))
    unit = "GB/s of memory bandwidth" if decode else "TFLOP/s in 16 bits"
    worth = "It comes into question by its memory and price."
    if task.columns["protocol"] != OWN_PROTOCOL:
        worth += (
            " A published table stays as it was published: a comparison with this device needs "
            f"{plural(question.min_systems, 'system')} measured in one way."
        )
    found = []
    for value, device in ranked:
        offered = _offers(device, scenario, evidence)
        if offered:
            found.append(
                Gap(
                    f"{device.name} ({value:,.0f}{NBSP}{unit}, {offered}) has not been measured on this.",
                    commands.measure(question),
                    worth,
                    device.device_id,
                )
            )
        if len(found) == UNTESTED_SHOWN:
            break
    return found


def _would_do(device: CatalogDevice, scenario: Scenario, question: Question) -> bool:
    if device.generic or (scenario.classes and device.device_class not in scenario.classes):
        return False
    if scenario.max_power_w is not None and (device.tdp_w or float("inf")) > scenario.max_power_w:
        return False
    needs = [need_bytes(Requirement(n.model, n.dtype, n.context, n.batch)) for n in question.must_fit]
    return device.memory_bytes is not None and all(n is None or n < device.memory_bytes * 0.9 for n in needs)


def _offers(device: CatalogDevice, scenario: Scenario, evidence: Evidence) -> str:
    """The fresh price that is inside the budget, in words; empty when there is none."""
    if evidence.as_of is None:
        return ""
    given = scenario.given
    hours = given.hours_per_day * 365 * given.years
    for kinds, factor, unit in (
        (("new",), 1.0, ""),
        (("system",), 1.0, ""),
        (("rent-on-demand",), hours, "/h"),
    ):
        if (unit and "rent" not in scenario.routes) or (not unit and "buy-new" not in scenario.routes):
            continue
        quote = evidence.book.quote(device.device_id, kinds=kinds, as_of=evidence.as_of)
        if quote is None or quote.stale:
            continue
        if given.budget_usd is None or quote.median_usd * factor <= given.budget_usd:
            return f"{usd(quote.median_usd)}{unit}"
    return ""
