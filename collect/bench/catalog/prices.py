"""What a device costs: dated, sourced observations, and one function that answers from them.

A price has a *route*, and routes never mix: a card alone, a whole computer, an hour on demand, an hour of
spot capacity. Within a route an answer rests on the newest observation and those up to ``WINDOW_DAYS``
older, so that last year's prices do not blur this month's. A stale answer (older than its limit, or undated)
is still given, marked as such: it may be shown, it cannot carry a recommendation alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from bench.catalog.table import Line, read_lines
from bench.errors import BenchError

KINDS = {
    "launch": "list price when the device came out; history, not a price of today",
    "new": "a new device, from a shop",
    "used": "a used device",
    "system": "a whole new computer with the device in it",
    "system-used": "a whole used computer with the device in it",
    "rent-on-demand": "an hour on demand, host included",
    "rent-spot": "an hour of capacity that can be taken back, host included",
}

#: kind -> route. Amounts of two routes are never put into one figure.
ROUTES = {
    "launch": "card",
    "new": "card",
    "used": "card",
    "system": "system",
    "system-used": "system",
    "rent-on-demand": "rent-on-demand",
    "rent-spot": "rent-spot",
}

#: Days after which an answer is stale. Rents moved by half within a year, so they age faster than purchases.
STALE_AFTER_DAYS = {"card": 400, "system": 400, "rent-on-demand": 200, "rent-spot": 200}

#: Observations this much older than the newest one still count beside it.
WINDOW_DAYS = 120

STATS = {
    "list": "the seller's list price",
    "min": "the cheapest of several offers",
    "median": "the median of several offers",
    "last": "the last price of one offer",
    "approx": "rounded by the source",
    "report": "what one buyer paid",
    "range-low": "the lower end of a stated range",
    "range-high": "the upper end of a stated range",
}

COLUMNS = (
    "device_id", "kind", "amount_usd", "per", "device_count", "provider", "region", "observed_on", "stat",
    "source", "note",
)  # fmt: skip

#: Words by which a source says that an offer is not bound to one place.
_ANYWHERE = ("global", "multiple", "various", "regions")


@dataclass(frozen=True)
class Observation:
    """One price seen at one place and time; ``amount_usd`` is for ``device_count`` devices."""

    device_id: str
    kind: str
    amount_usd: float
    per: str
    device_count: int
    provider: str | None
    region: str | None
    observed_on: date | None
    stat: str
    source: str
    note: str | None
    line: int

    @property
    def each_usd(self) -> float:
        """USD for one device (or one device for an hour)."""
        return self.amount_usd / self.device_count

    @property
    def route(self) -> str:
        return ROUTES[self.kind]

    def covers(self, region: str) -> bool:
        """Whether the offer holds in a region; offers without a place hold everywhere."""
        here = (self.region or "").casefold()
        if not here or any(word in here for word in _ANYWHERE):
            return True
        parts = {part.strip() for part in here.replace("/", ",").split(",")}
        return region.casefold() in parts | {here}


@dataclass(frozen=True)
class Quote:
    """What one device costs by one route, in USD per ``per`` ('unit' or 'hour').

    ``median_usd`` is the median of prices that stand for the offer; cheapest-of-several prices and range
    ends set ``low_usd`` and ``high_usd`` and count for the median only where there is nothing else.
    ``newest`` and ``age_days`` are None when no observation is dated.
    """

    device_id: str
    route: str
    per: str
    low_usd: float
    median_usd: float
    high_usd: float
    newest: date | None
    age_days: int | None
    limit_days: int
    observations: tuple[Observation, ...]

    @property
    def stale(self) -> bool:
        """Too old for a recommendation to rest on it alone; an undated price always is."""
        return self.age_days is None or self.age_days > self.limit_days

    @property
    def n(self) -> int:
        return len(self.observations)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(sorted({o.kind for o in self.observations}))

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(sorted({o.source for o in self.observations}))


class PriceBook:
    """All observations, by device."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        self.observations: tuple[Observation, ...] = tuple(observations)
        self._by_device: dict[str, list[Observation]] = {}
        for observation in self.observations:
            self._by_device.setdefault(observation.device_id, []).append(observation)

    @classmethod
    def load(cls, path: Path, *, known: Collection[str] | None = None) -> PriceBook:
        """Read ``prices.csv``; with ``known``, every device id must be one of them.

        Raises ``BenchError`` naming line, column and what was expected.
        """
        return cls(_sound(each_price(Path(path), known)))

    def of(self, device_id: str) -> tuple[Observation, ...]:
        """Every observation of a device, in the file's order."""
        return tuple(self._by_device.get(device_id, ()))

    def quote(
        self,
        device_id: str,
        *,
        kinds: Collection[str],
        as_of: date | datetime,
        region: str | None = None,
        limit_days: int | None = None,
    ) -> Quote | None:
        """What the device costs as of a day, or None when nothing of these kinds was seen by then.

        ``kinds`` must belong to one route (``ValueError`` otherwise). Undated observations answer only
        where no dated one does. ``limit_days`` overrides ``STALE_AFTER_DAYS``.
        """
        route = _route(kinds)
        day = as_of.date() if isinstance(as_of, datetime) else as_of
        found = [
            o
            for o in self.of(device_id)
            if o.kind in kinds
            and (o.observed_on is None or o.observed_on <= day)
            and (region is None or o.covers(region))
        ]
        if not found:
            return None
        dated = [o for o in found if o.observed_on is not None]
        newest = max((o.observed_on for o in dated), default=None)
        if newest is not None:
            found = [o for o in dated if (newest - o.observed_on).days <= WINDOW_DAYS]
        each = [o.each_usd for o in found]
        return Quote(
            device_id=device_id,
            route=route,
            per=found[0].per,
            low_usd=min(each),
            median_usd=statistics.median(_central(found)),
            high_usd=max(each),
            newest=newest,
            age_days=None if newest is None else (day - newest).days,
            limit_days=STALE_AFTER_DAYS[route] if limit_days is None else limit_days,
            observations=tuple(found),
        )


