"""What the analysis hands to the pages: frozen records of the evidence and of costs, hardly any behaviour.

Everything is ordered and comparable, so that equal rows give equal pages. Units stand in the names;
``None`` always means "not known" and is accompanied by a reason where a reader would ask for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple

from bench.compare.intervals import Interval
from bench.schema import Row
from guide.analysis.origins import Counts as Counts
from guide.analysis.origins import LeftOut as LeftOut
from guide.analysis.origins import Source as Source


@dataclass(frozen=True)
class System:
    """One device, or several equal ones that work together: the thing that is compared, bought or rented.

    ``key`` is a slug fit for a file name or an anchor (``nvidia-rtx-4090``, ``nvidia-rtx-4090-x4``, and
    ``unlisted-…`` for a name the catalog does not resolve). ``candidates`` are the catalog devices that an
    unresolved family name could mean; ``variant`` is a bin of the device (``7-core GPU``).
    ``memory_bytes`` (what software sees), ``sold_gib`` (what the maker prints) and ``power_w`` are of all
    devices together; ``memory_assumed``: it is the least of the sizes that the name may mean;
    ``power_w`` is the rated power of the catalog, never a measurement. ``device_class`` is the catalog's
    (``bench.catalog.devices.CLASSES``), ``form`` what it is sold as (``FORMS`` there), ``released`` its date
    as far as known (YYYY, YYYY-MM or YYYY-MM-DD).
    """

    key: str
    label: str
    name: str
    device_id: str | None
    count: int
    vendor: str | None = None
    device_class: str | None = None
    form: str | None = None
    memory_bytes: int | None = None
    sold_gib: float | None = None
    unified_memory: bool = False
    memory_assumed: bool = False
    power_w: float | None = None
    released: str | None = None
    candidates: tuple[str, ...] = ()
    unresolved_reason: str | None = None
    partition: str | None = None
    variant: str | None = None


@dataclass(frozen=True)
class Result:
    """What is known of one system on one task: one row, or several combined.

    ``status`` is ``ok`` or, where no row is ok, the most telling other status, with its ``detail``.
    ``rate`` carries the 95 % interval when the rows state one (``interval`` is then set), and always the
    wider ``band`` used for ties (see ``analysis.tiers``). ``n`` counts rows, ``sample_count`` repetitions.
    ``differs`` lists the conditions in which the combined rows differ. ``passed_over`` are disturbed rows
    that do not count beside the undisturbed ones (``bench.compare.figure``).
    """

    system: System
    status: str
    detail: str | None
    rate: float | None
    unit: str | None
    interval: Interval | None
    band: Interval | None
    n: int
    sample_count: int | None
    origins: tuple[str, ...]
    value_kinds: tuple[str, ...]
    source_ids: tuple[str, ...]
    flags: tuple[str, ...]
    newest: datetime
    job_s: float | None = None
    first_token_ms: float | None = None
    inter_token_p50_ms: float | None = None
    inter_token_p95_ms: float | None = None
    inter_token_p99_ms: float | None = None
    energy_j_per_work: float | None = None
    energy_scope: str | None = None
    mean_power_w: float | None = None
    efficiency: float | None = None
    bound: str | None = None
    differs: tuple[str, ...] = ()
    rows: tuple[Row, ...] = field(default=(), repr=False, hash=False)
    passed_over: tuple[Row, ...] = field(default=(), repr=False, hash=False)

    @property
    def ok(self) -> bool:
        """Whether there is a rate to show."""
        return self.rate is not None


@dataclass(frozen=True)
class Ratio:
    """``a`` over ``b`` in rate (above 1: ``a`` is faster). ``interval`` is None when either side states
    none, and ``reason`` then says so. ``verdict``: ``faster``, ``slower``, ``tied`` or ``unknown``."""

    value: float
    interval: Interval | None
    verdict: str
    reason: str | None = None

    @property
    def within_band(self) -> bool:
        """Tied by what such figures can tell at best, although the stated intervals alone tell them apart."""
        apart = self.interval is not None and not self.interval.low <= 1 <= self.interval.high
        return self.verdict == "tied" and apart


@dataclass(frozen=True)
class Standing:
    """A result's place in its task: tier 1 is the best; ``speedup`` is over the task's reference."""

    result: Result
    tier: int
    speedup: Ratio


@dataclass(frozen=True)
class Reference:
    """What a task's speedups are over, and by which rule it was chosen (one sentence for readers)."""

    result: Result
    rule: str
    is_cpu: bool


