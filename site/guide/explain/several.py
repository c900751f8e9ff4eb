"""Why six cards can be slower than one: what several devices gain, by how the work is split among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from guide import paths
from guide.analysis.findings import sound
from guide.analysis.labels import SERVING, WORDS, is_one_stream
from guide.analysis.ratios import ratio
from guide.analysis.scaleview import scale_view
from guide.decide.verdicts import Surprise
from guide.evidence import Evidence
from guide.explain.claims import Claim, Num, Section, Topic, claim, of_surprise, ratio_of, unknown
from guide.model import Ratio, Result, Task
from guide.show import commands, figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import scaling, words
from guide.views.devices import device_key
from guide.views.families import is_own
from guide.views.origins import page_of

#: Cases below this many say little of a kind of work.
FEW = 3
#: A gain of more than this times the number of devices comes from something else than their number.
BEYOND = 1.25


@dataclass(frozen=True)
class Gain:
    """Several devices over one of them on an equal task."""

    task: Task
    many: Result
    one: Result
    found: Ratio

    @property
    def share(self) -> float:
        """The part of a perfect gain that was reached."""
        return self.found.value / self.many.system.count


@dataclass(frozen=True)
class Kind:
    """One origin's cases of one kind of work."""

    label: str
    origin: str
    page: str
    gains: tuple[Gain, ...]

    @cached_property
    def middle(self) -> float:
        """The median part of a perfect gain."""
        return median(g.share for g in self.gains)

    def count(self, verdict: str) -> int:
        """How many came to that verdict."""
        return sum(g.found.verdict == verdict for g in self.gains)


def kinds(evidence: Evidence) -> list[Kind]:
    """The cases of every origin and kind of work, those that gain least first."""
    found: dict[tuple[str, str], list[Gain]] = {}
    for task in evidence.tasks:
        for gain in gains(task):
            found.setdefault((task.source_ids[0], _kind(task)), []).append(gain)
    made = [
        Kind(label, _origin(members[0].task, evidence), page_of(evidence, members[0].task), tuple(members))
        for (_, label), members in sorted(found.items())
    ]
    return sorted(made, key=lambda k: (k.middle, k.label, k.origin))


def gains(task: Task) -> list[Gain]:
    """Every system of several devices over one of the same kind, both with a sound rate.

    Where several gain more than ``BEYOND`` times their number, the two differ in more than that (in what was
    submitted by whom, say), and nothing follows.
    """
    results = sound(task)
    alone = {device_key(r.system): r for r in results if r.system.count == 1}
    found = []
    for many in results:
        one = alone.get(device_key(many.system))
        if many.system.count == 1 or one is None or (result := ratio(many, one)) is None:
            continue
        if result.value <= BEYOND * many.system.count:
            found.append(Gain(task, many, one, result))
    return found


def _kind(task: Task) -> str:
    """``decode, one stream``, ``argonne-inference, batched``, ``mlperf-training``."""
    words_for = WORDS.get(task.workload, task.workload)
    if task.workload in SERVING or task.columns["batch"]:
        return f"{words_for}, {'one stream' if is_one_stream(task.columns) else 'batched'}"
    return words_for


def _origin(task: Task, evidence: Evidence) -> str:
    return "measured here" if is_own(task) else words.source_words(task.source_ids[:1], evidence.sources)


def topic(evidence: Evidence) -> Topic:
    """The page's content."""
    found = kinds(evidence)
    lost = [s for s in evidence.surprises if s.kind == "more-slower"]
    sections = [_why(evidence), _by_kind(found)]
    return Topic(
        key="several",
        path=paths.WHY_SEVERAL,
        nav="Several slower than one",
        title=_title(lost),
        description="What several devices gain over one of them, by kind of work: why one stream may gain "
        "nothing and batched work much.",
        answer=_answer(found, lost, evidence),
        sections=[s for s in sections if s is not None],
        facts=_facts(found),
    )


def _facts(found: Sequence[Kind]) -> list[tuple[str, str]]:
    """How often several lose, and what each kind of work reaches of a perfect gain."""
    every = [g for kind in found for g in kind.gains]
    if not every:
        return []
    slower = sum(g.found.verdict == "slower" for g in every)
    told = [("Several slower than one", f"{slower} of {figures.plural(len(every), 'case')}")]
    return told + [(f"Of a perfect gain: {kind.label}", figures.percent(kind.middle)) for kind in found]


def _title(lost: Sequence[Surprise]) -> str:
    """With the number of cards of the first case."""
    if not lost:
        return "Can several cards be slower than one?"
    count = next((row["device_count"] for row in lost[0].rows if row["device_count"] > 1), "several")
    return f"Why can {count} cards be slower than one?"


def _answer(found: Sequence[Kind], lost: Sequence[Surprise], evidence: Evidence) -> Claim:
    every = [g for kind in found for g in kind.gains]
    if not every:
        return unknown(
            "We do not know yet: no row of the store comes from several devices beside one of them."
        )
    if not lost:
        least = min(every, key=lambda g: (g.found.value, g.task.key, g.many.system.key))
        return claim(
            "It does not happen in the store’s rows: in {n} of several devices beside one of them, none is "
            "slower than one; the least gain is {gain} ({system}, {task}).",
            n=figures.plural(len(every), "case"), system=least.many.system.label,
            gain=ratio_of(least.found, least.many, least.one, "gain"),
            task=least.task.short_label,
        )  # fmt: skip
    first = of_surprise(lost[0], evidence)
    slower = sum(g.found.verdict == "slower" for g in every)
    cases = figures.plural(len(every), "case")
    rest = f" Of {cases} of several devices beside one in the store, {slower} came out slower."
    return replace(first, parts=(*first.parts, rest))


