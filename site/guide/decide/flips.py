"""What would change the answer: prices and inputs at which another contender wins, and how often it does.

Every flip is found by deciding again: the value that is stored is one at which the pick *is* another.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

from guide.decide.cost import LABELS, Assumptions
from guide.decide.judge import Contender, Rule, decide
from guide.decide.scenarios import ROUTES
from guide.decide.verdicts import Flip, Grid
from guide.show.figures import decimals, number, percent, usd

#: A flip is found to this share of the last digit that is printed, or to this much where that is less.
PRECISION = 0.1
LEAST_STEP = 1e-7
#: So small a share of that digit tells "below 2,600" from "at 2,599 and below".
HAIR = 1e-4
#: How far each input is searched, as the least and the greatest value.
RANGES: dict[str, tuple[float, float]] = {
    "hours_per_day": (0.25, 24.0),
    "usd_per_kwh": (0.02, 1.0),
    "years": (0.5, 8.0),
    "resale_share": (0.0, 0.9),
}
#: Budgets are searched from a fifth to five times the reader's.
BUDGET_SPAN = 5.0
STEPS = 24
#: Price rises beyond this factor are not searched: nobody would still buy.
MOST_DEARER = 10.0
#: The highest price in USD that is tried for what has none; whatever wins there too wins at any price.
MOST_USD = 10_000_000.0
#: Who wins where everything falls out.
NOTHING = "nothing"
LEAST_PRICE = {"rent": 0.001, "buy-new": 1.0, "buy-used": 1.0}


def name_of(contender: Contender) -> str:
    """``GeForce RTX 4090, rented``."""
    return f"{contender.system.label}, {ROUTES[contender.route]}"


def choosing(contender: Contender) -> str:
    """``renting GeForce RTX 4090``: the contender as the subject of a sentence."""
    how = {"buy-new": "buying {} new", "buy-used": "buying {} used", "rent": "renting {}"}
    return how[contender.route].format(contender.system.label)


def price_flips(contenders: Sequence[Contender], rule: Rule, given: Assumptions) -> tuple[Flip, ...]:
    """The pick's price from which on it loses, and each other's price from which down it wins.

    Each flip is a point next to which the pick is another. Nearest first: the smallest relative change of a
    price; prices that are not known come last.
    """
    pick = decide(contenders, rule, given).winner
    if pick is None:
        return ()
    by_key = {c.key: c for c in contenders}
    found = [_dearer(contenders, rule, given, by_key[pick])]
    others = [c for c in contenders if c.price_key != by_key[pick].price_key]
    found += [_cheaper(contenders, rule, given, c) for c in others]
    flips = [f for f in found if f is not None]
    # One route and bin of a device is enough: the one that needs the smallest change.
    flips.sort(key=lambda f: (f.now == 0, abs(f.at / f.now - 1) if f.now else f.at, f.input))
    seen: set[tuple[str, int]] = set()
    kept = []
    for flip in flips:
        system = by_key[flip.input.removeprefix("price:")].system
        device = (system.device_id or system.key, system.count)
        if device not in seen:
            seen.add(device)
            kept.append(flip)
    return tuple(kept)


def _dearer(contenders: Sequence[Contender], rule: Rule, given: Assumptions, pick: Contender) -> Flip | None:
    now = pick.price.usd if pick.price else 0.0

    def winner(amount: float) -> str | None:
        return decide(contenders, rule, given, {pick.price_key: amount}).winner

    if now <= 0:
        return None
    first = _first(_steps(now, now * MOST_DEARER), lambda amount: winner(amount) != pick.key, _places_of_usd)
    if first is None:
        return None
    at, _ = first
    other = winner(at)
    by_key = {c.key: c for c in contenders}
    after = f"{choosing(by_key[other])} wins" if other else "nothing is left to pick"
    return Flip(
        input=f"price:{pick.key}",
        label=f"price of {name_of(pick)}",
        now=now,
        at=at,
        unit=_price_unit(pick),
        direction="above",
        winner=name_of(by_key[other]) if other else "",
        sentence=f"From {usd(at)}{_hourly(pick)} on for {name_of(pick)} (now {usd(now)}), {after}.",
    )


def _cheaper(
    contenders: Sequence[Contender], rule: Rule, given: Assumptions, rival: Contender
) -> Flip | None:
    least = LEAST_PRICE[rival.route] * rival.system.count

    def wins(amount: float) -> bool:
        return decide(contenders, rule, given, {rival.price_key: amount}).winner == rival.key

    if not wins(least):
        return None
    # Where the known price cannot carry a pick (too old), the same price seen afresh may win at once.
    now = rival.price.usd if rival.price else 0.0
    if now > 0 and wins(now):
        at, words = now, f"At {usd(now)}{_hourly(rival)}, seen afresh (the known price is too old)"
    elif now <= 0 and wins(MOST_USD):
        at, words = MOST_USD, "At any price (none is known)"
    else:
        # Where the merit is speed or energy a lower price never hurts, so there is one such point.
        found = _printable(now if now > 0 else MOST_USD, least, wins, _places_of_usd)
        if found is None:
            return None
        at, _ = found
        fresh = rival.price is not None and rival.price.fresh
        known = f" ({'now' if fresh else 'last seen at'} {usd(now)})" if now > 0 else " (no price is known)"
        words = f"At {usd(at)}{_hourly(rival)} or less{known}"
    return Flip(
        input=f"price:{rival.key}",
        label=f"price of {name_of(rival)}",
        now=now,
        at=at,
        unit=_price_unit(rival),
        direction="below",
        winner=name_of(rival),
        sentence=f"{words}, {choosing(rival)} wins.",
    )


def _steps(now: float, end: float) -> list[float]:
    """Values from ``now`` to ``end``, each the same factor from the next where both are above 0."""
    if now > 0 and end > 0:
        return [now * (end / now) ** (step / STEPS) for step in range(STEPS + 1)]
    return [now + (end - now) * step / STEPS for step in range(STEPS + 1)]


def _first(
    points: Sequence[float], holds: Callable[[float], bool], places: Callable[[float], int]
) -> tuple[float, float | None] | None:
    """The first value on the way along the points where ``holds`` is true, as ``_printable`` gives it; it is
    not true at the first point."""
    for before, after in itertools.pairwise(points):
        if holds(after):
            found = _printable(before, after, holds, places)
            if found is not None:
                return found
    return None


def _printable(
    outside: float, inside: float, holds: Callable[[float], bool], places: Callable[[float], int]
) -> tuple[float, float | None] | None:
    """The value nearest to ``outside`` at which ``holds`` is true and which is printed as it is; None where
    there is none next to the point where it becomes true. The second is the last printed value at which it is
    not true, where the next best thing beyond it is: *below* that one is then the plainer way to say it.
    """
    at = _bisect(outside, inside, holds, places)
    digits = places(at)
    step = 10.0**-digits
    below = inside < outside
    floor = math.floor(at / step)
    # From the side of ``outside``; one further where the point lies between two printed values.
    order = [floor + 1, floor, floor - 1] if below else [floor, floor + 1, floor + 2]
    before = None
    for whole in order:
        value = float(f"{whole * step:.{digits}f}")
        if value != outside and holds(value):
            near = before is not None and holds(before + (-step if below else step) * HAIR)
            return value, before if near else None
        before = value
    return None


def _places_of_usd(value: float) -> int:
    """Decimal places with which ``usd`` prints this amount."""
    return 0 if value >= 100 else 2 if value >= 1 else decimals(value)


def _bisect(
    outside: float, inside: float, holds: Callable[[float], bool], places: Callable[[float], int]
) -> float:
    """A value where ``holds`` is true, nearer to ``outside`` (where it is not) than is printed."""
    while abs(inside - outside) > max(PRECISION * 10.0 ** -places(inside), LEAST_STEP):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def _price_unit(contender: Contender) -> str:
    return "USD/h" if contender.route == "rent" else "USD"


def _hourly(contender: Contender) -> str:
    return " an hour" if contender.route == "rent" else ""


def input_flips(contenders: Sequence[Contender], rule: Rule, given: Assumptions) -> tuple[Flip, ...]:
    """The nearest value of each input, upwards and downwards, at which the pick changes."""
    pick = decide(contenders, rule, given).winner
    if pick is None:
        return ()
    ranges = dict(RANGES)
    if given.budget_usd:
        ranges["budget_usd"] = (given.budget_usd / BUDGET_SPAN, given.budget_usd * BUDGET_SPAN)
    found = []
    for name, (low, high) in ranges.items():
        now = float(getattr(given, name))
        for end, direction in ((low, "below"), (high, "above")):
            if (end < now) != (direction == "below"):
                continue  # a reader's number may lie outside the range that is searched
            flip = _input_flip(contenders, rule, given, name, now, end, direction, pick)
            if flip is not None:
                found.append(flip)
    return tuple(found)


def _input_flip(
    contenders: Sequence[Contender],
    rule: Rule,
    given: Assumptions,
    name: str,
    now: float,
    end: float,
    direction: str,
    pick: str,
) -> Flip | None:
    def changed(value: float) -> bool:
        return decide(contenders, rule, given.using(**{name: value})).winner != pick

    label, unit = LABELS[name]
    first = _first(_steps(now, end), changed, _places_of_usd if unit == "USD" else decimals)
    if first is None:
        return None
    at, bound = first
    winner = decide(contenders, rule, given.using(**{name: at})).winner
    by_key = {c.key: c for c in contenders}
    after_it = f"{choosing(by_key[winner])} wins" if winner else "nothing is left to pick"
    told = at if bound is None else bound
    shown = usd(told) if unit == "USD" else f"{number(told)} {unit}".strip()
    where = f"at {shown} and {direction}" if bound is None else f"{direction} {shown}"
    return Flip(
        input=name,
        label=label,
        now=now,
        at=at,
        unit=unit,
        direction=direction,
        winner=name_of(by_key[winner]) if winner else "",
        sentence=f"{label[0].upper()}{label[1:]}: {where}, {after_it}.",
    )


def grid(
    contenders: Sequence[Contender],
    rule: Rule,
    given: Assumptions,
    axes: Sequence[tuple[str, Sequence[float]]],
) -> Grid | None:
    """How often each contender wins over all combinations of the axes; None when there is no pick.

    ``price_factor`` multiplies the pick's price alone: how wrong may that price be? All combinations count
    alike; that is a statement about robustness, not a probability.
    """
    decided = decide(contenders, rule, given)
    if decided.winner is None:
        return None
    pick = decided.ranked[0].contender
    now = pick.price.usd if pick.price else 0.0
    names = [name for name, _ in axes]
    winners: list[str] = []
    for values in itertools.product(*(values for _, values in axes)):
        at = dict(zip(names, values, strict=True))
        supposed = {pick.price_key: now * at.pop("price_factor", 1.0)}
        winners.append(decide(contenders, rule, given.using(**at), supposed).winner or "")
    wins = Counter(winners)
    total = len(winners)
    by_key = {c.key: name_of(c) for c in contenders}
    same = {c.key for c in contenders if _device(c) == _device(pick)}
    shares = sorted(wins.items(), key=lambda item: (-item[1], item[0]))
    return Grid(
        cells=total,
        pick_share=wins[pick.key] / total,
        device_share=sum(wins[key] for key in same) / total,
        shares=tuple((by_key.get(key, NOTHING), count / total) for key, count in shares),
        axes=tuple((name, tuple(values)) for name, values in axes),
        winners=tuple(by_key.get(key, NOTHING) for key in winners),
    )


def _device(contender: Contender) -> tuple[str, int]:
    """What is one device to a buyer: its bins and the way of paying do not count."""
    return contender.system.device_id or contender.system.key, contender.system.count


def axes_words(found: Grid) -> str:
    """``the price of the pick, electricity and hours of work a day``."""
    names = ["price of the pick" if n == "price_factor" else LABELS[n][0] for n, _ in found.axes]
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def grid_words(found: Grid) -> str:
    """``wins in 83 % of 150 combinations of prices, electricity and hours``, and who wins more, if anyone."""
    words = f"wins in {percent(found.pick_share)} of {found.cells} combinations of {axes_words(found)}"
    if found.device_share > found.pick_share:
        words += f", and in {percent(found.device_share)} however it is paid for"
    best, share = found.shares[0]
    if share > found.pick_share:
        return f"{words} ({best}, wins in {percent(share)})"
    none = dict(found.shares).get(NOTHING, 0.0)
    return f"{words} (in {percent(none)} nothing is left to pick)" if none else words


def rules() -> tuple[str, ...]:
    """How flip points are found, as sentences for the Methodology page, from the constants."""
    ranges = "; ".join(
        f"{LABELS[name][0]}, {low:g} to {high:g} {LABELS[name][1]}".strip()
        for name, (low, high) in RANGES.items()
    )
    return (
        "Flip points are found by deciding again with one number changed, to the digits that are printed: "
        "whoever is named wins at the printed number (beyond it, where it says below or above).",
        f"Searched are {ranges}; the budget, {1 / BUDGET_SPAN:g} to {BUDGET_SPAN:g} times the reader's; the "
        f"pick's price, up to {MOST_DEARER:g} times as much; every other price, down to next to nothing.",
        "The share of the grid is how many of all combinations of plausible numbers the pick wins, all "
        "counted alike: robustness, not probability.",
    )
