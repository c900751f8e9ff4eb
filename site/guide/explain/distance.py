"""Whether batching shows what one sequence at a time hides: how far two cards are apart at either.

Only cards of one maker are held against each other, and only where one has ``ON_PAPER`` times the 16-bit
arithmetic of the other: which of the two is called the larger then does not depend on how the comparison
comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from guide.analysis.findings import ON_PAPER
from guide.analysis.ratios import ratio
from guide.analysis.tasks import is_cpu
from guide.analysis.tiers import PUBLISHED_ALLOWANCE
from guide.evidence import Evidence
from guide.explain.claims import Claim, Num, claim
from guide.model import Ratio, Result, System
from guide.show import figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell
from guide.views.families import is_own

if TYPE_CHECKING:
    from guide.explain.batching import Ladder


@dataclass(frozen=True)
class Distance:
    """How far ``large`` is ahead of ``small`` with one sequence and with ``batch``: each ratio on one equal
    task.

    ``singles`` and ``many`` are (larger card's result, smaller card's result) at either."""

    label: str
    singles: tuple[Result, Result]
    many: tuple[Result, Result]
    one: Ratio
    batched: Ratio
    batch: int

    @property
    def growth(self) -> float:
        """How many times the distance of one at a time the batched one is."""
        return self.batched.value / self.one.value

    @property
    def pair(self) -> tuple[str, str]:
        """The two cards."""
        return self.many[0].system.key, self.many[1].system.key


def distances(ladder: Ladder, evidence: Evidence) -> list[Distance]:
    """Each pair of cards at their largest batch in common."""
    climbed = {
        key: dict(points) for key, points in ladder.systems().items() if not is_cpu(points[0][1].system)
    }
    found = []
    for a in climbed:
        for b in climbed:
            common = climbed[a].keys() & climbed[b].keys()
            top = max(common, default=1)
            if (
                1 not in common
                or top == 1
                or not _larger(climbed[a][1].system, climbed[b][1].system, evidence)
            ):
                continue
            singles, many = ((climbed[a][n], climbed[b][n]) for n in (1, top))
            one, batched = ratio(*singles), ratio(*many)
            if one is not None and batched is not None:
                found.append(Distance(ladder.label, singles, many, one, batched, top))
    return found


def _larger(a: System, b: System, evidence: Evidence) -> bool:
    """Whether ``a`` has so much more arithmetic on paper than ``b``, of the same maker."""
    mine, other = _arithmetic(a, evidence), _arithmetic(b, evidence)
    if a.vendor is None or a.vendor != b.vendor or not mine or not other:
        return False
    return min(mine) >= ON_PAPER * max(other)


def _arithmetic(system: System, evidence: Evidence) -> list[float]:
    """Dense 16-bit peaks of the devices that the name may mean, each as software sees one."""
    devices = [evidence.catalog.get(key) for key in system.candidates]
    peaks = [d.fp16_dense_tflops / d.software_devices for d in devices if d and d.fp16_dense_tflops]
    return peaks if len(peaks) == len(devices) else []


def by_origin(found: Sequence[Ladder], evidence: Evidence) -> list[list[Distance]]:
    """All distances of each origin, this project's own first, then those with most."""
    origins: dict[str, list[Distance]] = {}
    for ladder in found:
        for one in distances(ladder, evidence):
            origins.setdefault("" if is_own(ladder.first) else ladder.first.source_ids[0], []).append(one)
    return [members for _, members in sorted(origins.items(), key=lambda o: (bool(o[0]), -len(o[1]), o[0]))]


def _nearest(found: Sequence[Distance]) -> Distance:
    """The one whose growth is nearest to the median."""
    middle = median(d.growth for d in found)
    return min(found, key=lambda d: (abs(d.growth - middle), d.label, d.pair))


def told(found: Sequence[Distance], evidence: Evidence) -> Claim:
    """What batching does to the distances of one origin."""
    wider, middle = sum(d.growth > 1 for d in found), median(d.growth for d in found)
    nearest = _nearest(found)
    sources = nearest.many[0].source_ids
    where = (
        "measured here"
        if nearest.many[0].origins == ("measured",)
        else words.source_words(sources, evidence.sources)
    )
    if middle >= 1 + PUBLISHED_ALLOWANCE:
        why = "One at a time hides what a larger card can do; together it shows."
    elif middle <= 1 - PUBLISHED_ALLOWANCE:
        why = "Here batching brings the cards nearer to each other: what the larger one has more of is not "
        "the limit."
    else:
        why = "Here batching hardly changes how far apart the cards are."
    return claim(
        f"Of {{n}} of two cards of one maker, one with at least {figures.ratio(ON_PAPER)} the 16-bit "
        "arithmetic on paper, the larger card is further ahead with most sequences together than with one "
        "in {wider}; in the median the distance becomes {growth} of what it was ({where}).",
        n=figures.plural(len(found), "comparison"), wider=wider, where=where, why=why,
        growth=Num(middle, "ratio", origin=Provenance((*nearest.many, *nearest.singles), "distance")),
    )  # fmt: skip


def table(found: Sequence[Distance]) -> Table:
    """A row for each pair of cards: the distance with one sequence and with many, in the median of its
    ladders."""
    pairs: dict[tuple[str, str], list[Distance]] = {}
    for one in found:
        pairs.setdefault(one.pair, []).append(one)
    rows = []
    for _, members in sorted(pairs.items(), key=lambda p: (-median(d.growth for d in p[1]), p[0])):
        nearest = _nearest(members)
        rows.append(
            {
                "large": system_cell(nearest.many[0].system),
                "small": system_cell(nearest.many[1].system),
                "n": len(members),
                "one": _cell([d.one.value for d in members], nearest.singles),
                "many": _cell([d.batched.value for d in members], nearest.many, _batches(members)),
                "growth": Cell(
                    figures.ratio(median(d.growth for d in members)), median(d.growth for d in members),
                    provenance=Provenance((*nearest.many, *nearest.singles), "distance"),
                ),
            }
        )  # fmt: skip
    columns = [
        Column("large", "Larger card"),
        Column("small", "Over"),
        Column(
            "n",
            "Comparisons",
            kind="number",
            help="Models, lengths and engines that both ran",
            unsourced="counted",
        ),
        Column("one", "One at a time", "×", "number", "Median"),
        Column("many", "Batched", "×", "number", "Median, at the largest batch that both ran"),
        Column("growth", "Becomes", "×", "number", "Median of the one over the other"),
    ]
    return Table(columns, rows, caption="The distance of two cards, one at a time and batched", fold=True)


def _cell(values: Sequence[float], results: tuple[Result, Result], sub: str = "") -> Cell:
    value = median(values)
    return Cell(figures.ratio(value), value, sub, provenance=Provenance(results, "ratio"))


def _batches(found: Sequence[Distance]) -> str:
    batches = sorted({d.batch for d in found})
    return f"{batches[0]} together" if len(batches) == 1 else f"{batches[0]} to {batches[-1]} together"
