"""Why a newer card can lose: how often it does, what it reached of the possible, and with which software."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from guide import paths
from guide.analysis.findings import no_less, single_pairs, sound
from guide.analysis.ratios import ratio
from guide.decide.verdicts import Surprise
from guide.evidence import Evidence
from guide.explain import maturity, peaks, shifts, software
from guide.explain.claims import Claim, Section, Topic, claim, of_surprise, rate_of, ratio_of, unknown
from guide.explain.peaks import version
from guide.explain.shares import share_cell, share_num, share_words
from guide.explain.work import share_of
from guide.model import Ratio, Result, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views.devices import system_cell
from guide.views.origins import page_of
from guide.views.speedups import speedup_cell

MAX_ROWS, MAX_TOLD = 40, 6


@dataclass(frozen=True)
class Duel:
    """A newer device against an older one of its maker and class that has no more on paper, on one task."""

    task: Task
    new: Result
    old: Result
    found: Ratio

    @property
    def lost(self) -> bool:
        """Whether the newer one is slower beyond a tie."""
        return self.found.verdict == "slower"


def duels(evidence: Evidence) -> list[Duel]:
    """One a pair and family of tasks (its headline), the newer device's worst losses first."""
    found = []
    for family in evidence.families:
        if family.workload == "probe":
            continue
        for new, old in single_pairs(sound(family.headline)):
            a, b = new.system, old.system
            if not a.released or not b.released or a.released <= b.released:
                continue
            if (a.vendor, a.device_class) != (b.vendor, b.device_class) or not no_less(a, b, evidence):
                continue
            result = ratio(new, old)
            if result is not None:
                found.append(Duel(family.headline, new, old, result))
    return sorted(found, key=lambda d: (d.found.value, d.task.key, d.new.system.key, d.old.system.key))


def others(lost: Sequence[Duel], evidence: Evidence) -> list[Surprise]:
    """The losses among the guide's findings that are on no family's headline task, and so no duel."""
    told = {(d.task.key, d.new.system.key, d.old.system.key) for d in lost}
    found = [s for s in evidence.surprises if s.kind == "newer-slower"]
    return [s for s in found if (s.task_key, *s.systems) not in told]


def topic(evidence: Evidence) -> Topic:
    """The page's content."""
    found = duels(evidence)
    lost = [d for d in found if d.lost]
    more = others(lost, evidence)
    sections = [
        _losses(lost, more, evidence),
        peaks.section(evidence),
        shifts.section(evidence),
        software.executions_section(evidence),
        maturity.section(evidence),
    ]
    return Topic(
        key="newer",
        path=paths.WHY_NEWER,
        nav="Newer but slower",
        title="Why can a newer card be slower than an older one?",
        description="When a newer card loses to an older one of its maker: what each reached of what it can "
        "do, with which software, and what compiling and updates are worth.",
        answer=_answer(found, lost, more, evidence),
        sections=[s for s in sections if s is not None],
        facts=_facts(found, lost),
    )


def _facts(found: Sequence[Duel], lost: Sequence[Duel]) -> list[tuple[str, str]]:
    """How often the newer one loses, and the farthest loss."""
    if not found:
        return []
    told = [("The newer one is slower", f"in {len(lost)} of {figures.plural(len(found), 'comparison')}")]
    if lost:
        worst = lost[0]
        told += [(result.system.label, rate_of(result).text) for result in (worst.new, worst.old)]
        told.append(("The farthest loss", figures.ratio(worst.found.value)))
    return told


def _answer(
    found: Sequence[Duel], lost: Sequence[Duel], more: Sequence[Surprise], evidence: Evidence
) -> Claim:
    if not found and not more:
        return unknown(
            "We do not know yet: no row of the store holds a newer card against an older one of its maker "
            "and "
            "class, with no less bandwidth and arithmetic on paper, on equal work."
        )
    faster = sum(d.found.verdict == "faster" for d in found)
    tied = len(found) - faster - len(lost)
    rest = (
        " Other tasks are not counted; among them the guide’s findings name {more}, told below."
        if more
        else ""
    )
    counts = {"more": figures.plural(len(more), "more case")} if more else {}
    counts |= {"n": figures.plural(len(found), "comparison"), "faster": faster, "tied": tied}
    if not lost:
        return claim(
            ("On the headline tasks it does not happen" if more else "It does not happen in the store’s rows")
            + ": in {n} of a newer card with an older one of its maker "
            "and class, the newer one having no less on paper, on one headline task of each family, it is "
            "faster in {faster} and tied in {tied}." + rest,
            **counts,
        )
    worst = lost[0]
    return claim(
        "In {lost} of {n} of a newer card with an older one of its maker and class, the newer one having no "
        "less on paper, on one headline task of each family, it is slower ({faster} faster, {tied} tied). "
        "The farthest: {new} ({year_new}) at {ratio} the rate of {old} ({year_old}) on {task}." + rest,
        lost=len(lost), **counts, new=worst.new.system.label, old=worst.old.system.label,
        year_new=(worst.new.system.released or "")[:4], year_old=(worst.old.system.released or "")[:4],
        ratio=ratio_of(worst.found, worst.new, worst.old), task=worst.task.short_label,
        why=_reached(worst, evidence).why, page=page_of(evidence, worst.task),
    )  # fmt: skip


