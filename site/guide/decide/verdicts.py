"""What the analysis concludes, for the pages: frozen records of answers, surprises and comparisons.

As in ``guide.model``: units stand in the names, and ``None`` means "not known".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from bench.schema import Row
from guide.model import Cost, Fit, Interval, Price, Ratio, Result, System, Task


@dataclass(frozen=True)
class Candidate:
    """A system by one route, judged for a scenario. ``place`` counts from 1; None when it fell out.

    ``reason`` is one sentence: why it fell out, or why it stands where it stands. ``reason_code`` is for
    filters: ``memory``, ``budget``, ``power``, ``class``, ``slow``, ``price-missing``, ``price-stale``,
    ``price-size``, ``no-evidence``, ``basis``, ``route``, ``pick``, ``tied``, ``slower``, ``dearer``.
    ``score`` is the objective's figure in ``score_unit``; ``speed`` is the ratio to the scenario's
    reference with its band, ``speed_stated`` the same with the interval that follows from the stated ones
    (None where one is missing), ``rates`` the absolute figures it rests on.
    """

    system: System
    route: str | None
    place: int | None
    tier: int | None
    reason_code: str
    reason: str
    speed: Interval | None = None
    speed_interval_known: bool = False
    speed_stated: Interval | None = None
    rates: tuple[tuple[str, float, str], ...] = ()
    score: float | None = None
    score_unit: str = ""
    fit: Fit | None = None
    price: Price | None = None
    cost: Cost | None = None
    power_w: float | None = None
    dominated_by: str | None = None


@dataclass(frozen=True)
class Flip:
    """A value of one input at which the pick changes. ``input``: ``price:<system key>:<route>``,
    ``usd_per_kwh``, ``hours_per_day`` … ``winner`` is the pick beyond it, in ``direction``; ``turns`` are
    every number of the sentence from which on another wins, as it is printed, and who wins there."""

    input: str
    label: str
    now: float
    at: float
    unit: str
    direction: str
    winner: str
    sentence: str
    turns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Grid:
    """The share of a plausible grid of inputs that each candidate wins, and what the grid was.

    ``device_share`` is the share that the pick's device wins, however it is paid for. ``winners`` holds the
    winner's name at each combination, in the order of the product of the axes.
    """

    cells: int
    pick_share: float
    device_share: float
    shares: tuple[tuple[str, float], ...]
    axes: tuple[tuple[str, tuple[float, ...]], ...]
    winners: tuple[str, ...]


@dataclass(frozen=True)
class Gap:
    """Something not known that could change the answer, and the one command that would settle it. ``about``
    is the device, or the candidate (``<system key>:<route>``), that it is about."""

    what: str
    command: str
    worth: str = ""
    about: str = ""


@dataclass(frozen=True)
class Confidence:
    """``level``: ``low``, ``medium`` or ``high``; the checks that held and that failed, as sentences."""

    level: str
    held: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """A scenario's answer. ``pick`` is None when there is not enough evidence; ``headline`` says it in one
    sentence either way, ``notes`` what must be said beside it. ``call`` is how plainly the pick may be
    shown (``guide.decide.wording.CALLS``). ``leader`` is then whoever would win if too old prices still held.
    ``candidates`` holds every system by each route, places first, then those that fell out.
    ``asked`` is the scenario's best question, ``answered`` the one that the evidence can answer."""

    scenario_key: str
    title: str
    reader: str
    asked: str
    answered: str
    call: str
    headline: str
    notes: tuple[str, ...]
    pick: Candidate | None
    runner_up: Candidate | None
    leader: Candidate | None
    tied: tuple[Candidate, ...]
    how_many: int | None
    candidates: tuple[Candidate, ...]
    confidence: Confidence
    flips: tuple[Flip, ...]
    grid: Grid | None
    gaps: tuple[Gap, ...]
    tasks: tuple[Task, ...]
    reference: str | None
    objective: str
    assumptions: tuple[tuple[str, str], ...]
    rests_on: tuple[str, ...]
    as_of: date


@dataclass(frozen=True)
class Surprise:
    """A finding that the rows generate. ``kind`` names the rule; ``figure`` is what cases of
    one rule are ordered by (the larger, the more telling)."""

    kind: str
    sentence: str
    why: str
    task_key: str
    figure: float
    systems: tuple[str, ...]
    rows: tuple[Row, ...] = field(default=(), repr=False, hash=False)


@dataclass(frozen=True)
class FrontierPoint:
    """A system in the plane of price and speed; ``on_frontier`` when nothing is both cheaper and faster."""

    system: System
    price: Price
    speed: Interval
    speed_interval_known: bool
    on_frontier: bool
    tier: int


@dataclass(frozen=True)
class ScalePoint:
    """One system in the question 'several cards, or one machine with unified memory?'.

    ``largest`` is the largest model (by weights) that ran, ``failed`` the smallest that ran out of memory.
    ``rates`` maps task keys to results; ``gains`` maps task keys to the ratio over one device of the same
    kind (None where one device could not run it). ``joules`` maps task keys to J per unit at rated power.
    """

    system: System
    usable_bytes: int | None
    largest: str | None
    failed: str | None
    price: Price | None
    whole_machine_usd: float | None
    rates: Mapping[str, Result] = field(hash=False)
    gains: Mapping[str, Ratio | None] = field(hash=False)
    joules: Mapping[str, float] = field(hash=False)


@dataclass(frozen=True)
class ScaleView:
    """The comparison over the tasks of one protocol; ``tasks`` are those that most of the systems ran."""

    protocol: str
    tasks: tuple[Task, ...]
    points: tuple[ScalePoint, ...]
