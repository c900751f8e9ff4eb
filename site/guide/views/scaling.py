"""Several cards or one machine with unified memory: what runs, how fast, what more devices gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guide.analysis.labels import weights_words
from guide.analysis.tiers import UNSAFE_FLAGS
from guide.charts import Chart
from guide.charts.bars import Bar, bars
from guide.charts.lines import MAX_SERIES, Sample, lines
from guide.decide.verdicts import ScalePoint, ScaleView
from guide.evidence import Evidence
from guide.model import Ratio, Result, System, Task
from guide.show import figures
from guide.show.sentences import Sentence
from guide.show.tables import Blank, Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell, vendor_key
from guide.views.families import Family, families
from guide.views.matchable import counts_of, rates_of
from guide.views.physics import share, weight_bytes
from guide.views.speedups import speedup_cell
from guide.views.told import of_results

MAX_BARS = 24
PHASES = ("decode", "prefill")


@dataclass(frozen=True)
class Finding:
    """A sentence made from rows, and the rest of the thought, which holds only while the sentence does."""

    sentence: str
    why: str = ""
    told: Sentence | None = None
    because: Sentence | None = None


def phase_families(view: ScaleView, phase: str) -> list[Family]:
    """The families of a phase that one of the systems ran, largest model first."""
    keys = {point.system.key for point in view.points}
    found = [
        f
        for f in families(t for t in view.tasks if t.workload == phase)
        if any(f.headline.standing(key) for key in keys)
    ]
    return sorted(found, key=lambda f: (-(weight_bytes(f.headline) or 0), f.label))


def shared_family(view: ScaleView, phase: str) -> Family | None:
    """The largest model that two systems of several devices and two machines with unified memory ran; without
    such a one, one of each; without that, the largest that several devices ran."""
    several = {p.system.key for p in view.points if p.system.count > 1}
    unified = {p.system.key for p in view.points if p.system.unified_memory}

    def ran(family: Family, keys: set[str]) -> int:
        return sum(family.headline.standing(key) is not None for key in keys)

    found = phase_families(view, phase)
    for least in ((2, 2), (1, 1), (1, 0)):
        for family in found:
            if ran(family, several) >= least[0] and ran(family, unified) >= least[1]:
                return family
    return None


def model_label(family: Family) -> str:
    """``Llama 3 70B, Q4_K_M``: the family without its phase."""
    return weights_words(family.headline.columns)


def speed_chart(view: ScaleView, family: Family) -> Chart | None:
    """Rates of the systems on the family's headline task: bars from zero."""
    task = family.headline
    keys = {p.system.key: p for p in view.points}
    shown = [s for s in task.standings if s.result.system.key in keys][:MAX_BARS]
    if not shown:
        return None
    missing = [r for r in task.failures if r.system.key in keys]
    unit = task.unit or ""
    drawn = bars(
        [
            Bar(
                label=s.result.system.label,
                value=s.result.rate,
                low=s.result.interval.low if s.result.interval else None,
                high=s.result.interval.high if s.result.interval else None,
                vendor=vendor_key(s.result.system),
                tier=s.tier,
                note="; ".join(words.marks(s.result)),
                origin=words.provenance(s.result),
            )
            for s in shown
        ],
        title=f"{model_label(family)}: {task.workload}, {unit}",
        unit=unit,
        what=task.short_label,
        caption=f"{task.short_label}. Whiskers: 95 % interval; shaded bands: tiers."
        + (
            f" {figures.plural(len(missing), 'system')} without a figure: see capacity above."
            if missing
            else ""
        ),
    )
    return replace(drawn, own=rates_of(task))