def _losses(lost: Sequence[Duel], others: Sequence[Surprise], evidence: Evidence) -> Section | None:
    """Each workload's worst loss in a sentence, all of them in a table; then the findings on other tasks."""
    if not lost and not others:
        return None
    worst: dict[tuple[str, str], Duel] = {}
    for duel in lost:
        worst.setdefault((duel.task.workload, duel.task.source_ids[0]), duel)
    told = []
    for duel in list(worst.values())[:MAX_TOLD]:
        told += [_loss(duel, evidence), _reached(duel, evidence)]
    told += [of_surprise(one, evidence) for one in others]
    more = f", the {MAX_ROWS} largest of {len(lost)}" if len(lost) > MAX_ROWS else ""
    return Section(
        heading="Where the newer one loses",
        anchor="losses",
        intro="A new card brings units that old kernels do not use, and kernels tuned for it come later. "
        "Whether that is the reason shows in what each card reached of what it can do, and in what software "
        "it ran.",
        claims=told,
        tables=[_table(lost[:MAX_ROWS], f"Newer and slower{more}", evidence)] if lost else (),
    )


def _loss(duel: Duel, evidence: Evidence) -> Claim:
    return claim(
        "{task}: {new} ({year_new}) {rate_new}, {old} ({year_old}) {rate_old}: {ratio}.",
        task=duel.task.short_label, new=duel.new.system.label, rate_new=rate_of(duel.new),
        year_new=(duel.new.system.released or "")[:4], year_old=(duel.old.system.released or "")[:4],
        old=duel.old.system.label, rate_old=rate_of(duel.old),
        ratio=ratio_of(duel.found, duel.new, duel.old), page=page_of(evidence, duel.task),
    )  # fmt: skip


def _reached(duel: Duel, evidence: Evidence) -> Claim:
    """What both reached of the possible, and which software that was."""
    share = partial(share_of, duel.task, evidence=evidence)
    new, old = share(duel.new), share(duel.old)
    software_words = _software(duel, evidence)
    if new is None or old is None:
        return unknown(
            "How near either comes to what it can do we do not know: the work’s size, or a ceiling, is not "
            "known. "
            f"{software_words}"
        )
    if new.high < old.low:
        why = "The newer card is used less fully: what it has more of on paper waits."
    elif new.low > old.high:
        why = (
            "The newer card is used more fully, and is slower all the same: that the catalog cannot explain."
        )
    else:
        why = "Both are used alike."
    why = f"{why} {software_words}"
    return claim(
        "Of what is possible {new} reaches {share_new}, {old} {share_old}.",
        new=duel.new.system.label, share_new=share_num(new, duel.new), old=duel.old.system.label,
        share_old=share_num(old, duel.old), why=why,
    )  # fmt: skip


def _software(duel: Duel, evidence: Evidence) -> str:
    """Which software both ran and when; or that the rows do not say."""
    told = [version(r) for r in (duel.new, duel.old)]
    day = figures.day(duel.new.newest)
    if all(told):
        same = told[0] == told[1]
        which = f"Both ran {told[0]}" if same else f"They ran {told[0]} and {told[1]}"
        return f"{which}; the figures are of {day}."
    return (
        f"The rows do not say which version of the software ran ({day}), so whether newer software has "
        "changed "
        "it we do not know."
    )


def _table(lost: Sequence[Duel], caption: str, evidence: Evidence) -> Table:
    rows = []
    for duel in lost:
        share = partial(share_of, duel.task, evidence=evidence)
        old = f"against {duel.old.system.label} ({(duel.old.system.released or '')[:7]})"
        told, before = version(duel.new), share(duel.old)
        reached = share_cell(share(duel.new), duel.new)
        if isinstance(reached, Cell) and before is not None:
            reached = replace(reached, sub=f"the older one {share_words(before)}")
        rows.append(
            {
                "new": system_cell(duel.new.system, f"{(duel.new.system.released or '')[:7]}, {old}"),
                "task": Cell(
                    duel.task.short_label, link=page_of(evidence, duel.task), sub=duel.task.source_ids[0]
                ),
                "ratio": speedup_cell(duel.found, Provenance((duel.new, duel.old), "ratio")),
                "reached": reached,
                "software": Cell(told, sub=figures.day(duel.new.newest)) if told else Blank("not stated"),
            }
        )
    columns = [
        Column("new", "Newer card"),
        Column("task", "Task"),
        Column("ratio", "Over the older", "×", "number"),
        Column("reached", "Of what is possible", kind="number"),
        Column("software", "Its software"),
    ]
    return Table(columns, rows, caption=caption, fold=True, filterable=len(rows) > 12)