def _why(evidence: Evidence) -> Section | None:
    """The sentences of the page on several devices, which holds the charts and tables behind them."""
    view = scale_view(evidence)
    told = [
        Claim((finding.sentence,), finding.why, f"{paths.MULTI_GPU}#scaling")
        for finding in (scaling.gains_findings(view, evidence) if view else ())
    ]
    links = [("All figures, charts and costs of several devices", paths.MULTI_GPU)]
    if not told:
        return None
    return Section(
        heading="One model, its layers spread over cards",
        anchor="layers",
        intro="A model too large for one card can be cut by layers: each card holds some, and every token "
        "passes through all of them in turn. Reading a prompt, the cards can work on different parts of it "
        "at once; writing one token after another, they cannot.",
        claims=told,
        links=links,
    )


def _by_kind(found: Sequence[Kind]) -> Section:
    """How much of a perfect gain each kind of work reaches."""
    told: list[Claim] = []
    telling = [kind for kind in found if len(kind.gains) >= FEW]
    if len(telling) > 1:
        least, most = telling[0], telling[-1]
        told.append(_spread(least, most))
        told += [c for kind in (least, most) if (c := _of_kind(kind)) is not None]
    elif found:
        told += [c for kind in found[:1] if (c := _of_kind(kind)) is not None]
        told.append(
            unknown("Whether other kinds of work gain more we do not know: the store holds no more of them.")
        )
    else:
        told.append(unknown("No row of the store holds several devices beside one of them."))
    return Section(
        heading="It depends on what is shared out",
        anchor="kinds",
        intro="Many requests at once, or many training examples, can be dealt out whole: then the cards "
        "need each other seldom. The table holds every origin’s cases of several devices beside one of the "
        f"same kind; without those that gain more than {figures.ratio(BEYOND)} their number, since these "
        "differ in more than that.",
        claims=told,
        tables=[_table(found)] if found else [],
        command=commands.IMPORT,
        command_for="The collector measures one device at a time; results of several come from other tools "
        "(llama-bench, vLLM and others)",
    )


def _spread(least: Kind, most: Kind) -> Claim:
    same = least.origin == most.origin
    return claim(
        "Of a perfect gain, {least} reaches {low} in the middle{from_least}, {most} {high}{from_most}.",
        least=least.label, low=_middle(least), most=most.label, high=_middle(most),
        from_least="" if same else f" ({least.origin})", from_most=f" ({most.origin})",
    )  # fmt: skip


def _middle(kind: Kind) -> Num:
    """The median part of a perfect gain, with the cases nearest to it."""
    nearest = min(kind.gains, key=lambda g: (abs(g.share - kind.middle), g.task.key, g.many.system.key))
    return Num(kind.middle, "percent", origin=Provenance((nearest.many, nearest.one), "gain"))


def _of_kind(kind: Kind) -> Claim | None:
    values = sorted(kind.gains, key=lambda g: (g.found.value, g.task.key, g.many.system.key))
    low, high = values[0], values[-1]
    return claim(
        "{label}: {n} of {counts} devices beside one, {least} to {most}; {faster} faster, {slower} slower, "
        "{tied} tied.",
        label=kind.label[:1].upper() + kind.label[1:],
        n=figures.plural(len(values), "case"), counts=_counts(kind),
        least=ratio_of(low.found, low.many, low.one, "gain"),
        most=ratio_of(high.found, high.many, high.one, "gain"),
        faster=kind.count("faster"), slower=kind.count("slower"), tied=kind.count("tied"), page=kind.page,
    )  # fmt: skip


def _counts(kind: Kind) -> str:
    counts = sorted({g.many.system.count for g in kind.gains})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _table(found: Sequence[Kind]) -> Table:
    rows = []
    for kind in found:
        ordered = sorted(kind.gains, key=lambda g: (g.found.value, g.task.key, g.many.system.key))
        low, high, slower = ordered[0], ordered[-1], kind.count("slower")
        rows.append(
            {
                "kind": Cell(kind.label, sub=kind.origin, link=kind.page),
                "cases": Cell(figures.number(len(ordered)), float(len(ordered)), f"{_counts(kind)} devices"),
                "slower": Cell(str(slower), sort=float(slower), tone="bad" if slower else ""),
                "tied": kind.count("tied"),
                "share": Cell(figures.percent(kind.middle), kind.middle, provenance=_middle(kind).origin),
                "least": _gain_cell(low),
                "most": _gain_cell(high),
            }
        )
    columns = [
        Column("kind", "Kind of work"),
        Column("cases", "Cases", kind="number", unsourced="counted"),
        Column("slower", "Slower than one", kind="number", unsourced="counted"),
        Column("tied", "Tied", kind="number", unsourced="counted"),
        Column(
            "share", "Of a perfect gain", kind="number", help="Median of the gain over the number of devices"
        ),
        Column("least", "Least gain", "×", "number"),
        Column("most", "Most", "×", "number"),
    ]
    return Table(columns, rows, caption="Several devices beside one of them, by kind of work", fold=True)


def _gain_cell(gain: Gain) -> Cell:
    origin = Provenance((gain.many, gain.one), "gain")
    return Cell(figures.ratio(gain.found.value), gain.found.value, gain.many.system.label, provenance=origin)