def speed_findings(view: ScaleView) -> list[Finding]:
    """The best unified-memory machine against the best of several devices, on each phase's shared model."""
    found = []
    for phase in PHASES:
        family = shared_family(view, phase)
        if family is None:
            continue
        task = family.headline
        unified = [p.system.key for p in view.points if p.system.unified_memory]
        several = [p.system.key for p in view.points if p.system.count > 1 and not p.system.unified_memory]
        sure = [s for s in task.standings if not UNSAFE_FLAGS & set(s.result.flags)]
        one, many = (next((s for s in sure if s.result.system.key in keys), None)
                     for keys in (unified, several))  # fmt: skip
        if one is None or many is None or not one.result.rate or not many.result.rate:
            continue
        beaten = [s for s in sure if s.result.system.key in several and s.tier > one.tier]
        times = many.result.rate / one.result.rate
        sentence = (
            f"{phase.capitalize()}, {model_label(family)}: {many.result.system.label} reach "
            f"{figures.number(many.result.rate)} {task.unit}, {one.result.system.label} "
            f"{figures.number(one.result.rate)} ({figures.ratio(times)})."
        )
        why = (
            f"{one.result.system.label} is a tier or more ahead of {figures.plural(len(beaten), 'system')} "
            f"of several cards: {', '.join(s.result.system.label for s in beaten[:4])}."
            if beaten
            else ""
        )
        found.append(Finding(sentence, why, of_results(sentence, (many.result, one.result))))
    return found


def gains_table(view: ScaleView) -> Table | None:
    """Several devices over one of the same kind, on each model's headline task."""
    chosen = [f for phase in PHASES for f in phase_families(view, phase)]
    chosen = [f for f in chosen if any(p.gains.get(f.headline.key) for p in view.points)]
    if not chosen:
        return None
    columns = [Column("system", "System")]
    columns += [
        Column(f.headline.key, f"{f.headline.workload}: {model_label(f)}", "", "number") for f in chosen
    ]
    rows = []
    for point in sorted(view.points, key=lambda p: (p.system.device_id or "", p.system.count)):
        if point.system.count < 2:
            continue
        row: dict[str, object] = {"system": system_cell(point.system)}
        for family in chosen:
            row[family.headline.key] = _gain_cell(point, family.headline)
        rows.append(row)
    return Table(columns, rows, caption="Rate over one device alone, and share of a perfect gain",
                 filterable=len(rows) > 12, fold=True)  # fmt: skip


def one_of(task: Task, system: System) -> Result | None:
    """The result of one such device alone."""
    one = (s.result for s in task.standings if s.result.system.count == 1)
    return next((r for r in one if r.system.device_id == system.device_id), None)


def doubtful(task: Task, system: System) -> bool:
    """Whether the figure of the system, or of one such device alone, is one that its source contradicts."""
    one = (s.result for s in task.standings if s.result.system.count == 1)
    results = [r for r in one if r.system.device_id == system.device_id]
    results += [r for r in (task.of(system.key),) if r]
    return any(UNSAFE_FLAGS & set(r.flags) for r in results)


def _gain_cell(point: ScalePoint, task: Task) -> Cell | Blank:
    if task.key not in point.gains:
        result = task.of(point.system.key)
        return Blank("not run" if result is None else words.status_words(result))
    gain = point.gains[task.key]
    if gain is None:
        return Blank("one alone cannot run it")
    cell = speedup_cell(gain)
    part = f"{figures.percent(gain.value / point.system.count)} of ×{point.system.count}"
    sub, tone = (
        part if gain.verdict != "tied" else "tied with one" + (words.WITHIN_BAND if gain.within_band else ""),
        "bad" if gain.verdict == "slower" else "",
    )
    if doubtful(task, point.system):
        sub, tone = "doubtful: the source contradicts it", "quiet"
    alone = one_of(task, point.system)
    origin = Provenance((task.of(point.system.key), alone), "gain")
    return Cell(cell.shown, gain.value, sub, interval=cell.interval, tone=tone, provenance=origin)


