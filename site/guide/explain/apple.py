"""When Apple silicon beats several NVIDIA cards and when not: capacity, writing, reading, small models,
energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guide import paths
from guide.analysis.labels import weights_words
from guide.analysis.ratios import ratio
from guide.analysis.scaleview import scale_view
from guide.analysis.tiers import UNSAFE_FLAGS
from guide.decide.verdicts import ScaleView
from guide.evidence import Evidence
from guide.explain import energy
from guide.explain.claims import Claim, Num, Section, Topic, claim, rate_of, ratio_of, span, unknown
from guide.explain.energy import is_apple, is_nvidia
from guide.explain.work import members
from guide.model import Ratio, Result, System, Task
from guide.show import figures
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.origins import page_of
from guide.views.scaling import PHASES, phase_families


@dataclass(frozen=True)
class Match:
    """Apple's fastest machine on one task against NVIDIA's: several cards together, and one card alone.

    Each list holds (result, Apple's rate over it); ``unable`` and ``unable_single`` ran out of memory.
    """

    task: Task
    apple: Result
    several: tuple[tuple[Result, Ratio], ...]
    single: tuple[tuple[Result, Ratio], ...]
    unable: tuple[Result, ...]
    unable_single: tuple[Result, ...]

    @property
    def model(self) -> str:
        """The model and the type of its weights."""
        return weights_words(self.task.columns)


def matches(evidence: Evidence, view: ScaleView | None, phase: str) -> list[Match]:
    """One for each model that both sides tried, the largest first."""
    found = []
    for family in phase_families(view, phase) if view else ():
        task = family.headline
        sure = [s.result for s in task.standings if not UNSAFE_FLAGS & set(s.result.flags)]
        apple = next((r for r in sure if is_apple(r.system)), None)
        if apple is None:
            continue
        rated = [(r, over) for r in sure if is_nvidia(r.system) and (over := ratio(apple, r)) is not None]
        out = [r for r in task.failures if r.status == "oom" and is_nvidia(r.system)]
        found.append(
            Match(
                task,
                apple,
                tuple((r, over) for r, over in rated if r.system.count > 1),
                tuple((r, over) for r, over in rated if r.system.count == 1),
                tuple(r for r in out if r.system.count > 1),
                tuple(r for r in out if r.system.count == 1),
            )
        )
    return found


def topic(evidence: Evidence) -> Topic:
    """The page's content."""
    view = scale_view(evidence)
    by_phase = {phase: matches(evidence, view, phase) for phase in PHASES}
    sections = [
        _capacity(by_phase, evidence),
        _speed(by_phase["decode"], "decode", evidence),
        _speed(by_phase["prefill"], "prefill", evidence),
        energy.section(evidence),
    ]
    return Topic(
        key="apple",
        path=paths.WHY_APPLE,
        nav="Apple or NVIDIA",
        title="When does Apple silicon beat several NVIDIA cards, and when not?",
        description="One Apple machine against NVIDIA cards on language models: what fits, how fast it "
        "writes and reads, small models, and energy.",
        answer=_answer(by_phase),
        sections=[s for s in sections if s is not None],
        facts=_facts(by_phase),
    )


def _facts(by_phase: dict[str, list[Match]]) -> list[tuple[str, str]]:
    """What only fits the one, and how often it is ahead."""
    unable = {r.system.key for found in by_phase.values() for match in found for r in match.unable}
    told = []
    for phase, word in (("decode", "Ahead in writing"), ("prefill", "Ahead in reading")):
        pairs = [p for match in by_phase[phase] for p in match.several]
        if pairs:
            told.append((word, f"in {_ahead(pairs)} of {figures.plural(len(pairs), 'comparison')}"))
    runs = [("Runs what several cards cannot hold", figures.plural(len(unable), "system") + " of cards")]
    return (runs if unable else []) + told


def _ahead(pairs: Sequence[tuple[Result, Ratio]]) -> int:
    return sum(over.verdict == "faster" for _, over in pairs)


def _answer(by_phase: dict[str, list[Match]]) -> Claim:
    decode, prefill = by_phase["decode"], by_phase["prefill"]
    every = decode + prefill
    if not any(m.several or m.unable for m in every):
        return unknown(
            "We do not know yet: no row of the store holds an Apple machine and several NVIDIA cards on "
            "equal work."
        )
    wins, losses = [], []
    unable = {r.system.key for m in every for r in m.unable}
    (wins if unable else losses).append(_memory_words(every, unable))
    for phase, found in (("writing", decode), ("reading", prefill)):
        pairs = [p for m in found for p in m.several]
        if not pairs:
            continue
        ahead = _ahead(pairs)
        cases = figures.plural(len(pairs), "comparison")
        text = f"in {phase} it is ahead in {ahead} of {cases} with several cards"
        (wins if ahead * 2 > len(pairs) else losses).append(text)
    parts = []
    if wins:
        parts.append(f"It does where {_and(wins)}.")
    if losses:
        parts.append(
            f"It does not where speed counts: {_and(losses)}." if wins else f"It does not: {_and(losses)}."
        )
    return Claim((" ".join(parts),), page=paths.MULTI_GPU)


def _memory_words(every: Sequence[Match], unable: set[str]) -> str:
    if unable:
        systems = figures.plural(len(unable), "system")
        return f"memory decides: it runs models that {systems} of several cards cannot hold"
    return "every system of several cards that tried what it ran could hold it too"


def _and(parts: Sequence[str]) -> str:
    return "; ".join(parts)


def _capacity(by_phase: dict[str, list[Match]], evidence: Evidence) -> Section:
    """What fits one and not the other."""
    seen: dict[str, Match] = {}
    for found in (by_phase["decode"], by_phase["prefill"]):
        for match in found:
            seen.setdefault(match.model, match)
    told = []
    for match in seen.values():
        tried = len(match.several) + len(match.unable)
        alone = len(match.single) + len(match.unable_single)
        if not tried and not alone:
            continue
        told.append(
            claim(
                "{model}: {apple} runs it at {rate}; it fits {several} of {tried} of several NVIDIA cards "
                "and {single} of {alone}.",
                model=match.model, apple=match.apple.system.label, rate=rate_of(match.apple),
                several=_none(len(match.several)), tried=figures.plural(tried, "system"),
                single=_none(len(match.single)), alone=figures.plural(alone, "single card"),
                why="" if match.unable or match.unable_single else "Memory does not part them here.",
                page=f"{paths.MULTI_GPU}#capacity",
            )
        )  # fmt: skip
    if told:
        told += _memories(list(seen.values()), evidence)
    else:
        told = [unknown("We do not know: no model of the store was tried on both sides.")]
    return Section(
        heading="What fits",
        anchor="capacity",
        intro="Unified memory is one pool for processor and graphics, and most of it can hold a model. How "
        "much there is decides what runs at all, how fast it is how quickly one stream is written.",
        claims=told,
        links=[("Every system and model", f"{paths.MULTI_GPU}#capacity")],
    )


def _memories(found: Sequence[Match], evidence: Evidence) -> list[Claim]:
    """The machine's memory beside that of each single card: how much, and how fast, from the catalog."""
    apple = found[0].apple.system
    cards = {r.system.key: r.system for m in found for r in (*(s for s, _ in m.single), *m.unable_single)}
    mine, rates = apple.sold_gib, _bandwidth(apple, evidence)
    sizes = sorted(((s.sold_gib, s) for s in cards.values() if s.sold_gib), key=lambda c: (c[0], c[1].key))
    speeds = [(r, s) for s in cards.values() if (r := _bandwidth(s, evidence)) is not None]
    speeds.sort(key=lambda c: (c[0], c[1].key))
    if mine is None or rates is None or not sizes or not speeds:
        return []
    larger = sum(size < mine for size, _ in sizes)
    faster = sum(speed < rates for speed, _ in speeds)
    return [
        claim(
            "On paper {apple} has {mine} of memory at {rate}; the single NVIDIA cards have {sizes}, at "
            "{speeds}.",
            apple=apple.label,
            mine=Num(mine, unit="GiB", origin=Provenance((apple,))),
            rate=Num(rates, unit="GB/s", origin=Provenance((apple,))),
            sizes=span(*(Num(v, unit="GiB", origin=Provenance((s,))) for v, s in (sizes[0], sizes[-1]))),
            speeds=span(*(Num(v, unit="GB/s", origin=Provenance((s,))) for v, s in (speeds[0], speeds[-1]))),
            why=f"That is more memory than {larger} of {len(sizes)} of them have, and faster memory than "
            f"{faster} of {len(speeds)}.",
        )
    ]


def _bandwidth(system: System, evidence: Evidence) -> float | None:
    """GB/s of one device of the system; None where its name may mean devices that differ, or none."""
    found = {device.bandwidth_gb_s for device in members(system, evidence)}
    return found.pop() if len(found) == 1 else None


def _none(count: int) -> str:
    return str(count) if count else "none"


def _speed(found: Sequence[Match], phase: str, evidence: Evidence) -> Section | None:
    """Apple's fastest machine against several cards and against one, model by model."""
    held = [m for m in found if m.several or m.single]
    if not held:
        return None
    told = []
    # The largest model is the question of several cards, the smallest one that of a single card.
    for match, pairs, one, many in (
        (
            _first(held, "several"),
            "several",
            "system of several NVIDIA cards",
            "systems of several NVIDIA cards",
        ),
        (_first(held[::-1], "single"), "single", "single NVIDIA card", "single NVIDIA cards"),
    ):
        if match is not None:
            against = getattr(match, pairs)
            told.append(_against(match, against, figures.plural(len(against), one, many), evidence))
    word = {"decode": "Writing (decode)", "prefill": "Reading (prefill)"}[phase]
    intro = {
        "decode": "Writing one stream reads all weights for every token: memory bandwidth sets the pace, "
        "and layers spread over several cards add none.",
        "prefill": "Reading a prompt is arithmetic: what a card has most of, and what several cards add up.",
    }[phase]
    return Section(
        heading=word,
        anchor=phase,
        intro=intro,
        claims=told,
        tables=[_table(held, phase, evidence)],
        links=[("The rates of all systems", f"{paths.MULTI_GPU}#{phase}")],
    )


def _first(held: Sequence[Match], side: str) -> Match | None:
    """The first match in which that side has a rate."""
    return next((m for m in held if getattr(m, side)), None)


def _against(match: Match, pairs: Sequence[tuple[Result, Ratio]], whom: str, evidence: Evidence) -> Claim:
    ahead, tied = _ahead(pairs), sum(over.verdict == "tied" for _, over in pairs)
    best, over = min(pairs, key=lambda p: (p[1].value, p[0].system.key))
    return claim(
        "{model}: {apple} is ahead of {ahead} of {whom}{tied}; against the fastest, {best}, it comes to "
        "{ratio}.",
        model=match.model, apple=match.apple.system.label, ahead=_none(ahead), whom=whom,
        tied=f" and tied with {tied}" if tied else "", best=best.system.label,
        ratio=ratio_of(over, match.apple, best), page=page_of(evidence, match.task),
    )  # fmt: skip


def _table(held: Sequence[Match], phase: str, evidence: Evidence) -> Table:
    rows = [
        {
            "model": Cell(match.model, link=page_of(evidence, match.task)),
            "apple": words.rate_cell(match.apple, sub=match.apple.system.label),
            "several": _best(match.several, len(match.unable)),
            "single": _best(match.single, len(match.unable_single)),
        }
        for match in held
    ]
    unit = words.header_unit(held[0].task.unit)
    columns = [
        Column("model", "Model"),
        Column("apple", "Apple’s fastest", unit, "number"),
        Column("several", "Fastest of several NVIDIA cards", unit, "number"),
        Column("single", "Fastest single NVIDIA card", unit, "number"),
    ]
    return Table(columns, rows, caption=f"One Apple machine against NVIDIA cards: {phase}", sortable=False)


def _best(pairs: Sequence[tuple[Result, Ratio]], unable: int) -> Cell | Blank:
    """The fastest of a side, Apple's rate over it, how many Apple is ahead of, and how many could not run
    it."""
    out = f"{figures.plural(unable, 'system')} out of memory" if unable else ""
    if not pairs:
        return Blank(out or "none tried")
    best, over = min(pairs, key=lambda p: (p[1].value, p[0].system.key))
    ahead = f"Apple {figures.ratio(over.value)}, ahead of {_ahead(pairs)} of {len(pairs)}"
    return words.rate_cell(best, sub="; ".join(part for part in (best.system.label, ahead, out) if part))
