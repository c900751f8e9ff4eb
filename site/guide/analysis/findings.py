"""What surprises people: findings that the rows generate, each by a rule with stated thresholds.

Of each rule and workload the most telling case is kept. Rows on which no
conclusion may rest are left out. When the rows change, so do the findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from bench.measure.flags import DISTURBED
from guide import paths
from guide.analysis.labels import task_kind
from guide.analysis.ratios import ratio as ratio_of
from guide.analysis.systems import price_words
from guide.analysis.tasks import is_cpu
from guide.analysis.tiers import UNSAFE_FLAGS
from guide.decide.verdicts import Surprise
from guide.evidence import Evidence
from guide.model import Price, Result, System, Task
from guide.show.figures import day, number, percent, ratio, usd

#: ``dear-but-close``: at least this many times the price for at most this speedup.
DEARER, CLOSE = 3.0, 1.25
#: ``paper-against-practice``: at least this ratio on paper, at most this one measured.
ON_PAPER, IN_PRACTICE = 1.5, 1.1
#: ``newer-slower``: at most this rate against an older card of the same maker and class.
NEWER_SLOWER = 1.0

#: Flags of tables whose rows mix tools, years and contributors, or were read once at second hand: a surprise
#: there may be an accident.
MIXED_FLAGS = frozenset(
    {
        "median-of-uploads",
        "wall-peak-power",
        "device-family",
        "derived-per-device",
        "single-transcription",
        "median-of-configurations",
    }
)

Rule = Callable[[Task, Evidence], Iterator[Surprise]]


def surprises(evidence: Evidence) -> tuple[Surprise, ...]:
    """The findings of all rules, the most telling one of each rule and workload first.

    Pages take them from ``Evidence.surprises``, where they are looked for once.
    """
    best: dict[tuple[str, str], Surprise] = {}
    for name, rule in RULES.items():
        for task in evidence.tasks:
            for found in rule(task, evidence):
                key = (name, task.workload)
                if key not in best or _weight(found) > _weight(best[key]):
                    best[key] = found
    order = list(RULES)
    return tuple(sorted(best.values(), key=lambda s: (order.index(s.kind), -s.figure, s.task_key, s.systems)))


def _weight(found: Surprise) -> tuple[float, str, tuple[str, ...]]:
    """How far from what one expects; ties by name, so that the order of rows does not matter."""
    return found.figure, found.task_key, found.systems


#: Flags of figures on which no conclusion may rest.
_UNSOUND = UNSAFE_FLAGS | MIXED_FLAGS | set(DISTURBED)


def sound(task: Task) -> list[Result]:
    """Results on which a conclusion may rest, fastest first: what a disturbed machine gave is none."""
    return [s.result for s in task.standings if _UNSOUND.isdisjoint(s.result.flags)]


def single_pairs(results: Iterable[Result]) -> Iterator[tuple[Result, Result]]:
    """Ordered pairs of single devices that are no processors: many, where many devices have run a task."""
    single = [r for r in results if r.system.count == 1 and not is_cpu(r.system)]
    for a in single:
        for b in single:
            if a.system.key != b.system.key:
                yield a, b


def newer_slower(task: Task, evidence: Evidence) -> Iterator[Surprise]:
    """A newer device that is slower than an older one of its maker and class."""
    results = [r for r in sound(task) if r.system.released]
    peaks = {r.system.key: on_paper(r.system, evidence) for r in results}
    for new, old in single_pairs(results):
        a, b = new.system, old.system
        if (new.rate or 0) >= (old.rate or 0) or (a.released or "") <= (b.released or ""):
            continue
        if (a.vendor, a.device_class) != (b.vendor, b.device_class) or not _no_less(
            peaks[a.key], peaks[b.key]
        ):
            continue
        found = ratio_of(new, old)
        if found is None or found.verdict != "slower" or found.value >= NEWER_SLOWER:
            continue
        yield _surprise(
            "newer-slower",
            f"The newer card lost by {ratio(1 / found.value)}: {a.label} ({a.released[:4]}) against "
            f"{b.label} ({b.released[:4]}) on {task.short_label}.",
            "It has no less bandwidth and arithmetic on paper. The usual cause is software that does not use "
            f"a new card's units yet, so the date counts: published or measured {day(new.newest)}.",
            task,
            1 / found.value,
            (new, old),
        )


def no_less(a: System, b: System, evidence: Evidence) -> bool:
    """Whether ``a`` has no less bandwidth and no less arithmetic on paper."""
    return _no_less(on_paper(a, evidence), on_paper(b, evidence))


def _no_less(first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    if not first or not second or first.keys() != second.keys():
        return False
    return all(first[name] >= second[name] for name in first)


def on_paper(system: System, evidence: Evidence) -> dict[str, float]:
    """Peak figures of one device. None for a smaller bin: the catalog's figures are the largest one's."""
    device = evidence.catalog.get(system.device_id)
    if device is None or not device.bandwidth_gb_s:
        return {}
    if system.variant and not (device.compute_units and str(max(device.compute_units)) in system.variant):
        return {}
    known = {
        "bandwidth": device.bandwidth_gb_s,
        "fp32": device.fp32_tflops,
        "16-bit": device.fp16_dense_tflops,
    }
    return {name: value for name, value in known.items() if value}


def more_slower(task: Task, evidence: Evidence) -> Iterator[Surprise]:
    """Several devices that are slower together than one of them alone."""
    results = sound(task)
    alone = {r.system.device_id: r for r in results if r.system.count == 1 and r.system.device_id}
    for many in results:
        one = alone.get(many.system.device_id)
        if many.system.count == 1 or one is None:
            continue
        found = ratio_of(many, one)
        if found is None or found.verdict != "slower":
            continue
        yield _surprise(
            "more-slower",
            f"{many.system.count} cards slower than one: {many.system.label} reach "
            f"{number(many.rate or 0)} {task.unit}, one reaches {number(one.rate or 0)} "
            f"({percent(1 / found.value - 1)} more) on {task.short_label}.",
            _sharing_words(task, many),
            task,
            # The more cards, the more it surprises; among equals the larger loss.
            many.system.count + (1 - found.value),
            (many, one),
        )


def _sharing_words(task: Task, many: Result) -> str:
    """Why more cards may lose. Only what is true of each procedure: llama.cpp's split by layers is known."""
    engines = {row["engine"] for row in many.rows}
    if task.workload == "decode" and engines == {"llama.cpp"}:
        return (
            "One card can hold the model: with its layers spread over several each token passes through the "
            "cards in turn, and handing it on takes time."
        )
    return "One card can do this work alone: handing parts of it between cards cost more than sharing saved."