def gains_findings(view: ScaleView, evidence: Evidence) -> list[Finding]:
    """What several devices gain over one, for each phase; why, where the bandwidth used tells."""
    found = []
    for phase in PHASES:
        every = [
            (gain, point, f.headline)
            for f in phase_families(view, phase)
            for point in view.points
            if (gain := point.gains.get(f.headline.key))
        ]
        cases = [(gain, point, task) for gain, point, task in every if not doubtful(task, point.system)]
        if not cases:
            continue
        left_out = len(every) - len(cases)
        values = [gain.value for gain, _, _ in cases]
        ends = {
            figures.ratio(gain.value): Provenance(
                (task.of(point.system.key), one_of(task, point.system)), "gain"
            )
            for gain, point, task in (min(cases, key=_gained), max(cases, key=_gained))
        }
        slower = sum(gain.verdict == "slower" for gain, _, _ in cases)
        faster = sum(gain.verdict == "faster" for gain, _, _ in cases)
        sentence = (
            f"{phase.capitalize()}: {figures.plural(len(cases), 'case')} of several devices against one, "
            f"{figures.ratio(min(values))} to {figures.ratio(max(values))}; {faster} faster, "
            f"{slower} slower, {len(cases) - faster - slower} tied."
            + (f" Left out: {left_out} that the source itself contradicts." if left_out else "")
        )
        because = _bandwidth_why(cases, evidence) if phase == "decode" and not faster else None
        found.append(Finding(sentence, str(because or ""), Sentence(sentence, None, ends), because))
    return found


def _gained(case: tuple[Ratio, ScalePoint, Task]) -> float:
    return case[0].value


def _bandwidth_why(cases: Sequence[tuple[object, ScalePoint, Task]], evidence: Evidence) -> Sentence | None:
    """Holds when no case uses more of the bandwidth than one device at a time could."""
    used = []
    for _, point, task in cases:
        result, device = task.of(point.system.key), evidence.catalog.get(point.system.device_id)
        found = share(task, result, device) if result else None
        if found is not None:
            origin = Provenance((result, device), "possible")
            used.append((found.value * point.system.count, point, origin))
    if not used or max(value for value, _, _ in used) > 1:
        return None
    most, point, origin = max(used, key=lambda u: (u[0], u[1].system.key))
    return Sentence(
        "Layers are spread over the devices and each token passes through them in turn, so one works while "
        "the others wait: no case moves more weights a second than one device’s memory could (at most "
        f"{figures.percent(most)} of one’s bandwidth, {point.system.label}).",
        origin,
    )


def count_charts(view: ScaleView) -> list[Chart]:
    """Rate over the number of devices, a chart for each phase: kinds with most counts, on one model each."""
    charts = []
    for phase in PHASES:
        best: tuple[int, Family, list[list[ScalePoint]]] | None = None
        for family in phase_families(view, phase):
            kinds: dict[str, list[ScalePoint]] = {}
            for point in view.points:
                task, system = family.headline, point.system
                if system.device_id and task.standing(system.key) and not doubtful(task, system):
                    kinds.setdefault(point.system.device_id, []).append(point)
            several = [sorted(p, key=lambda q: q.system.count) for p in kinds.values() if len(p) > 1]
            several.sort(key=lambda p: (-len(p), p[0].system.label))
            points = sum(map(len, several[:MAX_SERIES]))
            if several and (best is None or points > best[0]):
                best = points, family, several[:MAX_SERIES]
        if best is not None:
            charts.append(_count_chart(phase, best[1], best[2]))
    return charts


def _count_chart(phase: str, family: Family, kinds: Sequence[Sequence[ScalePoint]]) -> Chart:
    samples = []
    for points in kinds:
        name = points[0].system.label.removeprefix(f"{points[0].system.count} × ")
        for point in points:
            standing = family.headline.standing(point.system.key)
            if standing is None or standing.result.rate is None:
                continue
            interval = standing.result.interval
            samples.append(
                Sample(
                    name,
                    point.system.count,
                    standing.result.rate,
                    interval.low if interval else None,
                    interval.high if interval else None,
                    words.provenance(standing.result),
                )
            )
    unit = family.headline.unit or ""
    drawn = lines(
        samples,
        title=f"{phase.capitalize()} over the number of devices: {model_label(family)}",
        x_title="Devices",
        y_title=unit,
        caption=f"{family.headline.short_label}. The {figures.plural(len(kinds), 'kind')} with most counts.",
    )
    return replace(drawn, own=counts_of(family.headline))
