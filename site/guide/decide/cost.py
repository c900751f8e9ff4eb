"""What it costs: a month owned or rented, a million tokens, a job, and a unit of speed.

    capital   = (price + host) x (1 - resale share) / (12 x years)
    energy    = 365/12 x [hours x (power x load share + host watts)
                          + (on hours - hours) x (power x idle share + host watts)] / 1000 x USD per kWh
    owned     = capital + energy
    rented    = 365/12 x hours x USD per hour          (the landlord's host and electricity are inside)
    break-even hours a day: where owned = rented
    USD per million tokens  = USD per month / (tokens per second x 3600 x hours x 365/12) x 1e6
    USD per 1x of speedup   = price / speedup over the task's reference

Power is the catalog's rated power, not a measurement. A card's price and a whole computer's are never
compared as they are: a question is asked either about cards alone, or about whole machines, and then the
host allowance is added to cards. Every assumption is a field of ``Assumptions``.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guide.analysis.ratios import divide
from guide.model import BreakEven, Cost, CostRow, Interval, Price, Standing, System, Task
from guide.show.figures import usd

DAYS_PER_MONTH = 365 / 12
HOURS_PER_DAY_MAX = 24.0


@dataclass(frozen=True)
class Assumptions:
    """What the costs rest on; a reader may change each one.

    ``budget_usd`` bounds the money on the table over ``years``: the purchase, or all the rent (None: no
    bound). ``on_hours_per_day`` is how long an owned machine is switched on, at least ``hours_per_day`` of
    work. ``load_share`` and ``idle_share`` are of the rated power. ``host_usd`` is the computer around the
    first card, ``host_extra_card_usd`` what each further card adds to it.
    """

    hours_per_day: float = 8.0
    years: float = 3.0
    usd_per_kwh: float = 0.1872
    budget_usd: float | None = None
    resale_share: float = 0.3
    on_hours_per_day: float = 10.0
    load_share: float = 0.8
    idle_share: float = 0.08
    host_usd: float = 900.0
    host_extra_card_usd: float = 250.0
    host_power_w: float = 80.0

    def using(self, **changes: float | None) -> Assumptions:
        """The same with some fields changed."""
        return dataclasses.replace(self, **changes)


#: What each assumption means, for tables and the inputs of a page: name -> (label, unit).
LABELS: dict[str, tuple[str, str]] = {
    "hours_per_day": ("hours of work a day", "h"),
    "years": ("years of use", "years"),
    "usd_per_kwh": ("electricity", "USD/kWh"),
    "budget_usd": ("budget over the years", "USD"),
    "resale_share": ("resale value, share of the price", ""),
    "on_hours_per_day": ("hours switched on a day", "h"),
    "load_share": ("power at work, share of the rated power", ""),
    "idle_share": ("power at rest, share of the rated power", ""),
    "host_usd": ("computer around the first card", "USD"),
    "host_extra_card_usd": ("each further card adds to the computer", "USD"),
    "host_power_w": ("power of the computer without cards", "W"),
}


def host_usd(price: Price, count: int, given: Assumptions, whole_machine: bool) -> float:
    """The host allowance that belongs to a price: for cards in a question about whole machines."""
    if not whole_machine or price.basis != "card":
        return 0.0
    return given.host_usd + given.host_extra_card_usd * (count - 1)


def energy_usd_per_month(power_w: float, hosted: bool, given: Assumptions) -> float:
    """USD a month for electricity; ``hosted`` adds the power of the computer around cards."""
    host = given.host_power_w if hosted else 0.0
    hours = given.hours_per_day
    resting = max(0.0, given.on_hours_per_day - hours)
    watt_hours = hours * (power_w * given.load_share + host) + resting * (power_w * given.idle_share + host)
    return DAYS_PER_MONTH * watt_hours / 1000 * given.usd_per_kwh


def cost(
    price: Price,
    count: int,
    power_w: float | None,
    given: Assumptions,
    *,
    whole_machine: bool = True,
    usd_each: float | None = None,
) -> Cost:
    """What a month costs at ``price`` (at ``usd_each`` instead, when given). ``power_w`` of all devices;
    where it is not known the electricity counts as 0 and the caller must say so."""
    amount = price.usd if usd_each is None else usd_each
    months = 12 * given.years
    hours = given.hours_per_day * DAYS_PER_MONTH
    if price.route == "rent":
        rent = amount * hours
        return Cost(price.route, 0.0, 0.0, rent * months, rent, 0.0, 0.0, rent, hours)
    host = host_usd(price, count, given, whole_machine)
    up_front = amount + host
    capital = up_front * (1 - given.resale_share) / months
    hosted = whole_machine and price.basis == "card"
    energy = 0.0 if power_w is None else energy_usd_per_month(power_w, hosted, given)
    return Cost(price.route, up_front, host, up_front, capital + energy, capital, energy, 0.0, hours)


def usd_per_million(usd_per_month: float, rate_per_s: float, hours_per_month: float) -> float:
    """USD for a million units of work at ``rate_per_s``, the hours of a month at full use."""
    return usd_per_month / (rate_per_s * 3600 * hours_per_month) * 1e6


def usd_per_job(usd_per_month: float, job_s: float, hours_per_month: float) -> float:
    """USD for a job of ``job_s`` seconds, jobs filling the hours of a month."""
    return usd_per_month / hours_per_month * job_s / 3600


def break_even(
    system: System, own: Price, rent: Price, given: Assumptions, *, whole_machine: bool = True
) -> BreakEven:
    """From how many hours a day on owning costs less than renting the same system.

    Both costs are linear in the hours where the machine is on longer than it works, and where it works
    longer than it is planned to be on: the meeting point of each piece is exact.
    """

    def difference(hours: float) -> float:
        at = given.using(hours_per_day=hours)
        owned = cost(own, system.count, system.power_w, at, whole_machine=whole_machine)
        return owned.usd_per_month - cost(rent, system.count, None, at).usd_per_month

    points = sorted({0.0, min(given.on_hours_per_day, HOURS_PER_DAY_MAX), HOURS_PER_DAY_MAX})
    for start, end in itertools.pairwise(points):
        at_start, at_end = difference(start), difference(end)
        if at_start > 0 >= at_end:
            hours = start + (end - start) * at_start / (at_start - at_end)
            return BreakEven(
                system,
                own,
                rent,
                hours,
                f"Owning costs less than renting from {hours:.1f} hours a day on "
                f"({usd(own.usd)} against {usd(rent.usd)} an hour).",
            )
    return BreakEven(
        system,
        own,
        rent,
        None,
        f"Owning at {usd(own.usd)} does not get cheaper than renting at {usd(rent.usd)} an hour, "
        f"even at {HOURS_PER_DAY_MAX:.0f} hours a day.",
    )


def cost_rows(task: Task, prices: Mapping[str, Sequence[Price]]) -> tuple[CostRow, ...]:
    """The cost-per-speedup table of a task. ``prices``: system key -> its prices, one a route.

    Rows of one basis and route stand together, cheapest speedup first: they must not be ranked across.
    Devices alone, without host: what a unit of speed costs, not what a machine costs.
    """
    found: list[CostRow] = []
    for standing in task.standings:
        for price in prices.get(standing.result.system.key, ()):
            found.append(_cost_row(task, standing, price))
    return tuple(sorted(found, key=lambda r: (r.price.route, r.price.basis, r.per_speedup_usd, r.system.key)))


def _cost_row(task: Task, standing: Standing, price: Price) -> CostRow:
    result, speedup = standing.result, standing.speedup
    rented = price.route == "rent"
    tokens = rented and task.unit == "tokens/s"
    return CostRow(
        task_key=task.key,
        system=result.system,
        price=price,
        speedup=speedup,
        per_speedup_usd=price.usd / speedup.value,
        interval=_price_over(price, speedup.interval),
        usd_per_million=price.usd / (result.rate * 3600) * 1e6 if tokens and result.rate else None,
        usd_per_job=price.usd * result.job_s / 3600 if rented and result.job_s else None,
    )


def _price_over(price: Price, speedup: Interval | None) -> Interval | None:
    if speedup is None:
        return None
    return divide(Interval(price.low_usd, price.usd, price.high_usd), speedup)


def assumption_lines(
    given: Assumptions, sources: Mapping[str, str], base: Assumptions
) -> tuple[tuple[str, str], ...]:
    """(what, figure with its source) of each assumption, for the page that rests on them.

    ``sources`` speak of the values of ``base``; a value that was changed from there is the scenario's own.
    """
    lines = []
    for name, (label, unit) in LABELS.items():
        value = getattr(given, name)
        shown = "no bound" if value is None else usd(value) if unit == "USD" else f"{value:g} {unit}".strip()
        told = sources.get(name) if value == getattr(base, name) else "set for this reader"
        lines.append((label, f"{shown} ({told})" if told else shown))
    return tuple(lines)
