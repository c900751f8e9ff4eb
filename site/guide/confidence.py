"""How sure an answer is, by checks that are named; and the gaps that would make it surer."""

from __future__ import annotations

from collections.abc import Sequence

from bench.catalog import CatalogDevice
from guide import commands
from guide.evidence import Evidence
from guide.figures import NBSP, percent, plural, usd
from guide.fit import Requirement, need_bytes
from guide.model import Result, Task
from guide.scenarios import ROUTES, Question, Scenario
from guide.screen import Field
from guide.tiers import INDIRECT_KINDS
from guide.verdicts import Candidate, Confidence, Flip, Gap, Grid

#: The collector's own protocol (``bench.cells``).
OWN_PROTOCOL = "hwguide"
#: A price not older than this counts as recent.
RECENT_DAYS = 90
#: A pick that wins at least this share of the plausible grid counts as robust.
ROBUST_SHARE = 0.75
#: Fewer devices in the running than this are hardly a choice.
ENOUGH_DEVICES = 3
#: One that wins less than this share is never more than a low-confidence pick.
FRAGILE_SHARE = 0.5
#: More failed checks than this make an answer's confidence low; none make it high.
MEDIUM_FAILURES = 3
#: A price that would have to fall below this share of its last known value is not worth asking for.
WORTH_ASKING = 0.7
PRICES_SHOWN = 3
#: Catalog devices without evidence that are named as gaps.
UNTESTED_SHOWN = 3


def confidence(
    ranked: Sequence[Candidate], field: Field | None, found: Grid | None, *, preferred: bool
) -> Confidence:
    """The level and the checks behind it. ``ranked``: the pick and everyone behind it; ``preferred``: the
    scenario's best question was answered."""
    if not ranked or field is None:
        return Confidence("low", (), ("nothing could be picked",))
    pick = ranked[0]
    results = [r for r in field.results(pick.system) if r is not None]
    devices = len({c.system.device_id or c.system.key for c in ranked})
    running = f"{plural(devices, 'device')} with a fresh price in the running"
    checks = [*_evidence_checks(results), *_price_checks(pick), *_grid_checks(found)]
    checks.append((devices >= ENOUGH_DEVICES, running, f"only {running}"))
    checks.append(
        (preferred, "the question is the one the reader asks", "a better question could not be answered")
    )
    failed = tuple(bad for good, _, bad in checks if not good)
    held = tuple(words for good, words, _ in checks if good)
    fragile = found is not None and found.device_share < FRAGILE_SHARE
    alone = devices == 1
    level = "low" if fragile or alone or len(failed) > MEDIUM_FAILURES else "medium" if failed else "high"
    return Confidence(level, held, failed)


def _evidence_checks(results: Sequence[Result]) -> list[tuple[bool, str, str]]:
    indirect = sorted({k for r in results for k in r.value_kinds if k in INDIRECT_KINDS})
    several = all(r.n > 1 for r in results) or len({s for r in results for s in r.source_ids}) > 1
    return [
        (
            all(r.interval is not None for r in results),
            "its figures state an interval",
            "its figures state no interval",
        ),
        (several, "several runs or sources agree on it", "one run of one source is all there is"),
        (
            all("measured" in r.origins for r in results),
            "measured by this project",
            "published elsewhere, not measured by this project",
        ),
        (not indirect, "its figures were timed in full", f"its figures are {' and '.join(indirect)}"),
    ]


def _price_checks(pick: Candidate) -> list[tuple[bool, str, str]]:
    price = pick.price
    if price is None:
        return [(False, "", "no price is known")]
    smaller = "the price may be of a machine with less memory"
    return [
        (
            price.age_days <= RECENT_DAYS,
            f"the price is at most {RECENT_DAYS} days old",
            f"the price is {price.age_days:,} days old",
        ),
        (price.n > 1, f"{price.n} offers or sources of the price", "one offer or source of the price"),
        *([(False, "", smaller)] if price.any_size else []),
    ]


def _grid_checks(found: Grid | None) -> list[tuple[bool, str, str]]:
    if found is None:
        return []
    words = f"it wins in {percent(found.device_share)} of the plausible prices and uses"
    return [(found.device_share >= ROBUST_SHARE, words, words)]


def rules() -> tuple[str, ...]:
    """How sure an answer is, as sentences for the Methodology page, from the constants."""
    return (
        "An answer is checked for: a stated interval, more than one run or source, measured by this project, "
        f"timed in full, a price of at most {RECENT_DAYS} days that buys the memory counted with, more than "
        "one offer or source of it, at least "
        f"{ENOUGH_DEVICES} devices in the running, winning at "
        f"least {percent(ROBUST_SHARE)} of the plausible grid, and answering the reader's best question.",
        f"High: every check holds. Medium: at most {MEDIUM_FAILURES} fail. Low: more fail, the pick wins "
        f"less than {percent(FRAGILE_SHARE)} of the grid, or it is the only device in the running.",
        "The grid is won by a device, however it is paid for: whether to buy or to rent it is told beside.",
    )


def gaps(
    scenario: Scenario,
    asked: Question,
    answered: Question | None,
    field: Field | None,
    candidates: Sequence[Candidate],
    flips: Sequence[Flip],
    evidence: Evidence,
) -> tuple[Gap, ...]:
    """What is not known and would matter, the most valuable first, each with the command that settles it."""
    found: list[Gap] = []
    if answered is not asked:
        found.append(
            Gap(
                f"Too few systems have been measured on: {asked.tasks[0].label}.",
                commands.measure(asked),
                f"It would answer the reader's real question: {asked.text}",
            )
        )
    found += _price_gaps(candidates, flips)
    if field is not None and answered is not None:
        found += _interval_gaps(field, candidates, answered)
        found += _untested(scenario, answered, field.main_task, evidence)
    return tuple(found)


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
        found.append(
            Gap(
                f"A fresh price of {c.system.label} ({ROUTES[c.route or 'buy-new']}).",
                commands.add_price(c.system, c.route or "buy-new"),
                f"At {bound} it would be the pick.",
            )
        )
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