def dear_but_close(task: Task, evidence: Evidence) -> Iterator[Surprise]:
    """A device at several times the price of another that is hardly faster."""
    results = sound(task)
    prices = {r.system.key: price for r in results if (price := _buy(r.system, evidence))}
    for dear, cheap in single_pairs(r for r in results if r.system.key in prices):
        high, low = prices[dear.system.key], prices[cheap.system.key]
        if high.basis != low.basis or high.usd < DEARER * low.usd:
            continue
        found = ratio_of(dear, cheap)
        if found is None or found.verdict != "faster" or found.value > CLOSE:
            continue
        times = high.usd / low.usd
        yield _surprise(
            "dear-but-close",
            f"{ratio(times)} the price, {percent(found.value - 1)} faster: {dear.system.label} "
            f"({usd(high.usd)} in {high.observed_on.year}) against {cheap.system.label} "
            f"({usd(low.usd)} in {low.observed_on.year}) on {task.short_label}.",
            f"{_kind_words(task)} Prices: {price_words(high)}; {price_words(low)}.",
            task,
            times / found.value,
            (dear, cheap),
        )


def _buy(system: System, evidence: Evidence) -> Price | None:
    return next((p for p in evidence.prices.get(system.key, ()) if p.route == "buy-new"), None)


def _kind_words(task: Task) -> str:
    if task.workload != "prefill" and "one stream" in task_kind(task.columns):
        return "The usual cause: one sequence at a time measures the launching of work as much as the card."
    return "The usual cause: little work at once leaves most of a large card idle."