def each_price(
    path: Path, known: Collection[str] | None = None
) -> Iterator[tuple[int, Observation | BenchError]]:
    """Line number and observation of each line, or the error where a line is none.

    Raises ``BenchError`` where the file cannot be read on from, as at a wrong header.
    """
    for line in read_lines(path, COLUMNS):
        try:
            yield line.number, observation_of(line, known)
        except BenchError as error:
            yield line.number, error


def _sound(found: Iterable[tuple[int, Observation | BenchError]]) -> Iterator[Observation]:
    for _, item in found:
        if isinstance(item, BenchError):
            raise item
        yield item


def _route(kinds: Collection[str]) -> str:
    unknown = sorted(set(kinds) - set(ROUTES))
    if unknown or not kinds:
        raise ValueError(f"price kinds must be some of {', '.join(ROUTES)}, not {unknown or 'nothing'}")
    routes = sorted({ROUTES[kind] for kind in kinds})
    if len(routes) > 1:
        raise ValueError(f"prices of {' and '.join(routes)} never mix; ask for one route at a time")
    return routes[0]


def _central(found: list[Observation]) -> list[float]:
    """Per-device prices that stand for an offer. The two ends of a range count once, by their middle."""
    central = [o.each_usd for o in found if o.stat not in ("min", "range-low", "range-high")]
    ends: dict[tuple, list[float]] = {}
    for o in found:
        if o.stat.startswith("range-"):
            ends.setdefault((o.source, o.provider, o.observed_on, o.kind), []).append(o.each_usd)
    central += [statistics.fmean(values) for values in ends.values()]
    return central or [o.each_usd for o in found]


def observation_of(line: Line, known: Collection[str] | None) -> Observation:
    """The observation of one line. Raises ``BenchError`` naming the column and what was expected."""
    device_id = line.text("device_id", required=True)
    if known is not None and device_id not in known:
        raise line.fault("device_id", "the id of a device in devices.csv")
    kind = line.choice("kind", KINDS, required=True)
    per = line.choice("per", ("hour",) if kind.startswith("rent-") else ("unit",), required=True)
    return Observation(
        device_id=device_id,
        kind=kind,
        amount_usd=line.number_in("amount_usd", 0.001, 10_000_000, required=True, unit="USD"),
        per=per,
        device_count=line.integer("device_count", 1, 100_000, required=True),
        provider=line.text("provider"),
        region=line.text("region"),
        observed_on=line.day("observed_on"),
        stat=line.choice("stat", STATS, required=True),
        source=line.text("source", required=True),
        note=line.text("note"),
        line=line.number,
    )
