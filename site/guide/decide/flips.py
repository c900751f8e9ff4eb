"""What would change the answer: prices and inputs at which another contender wins, and how often it does.

Every flip is found by deciding again: the value that is stored is one at which the pick *is* another.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from guide.decide.cost import LABELS, Assumptions
from guide.decide.judge import Contender, Rule, decide, winner_of
from guide.decide.scenarios import ROUTES
from guide.decide.turns import places_of_usd, printable, turns
from guide.decide.verdicts import Flip, Grid
from guide.show.figures import decimals, number, percent, usd

#: How far each input is searched, as the least and the greatest value.
RANGES: dict[str, tuple[float, float]] = {
    "hours_per_day": (0.25, 24.0),
    "usd_per_kwh": (0.02, 1.0),
    "years": (0.5, 8.0),
    "resale_share": (0.0, 0.9),
}
#: Budgets are searched from a fifth to five times the reader's.
BUDGET_SPAN = 5.0
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
    pick = winner_of(contenders, rule, given)
    if pick is None:
        return ()
    by_key = {c.key: c for c in contenders}
    found = [_dearer(contenders, rule, given, by_key[pick])]
    others = [c for c in contenders if c.price_key != by_key[pick].price_key]
    found += [_cheaper(contenders, rule, given, c) for c in others]
    flips = [f for f in found if f is not None]
    # Of the others one route and bin of a device is enough: the one that needs the smallest change.
    flips.sort(key=lambda f: (f.now == 0, abs(f.at / f.now - 1) if f.now else f.at, f.input))
    seen: set[tuple[str, int]] = set()
    kept = []
    for flip in flips:
        contender = by_key[flip.input.removeprefix("price:")]
        device = _device(contender)
        if contender.key == pick or device not in seen:
            kept.append(flip)
        if contender.key != pick:
            seen.add(device)
    return tuple(kept)


def _dearer(contenders: Sequence[Contender], rule: Rule, given: Assumptions, pick: Contender) -> Flip | None:
    now = pick.price.usd if pick.price else 0.0

    def winner(amount: float) -> str | None:
        return winner_of(contenders, rule, given, {pick.price_key: amount})

    if now <= 0:
        return None
    found = turns(now, now * MOST_DEARER, winner, pick.key, places_of_usd)
    if not found:
        return None
    by_key = {c.key: c for c in contenders}
    told = [(f"from {usd(turn.at)}{_hourly(pick)} on", turn.winner) for turn in found]
    told[0] = f"{told[0][0]} for {name_of(pick)} (now {usd(now)})", told[0][1]
    return Flip(
        input=f"price:{pick.key}",
        label=f"price of {name_of(pick)}",
        now=now,
        at=found[0].at,
        unit=_price_unit(pick),
        direction="above",
        winner=_name(by_key, found[0].winner),
        sentence=_capital(_in_turn(told, by_key)),
        turns=tuple((usd(turn.at), _name(by_key, turn.winner)) for turn in found),
    )


def _cheaper(
    contenders: Sequence[Contender], rule: Rule, given: Assumptions, rival: Contender
) -> Flip | None:
    least = LEAST_PRICE[rival.route] * rival.system.count

    def wins(amount: float) -> bool:
        return winner_of(contenders, rule, given, {rival.price_key: amount}) == rival.key

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
        found = printable(now if now > 0 else MOST_USD, least, wins, places_of_usd)
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
        turns=((usd(at), name_of(rival)),),
        sentence=f"{words}, {choosing(rival)} wins.",
    )


def _in_turn(told: Sequence[tuple[str, str | None]], by_key: Mapping[str, Contender]) -> str:
    """``at 5.96 h and below, renting A wins, but at 2.43 h and below, renting B wins.``"""
    words = [
        f"{where}, {choosing(by_key[key])} wins" if key else f"{where}, nothing is left to pick"
        for where, key in told
    ]
    return f"{', but '.join(words)}."


def _name(by_key: Mapping[str, Contender], key: str | None) -> str:
    return name_of(by_key[key]) if key else ""


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _price_unit(contender: Contender) -> str:
    return "USD/h" if contender.route == "rent" else "USD"


def _hourly(contender: Contender) -> str:
    return " an hour" if contender.route == "rent" else ""


def input_flips(contenders: Sequence[Contender], rule: Rule, given: Assumptions) -> tuple[Flip, ...]:
    """The nearest value of each input, upwards and downwards, at which the pick changes."""
    pick = winner_of(contenders, rule, given)
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
    def winner(value: float) -> str | None:
        return winner_of(contenders, rule, given.using(**{name: value}))

    label, unit = LABELS[name]
    found = turns(now, end, winner, pick, places_of_usd if unit == "USD" else decimals)
    if not found:
        return None
    by_key = {c.key: c for c in contenders}
    told, numbers = [], []
    for turn in found:
        value = turn.at if turn.bound is None else turn.bound
        shown = usd(value) if unit == "USD" else f"{number(value)} {unit}".strip()
        where = f"at {shown} and {direction}" if turn.bound is None else f"{direction} {shown}"
        told.append((where, turn.winner))
        numbers.append((shown, _name(by_key, turn.winner)))
    return Flip(
        input=name,
        label=label,
        now=now,
        at=found[0].at,
        unit=unit,
        direction=direction,
        winner=_name(by_key, found[0].winner),
        turns=tuple(numbers),
        sentence=f"{_capital(label)}: {_in_turn(told, by_key)}",
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
        winners.append(winner_of(contenders, rule, given.using(**at), supposed) or "")
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
        "whoever is named wins at the printed number (beyond it, where it says below or above) and on from "
        "there, to the next number that is named or the end of what is searched.",
        f"Searched are {ranges}; the budget, {1 / BUDGET_SPAN:g} to {BUDGET_SPAN:g} times the reader's; the "
        f"pick's price, up to {MOST_DEARER:g} times as much; every other price, down to next to nothing. Of "
        "another device the price that needs the smallest change is told, by one way of paying.",
        "The share of the grid is how many of all combinations of plausible numbers the pick wins, all "
        "counted alike: robustness, not probability.",
    )