def paper_against_practice(task: Task, evidence: Evidence) -> Iterator[Surprise]:
    """Much more bandwidth on paper, and yet tied or hardly faster: the widest case of the task."""
    if task.workload != "decode":
        return
    results = sound(task)
    peaks = {r.system.key: peak for r in results if (peak := on_paper(r.system, evidence).get("bandwidth"))}
    cases = []
    for strong, weak in single_pairs(r for r in results if r.system.key in peaks):
        paper = peaks[strong.system.key] / peaks[weak.system.key]
        practice = (strong.rate or 0) / (weak.rate or 1)
        # Makers differ in their engines' backends: across them the software would be compared.
        if paper >= ON_PAPER and practice <= IN_PRACTICE and strong.system.vendor == weak.system.vendor:
            cases.append((paper / practice, strong.system.key, weak.system.key, paper, practice))
    if cases:
        figure, a, b, paper, practice = max(cases)
        strong, weak = task.rated[a].result, task.rated[b].result
        yield _surprise(
            "paper-against-practice",
            f"{ratio(paper)} the bandwidth on paper, {ratio(practice)} in practice: {strong.system.label} "
            f"against {weak.system.label} on {task.short_label}.",
            "Writing tokens is bound by memory bandwidth only while nothing else takes longer, such as "
            "launches and the rest of the engine.",
            task,
            figure,
            (strong, weak),
        )


def capacity_wins(task: Task, evidence: Evidence) -> Iterator[Surprise]:
    """One machine with unified memory runs what several cards together cannot hold."""
    runs = [r for r in sound(task) if r.system.unified_memory and r.system.count == 1]
    fails = [r for r in task.failures if r.status == "oom" and r.system.count > 1]
    for one in runs:
        for many in fails:
            yield _surprise(
                "capacity-wins",
                f"{one.system.label} runs what {many.system.label} cannot hold: {task.short_label}, at "
                f"{number(one.rate or 0)} {task.unit}.",
                "How much memory there is decides what runs at all, whatever its speed.",
                task,
                float(many.system.count),
                (one, many),
            )


def _surprise(
    kind: str, sentence: str, why: str, task: Task, figure: float, results: tuple[Result, ...]
) -> Surprise:
    return Surprise(
        kind=kind,
        sentence=sentence,
        why=why,
        task_key=task.key,
        figure=figure,
        systems=tuple(r.system.key for r in results),
        rows=tuple(row for r in results for row in r.rows),
    )


#: Rule name -> rule, in the order in which findings are shown.
RULES: dict[str, Rule] = {
    "newer-slower": newer_slower,
    "dear-but-close": dear_but_close,
    "more-slower": more_slower,
    "capacity-wins": capacity_wins,
    "paper-against-practice": paper_against_practice,
}


#: Rule name -> the page that explains such findings.
EXPLAINED: dict[str, str] = {
    "newer-slower": paths.WHY_NEWER,
    "dear-but-close": paths.WHY_CLOSE,
    "more-slower": paths.WHY_SEVERAL,
    "capacity-wins": paths.WHY_APPLE,
    "paper-against-practice": paths.WHY_CLOSE,
}


def rules() -> tuple[str, ...]:
    """The thresholds as sentences for the Methodology page."""
    return (
        f"Dear but close: at least {DEARER:g} times the price for at most {CLOSE:g} times the speed, and not "
        "tied.",
        "Newer but slower: same maker and class, no less bandwidth and arithmetic on paper, slower beyond a "
        "tie.",
        "More but slower: several devices together slower than one of them, beyond a tie.",
        f"Paper against practice: at least {ON_PAPER:g} times the bandwidth, at most {IN_PRACTICE:g} times "
        "the rate of writing tokens.",
        "Capacity: one unified-memory machine ran a task on which several cards together ran out of memory.",
    )
