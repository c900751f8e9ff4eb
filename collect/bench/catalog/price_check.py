"""Are the prices sound and current? Malformed lines, doubles, outliers, and what has gone stale."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path

from bench import times
from bench.catalog.prices import KINDS, WINDOW_DAYS, Observation, PriceBook, each_price
from bench.catalog.remarks import Remark, in_order, of_error
from bench.errors import BenchError

#: An observation this many times above or below the median of the others of its device and kind.
OUTLIER = 2.5
#: Others that are needed to call one an outlier.
ENOUGH = 3
#: The cheapest of several offers and the ends of a range are far out by what they are.
_ENDS = ("min", "range-low", "range-high")


def check_prices(path: Path, known: Collection[str], as_of: date) -> list[Remark]:
    """What is wrong with ``prices.csv`` as of a day, errors first.

    Errors: a line that does not read (its source, device or amount), a day after ``as_of`` or before 1990,
    and two lines that say the same. Warnings: one offer at two amounts, a price without a day, one far from
    the others of its kind and device, spot capacity dearer than on demand, and what a device costs by a kind
    when that is stale. Raises ``BenchError`` when the file cannot be read.
    """
    remarks: list[Remark] = []
    sound: list[Observation] = []
    for line, found in each_price(path, known):
        if isinstance(found, BenchError):
            remarks.append(of_error(path, line, found))
        else:
            sound.append(found)
    for check in (_doubles, _outliers, _spot_above_demand):
        remarks += check(sound)
    remarks += _days(sound, as_of)
    remarks += _stale(PriceBook(sound), as_of)
    return in_order(remarks)


def offer(o: Observation) -> tuple[object, ...]:
    """What makes two observations the same offer, whatever their amount and note."""
    return (o.device_id, o.kind, o.device_count, o.provider, o.region, o.observed_on, o.stat, o.source)


def same(a: Observation, b: Observation) -> bool:
    """Whether two lines say the same: one offer at one amount, or at one note (then one amount is wrong)."""
    return offer(a) == offer(b) and (a.amount_usd == b.amount_usd or a.note == b.note)


def _doubles(sound: Iterable[Observation]) -> Iterator[Remark]:
    seen: dict[tuple[object, ...], list[Observation]] = defaultdict(list)
    for o in sound:
        first = next((other for other in seen[offer(o)] if same(o, other)), None)
        if first is not None and first.amount_usd == o.amount_usd:
            yield _remark("error", "double", o, f"says the same as line {first.line}; take one out")
        elif first is not None:
            text = (
                f"is {o.amount_usd:g} USD, and line {first.line} says {first.amount_usd:g} of the same: "
                "a note should tell them apart"
            )
            yield _remark("warning", "double", o, text)
        seen[offer(o)].append(o)


def _days(sound: Iterable[Observation], as_of: date) -> Iterator[Remark]:
    for o in sound:
        if o.observed_on is None:
            text = "has no day, so it answers only where nothing else does, and always as stale"
            yield _remark("warning", "undated", o, text)
        elif o.observed_on < times.EARLIEST.date():
            yield _remark("error", "early", o, f"was seen on {o.observed_on}, before {times.EARLIEST.year}")
        elif o.observed_on > as_of:
            yield _remark("error", "future", o, f"was seen on {o.observed_on}, which is after {as_of}")


def _outliers(sound: Iterable[Observation]) -> Iterator[Remark]:
    groups: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    for o in sound:
        if o.observed_on is not None:
            groups[o.device_id, o.kind].append(o)
    for group in groups.values():
        for o in group:
            if o.stat in _ENDS:
                continue
            near = [
                p.each_usd
                for p in group
                if p is not o
                and p.stat not in _ENDS
                and abs((p.observed_on - o.observed_on).days) <= WINDOW_DAYS
            ]
            if len(near) < ENOUGH:
                continue
            middle = statistics.median(near)
            ratio = o.each_usd / middle
            if not 1 / OUTLIER <= ratio <= OUTLIER:
                text = (
                    f"{o.each_usd:,.2f} USD {'an hour' if o.per == 'hour' else 'each'} is "
                    f"{ratio:.2g} times the median of {len(near)} others of its time ({middle:,.2f})"
                )
                yield _remark("warning", "outlier", o, text)


def _spot_above_demand(sound: list[Observation]) -> Iterator[Remark]:
    def where(o: Observation) -> tuple[object, ...]:
        return (o.device_id, o.device_count, o.provider, o.region, o.observed_on, o.stat)

    demand: dict[tuple[object, ...], Observation] = {}
    for o in sorted(sound, key=lambda o: o.each_usd):
        if o.kind == "rent-on-demand":
            demand[where(o)] = o  # the dearest of several
    for o in sound:
        other = demand.get(where(o)) if o.kind == "rent-spot" else None
        if other is not None and o.each_usd > other.each_usd:
            text = (
                f"spot at {o.each_usd:.2f} USD an hour is dearer than on demand at {other.each_usd:.2f} "
                f"(line {other.line})"
            )
            yield _remark("warning", "spot", o, text)


def _stale(book: PriceBook, as_of: date) -> Iterator[Remark]:
    for device_id in sorted({o.device_id for o in book.observations}):
        for kind in KINDS:
            quote = None if kind == "launch" else book.quote(device_id, kinds=(kind,), as_of=as_of)
            if quote is None or not quote.stale or quote.newest is None:
                continue
            text = (
                f"the newest of kind {kind} is of {quote.newest}, {quote.age_days} days before {as_of}; "
                f"after {quote.limit_days} it carries no recommendation alone"
            )
            yield Remark("warning", "stale", quote.observations[-1].line, device_id, text)


def _remark(severity: str, check: str, o: Observation, text: str) -> Remark:
    return Remark(severity, check, o.line, f"{o.device_id} {o.kind}", text)