@dataclass(frozen=True)
class Task:
    """Everything measured under one ``task_key``.

    ``label`` is for people; ``columns`` holds the task's own columns (``bench.schema.TASK_FIELDS``).
    ``standings`` are the systems with a rate, fastest first; ``failures`` those without (out of memory …).
    ``kind`` is what may be blended at most: workload, one stream or batched, burst or sustained.
    ``withdrawn`` holds the keys of systems whose only rows of the task have been withdrawn.
    """

    key: str
    label: str
    short_label: str
    slug: str
    kind: str
    workload: str
    model: str | None
    unit: str | None
    columns: Mapping[str, object] = field(hash=False)
    source_ids: tuple[str, ...]
    reference: Reference | None
    standings: tuple[Standing, ...]
    failures: tuple[Result, ...]
    withdrawn: frozenset[str] = frozenset()

    def of(self, system_key: str) -> Result | None:
        """The result of a system, with or without a rate; None when it never tried."""
        standing = self.rated.get(system_key)
        return standing.result if standing else self.failed.get(system_key)

    def standing(self, system_key: str) -> Standing | None:
        """The standing of a system that has a rate on this task."""
        return self.rated.get(system_key)

    # Every page asks every task for every system: looking through them took a tenth of a build.
    @cached_property
    def rated(self) -> dict[str, Standing]:
        """The standings by system."""
        return {s.result.system.key: s for s in self.standings}

    @cached_property
    def failed(self) -> dict[str, Result]:
        """The failures by system."""
        return {r.system.key: r for r in self.failures}

    @cached_property
    def tiers(self) -> int:
        """How many tiers the systems with a rate make; 0 where there are none."""
        return max((s.tier for s in self.standings), default=0)


@dataclass(frozen=True)
class Fit:
    """Does it fit? ``verdict``: ``fits``, ``tight`` (under 10 % to spare), ``no`` or ``unknown``.

    ``basis``: ``measured`` (a row ran it, or ran out of memory) or ``computed``. ``sentence`` says it all.
    """

    verdict: str
    basis: str
    sentence: str
    need_bytes: int | None = None
    usable_bytes: int | None = None

    @property
    def ok(self) -> bool:
        """Whether it can be bought for this: fits, if only just."""
        return self.verdict in ("fits", "tight")


@dataclass(frozen=True)
class Price:
    """What a system costs by one way of getting it, as of the guide's date.

    ``route``: ``buy-new``, ``buy-used`` or ``rent``. ``basis``: ``card`` (bare), ``system`` (whole
    computer) or ``rental``. Amounts are USD for the whole system (or for an hour of it): all its devices,
    no host. Undated prices and ``launch`` prices are never current prices and do not appear here.
    ``candidates`` is more than one catalog device when the system's name is a family: the amounts are then
    the range over them. ``n`` counts offers: sellers, as told by one source each. ``any_size``: the device
    is sold with several memory sizes, and nobody says that the price is of the largest: it may not buy the
    memory that the rows ran with. ``least_gib`` is then the smallest size that the price may be of, as
    prices of its devices name it; None where none does.
    """

    route: str
    basis: str
    low_usd: float
    usd: float
    high_usd: float
    observed_on: date
    age_days: int
    fresh: bool
    n: int
    sources: tuple[str, ...]
    candidates: tuple[str, ...]
    note: str = ""
    any_size: bool = False
    least_gib: float | None = None


class Cost(NamedTuple):
    """What a month of a system costs under given assumptions (``guide.decide.cost``), in USD.

    ``up_front_usd`` is what is paid on day one (purchase and host; 0 when renting); ``total_usd`` is the
    whole life's spending before electricity: what a budget is held against.
    """

    route: str
    up_front_usd: float
    host_usd: float
    total_usd: float
    usd_per_month: float
    capital_usd_per_month: float
    electricity_usd_per_month: float
    rent_usd_per_month: float
    hours_per_month: float


@dataclass(frozen=True)
class CostRow:
    """One line of the cost-per-speedup table: USD per 1x over the task's reference.

    ``per_speedup_usd`` is price over speedup: USD for purchases, USD an hour for rent; ``interval`` is
    that figure's, from the speedup's and the price's own ranges. ``usd_per_million`` is set for tokens/s
    while renting, ``usd_per_job`` where a whole job's time is known.
    """

    task_key: str
    system: System
    price: Price
    speedup: Ratio
    per_speedup_usd: float
    interval: Interval | None
    usd_per_million: float | None = None
    usd_per_job: float | None = None


@dataclass(frozen=True)
class BreakEven:
    """Owning against renting the same system: owning wins above ``hours_per_day``; None when it never
    does (``sentence`` says why)."""

    system: System
    own: Price
    rent: Price
    hours_per_day: float | None
    sentence: str
