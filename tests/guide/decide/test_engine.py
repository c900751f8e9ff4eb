"""What the decision must hold for any evidence: contenders, prices and numbers are drawn, not chosen."""

from __future__ import annotations

import dataclasses
import math
import re
from datetime import date

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from guide.decide import flips, turns
from guide.decide.cost import Assumptions
from guide.decide.judge import Contender, Rule, decide, winner_of
from guide.decide.verdicts import Flip
from guide.model import Interval, Price, System
from guide.show.figures import decimals

MANY = settings(max_examples=150, deadline=None)
OBJECTIVES = st.sampled_from(["fastest", "cheapest-work", "least-energy"])
DAY = date(2026, 6, 1)


def system(key: str, power_w: float | None, count: int = 1) -> System:
    return System(key, key.upper(), key, key, count, power_w=power_w, candidates=(key,))


def priced(usd: float, route: str, *, fresh: bool = True) -> Price:
    basis = "rental" if route == "rent" else "card"
    return Price(route, basis, usd, usd, usd, DAY, 10 if fresh else 900, fresh, 1, ("a shop",), ("x",))


def band(value: float, half: float) -> Interval:
    return Interval(value * (1 - half), value, value * (1 + half))


#: Half of the figures lie close together, so that bands overlap and prices decide.
RATES = st.integers(10, 5000) | st.integers(900, 1100)
CENTS = st.integers(20_000, 2_000_000) | st.integers(95_000, 105_000)
HOURLY = st.integers(5, 900) | st.integers(95, 105)


@st.composite
def contenders(draw, routes=("buy-new", "rent"), stale: bool = True, unpriced: bool = True):
    """Two to eight contenders, each a device of its own."""
    found = []
    for number in range(draw(st.integers(2, 8))):
        route = draw(st.sampled_from(routes))
        cents = draw(HOURLY if route == "rent" else CENTS)
        fresh = draw(st.booleans()) or not stale
        price = priced(cents / 100, route, fresh=fresh)
        if unpriced and draw(st.integers(0, 9)) == 0:
            price = None
        speed = band(draw(RATES) / 10, draw(st.sampled_from([0.02, 0.05, 0.1, 0.25])))
        device = system(f"d{number}", float(draw(st.integers(5, 700))))
        found.append(Contender(device, route, "rental" if route == "rent" else "card", speed, price))
    return tuple(found)


@st.composite
def numbers(draw, **fixed):
    """A reader's numbers; a budget in every second case."""
    drawn = {
        "hours_per_day": float(draw(st.integers(1, 24))),
        "years": float(draw(st.integers(1, 6))),
        "usd_per_kwh": draw(st.integers(0, 60)) / 100,
        "budget_usd": draw(st.none() | st.integers(500, 60_000).map(float)),
    }
    return Assumptions(**drawn | fixed)


@st.composite
def rules(draw, whole_machine: bool | None = None):
    whole = draw(st.booleans()) if whole_machine is None else whole_machine
    return Rule(draw(OBJECTIVES), whole, 12.5)


@MANY
@given(contenders(), rules(), numbers(), st.integers(10, 99), st.integers(101, 500))
def test_one_that_is_slower_and_dearer_than_the_pick_changes_nothing(
    found, rule, given_numbers, slower, dearer
) -> None:
    decided = decide(found, rule, given_numbers)
    assume(decided.winner)
    pick = decided.ranked[0].contender
    share, factor = slower / 100, dearer / 100
    speed = Interval(pick.speed.low * share, pick.speed.value * share, pick.speed.high * share)
    worse = dataclasses.replace(
        pick,
        system=system("worse", pick.system.power_w),
        speed=speed,
        price=priced(pick.price.usd * factor, pick.route),
    )
    assert decide((*found, worse), rule, given_numbers).winner == decided.winner


@MANY
@given(
    contenders(routes=("buy-new",), stale=False, unpriced=False),
    rules(whole_machine=False),
    numbers(usd_per_kwh=0.0, budget_usd=None),
    st.sampled_from([0.125, 0.5, 2.0, 8.0]),
)
def test_all_prices_times_a_constant_order_purchases_alike_where_electricity_is_free(
    found, rule, given_numbers, factor
) -> None:
    scaled = [dataclasses.replace(c, price=priced(c.price.usd * factor, c.route)) for c in found]
    order = [r.contender.key for r in decide(found, rule, given_numbers).ranked]
    assert [r.contender.key for r in decide(scaled, rule, given_numbers).ranked] == order


@MANY
@given(contenders(), rules(), numbers(), st.randoms(use_true_random=False))
def test_the_order_of_the_contenders_never_matters(found, rule, given_numbers, random) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert decide(shuffled, rule, given_numbers).ranked == decide(found, rule, given_numbers).ranked


@MANY
@given(contenders(), rules(), numbers())
def test_every_pick_is_priced_afresh_affordable_and_the_cheapest_of_its_tier(
    found, rule, given_numbers
) -> None:
    decided = decide(found, rule, given_numbers)
    assert {r.contender.key for r in decided.ranked} | set(decided.out) == {c.key for c in found}
    assert winner_of(found, rule, given_numbers) == decided.winner
    for ranked in decided.ranked:
        assert ranked.contender.price is not None
        assert ranked.contender.price.fresh
        assert given_numbers.budget_usd is None or ranked.cost.total_usd <= given_numbers.budget_usd
    if not decided.ranked:
        return
    pick, first = decided.ranked[0], [r for r in decided.ranked if r.tier == 1]
    best = max(decided.ranked, key=lambda r: (r.merit.value, r.merit.low, -r.merit.high))
    assert pick.cost.usd_per_month == min(r.cost.usd_per_month for r in first)
    assert all(r.merit.overlaps(best.merit) for r in first)
    assert not any(r.merit.overlaps(best.merit) for r in decided.ranked if r.tier > 1)


@MANY
@given(contenders(), rules(), numbers())
def test_nothing_is_surely_better_than_the_pick_and_no_dearer(found, rule, given_numbers) -> None:
    decided = decide(found, rule, given_numbers)
    for other in decided.ranked[1:]:
        pick = decided.ranked[0]
        assert not (other.merit.low > pick.merit.high and other.cost.usd_per_month <= pick.cost.usd_per_month)


@MANY
@given(contenders(), rules(), numbers())
def test_flip_points_of_prices_flip(found, rule, given_numbers) -> None:
    before = decide(found, rule, given_numbers).winner
    by_name = {flips.name_of(c): c for c in found}
    for flip in flips.price_flips(found, rule, given_numbers):
        contender = next(c for c in found if f"price:{c.key}" == flip.input)

        def winner(amount: float, key: str = contender.price_key) -> str | None:
            return decide(found, rule, given_numbers, {key: amount}).winner

        assert winner(flip.at) != before
        assert winner(flip.at) == (by_name[flip.winner].key if flip.winner else None)
        if contender.price is not None and not contender.price.fresh and flip.at == contender.price.usd:
            continue  # it needs no other price, only to be seen afresh
        if flip.at >= flips.MOST_USD:
            continue  # it wins at any price
        amount = read(re.search(r"(?:At|From) \$([\d,.]+\d)", flip.sentence)[1])
        assert math.isclose(amount, flip.at), flip  # what is printed is where it flips
        assert winner(amount) == (by_name[flip.winner].key if flip.winner else None)
        step = 2 * last_digit(flip) * (1 if flip.direction == "below" else -1)
        just_before = winner(flip.at + step)
        # On its way to winning, a rival that becomes the best to be tied with may hand the pick to a third.
        assert just_before == before if contender.key == before else just_before != contender.key


def read(shown: str) -> float:
    return float(shown.replace(",", ""))


def last_digit(flip: Flip) -> float:
    """What one of the last digit that is printed of the flip is worth."""
    places = turns.places_of_usd if flip.unit in ("USD", "USD/h") else decimals
    return 10.0 ** -places(flip.at)


@MANY
@given(contenders(), rules(), numbers())
def test_flip_points_of_a_reader_s_numbers_flip(found, rule, given_numbers) -> None:
    before = decide(found, rule, given_numbers).winner
    by_name = {flips.name_of(c): c for c in found}
    for flip in flips.input_flips(found, rule, given_numbers):
        now = getattr(given_numbers, flip.input)

        def winner(value: float, name: str = flip.input) -> str | None:
            return decide(found, rule, given_numbers.using(**{name: value})).winner

        assert flip.now == now
        assert (flip.at < now) == (flip.direction == "below")
        assert winner(flip.at) != before
        shown = re.search(r": (?:at |below |above )\$?([\d,.]*\d)", flip.sentence)[1]
        beyond = "" if ": at " in flip.sentence else flip.direction
        hair = turns.HAIR * last_digit(flip) * {"": 0, "below": -1, "above": 1}[beyond]
        told = winner(read(shown) + hair)
        assert told == (by_name[flip.winner].key if flip.winner else None), flip
        assert not beyond or winner(read(shown)) != told, flip
        step = 2 * last_digit(flip)
        just_before = min(flip.at + step, now) if flip.direction == "below" else max(flip.at - step, now)
        assert winner(just_before) == before


def told(flip: Flip) -> list[tuple[float, str]]:
    """The numbers of a flip's sentence in turn, each with the choice that is said to win from there on."""
    clauses = flip.sentence.rstrip(".").split(", but ")
    number = re.compile(r"(?:at|below|above|from) \$?([\d,.]*\d)", re.IGNORECASE)
    return [(read(number.search(clause)[1]), clause.rpartition(", ")[2]) for clause in clauses]


def said(found, key: str | None) -> str:
    """As a sentence calls the winner."""
    by_key = {c.key: c for c in found}
    return f"{flips.choosing(by_key[key])} wins" if key else "nothing is left to pick"


@MANY
@given(contenders(), rules(), numbers())
def test_whoever_is_named_wins_up_to_the_next_number_that_is_named(found, rule, given_numbers) -> None:
    pick = decide(found, rule, given_numbers).winner
    for flip in (
        *flips.input_flips(found, rule, given_numbers),
        *flips.price_flips(found, rule, given_numbers),
    ):
        if flip.input.startswith("price:"):
            if flip.input != f"price:{pick}":
                continue
            key = next(c.price_key for c in found if c.key == pick)
            end = flip.now * flips.MOST_DEARER

            def winner(value: float, key: str = key) -> str | None:
                return decide(found, rule, given_numbers, {key: value}).winner
        else:
            low, high = flips.RANGES.get(
                flip.input, (flip.now / flips.BUDGET_SPAN, flip.now * flips.BUDGET_SPAN)
            )
            end = low if flip.direction == "below" else high

            def winner(value: float, name: str = flip.input) -> str | None:
                return decide(found, rule, given_numbers.using(**{name: value})).winner

        named = told(flip)
        ends = [at for at, _ in named[1:]] + [end]
        for (start, words), stop in zip(named, ends, strict=True):
            digit = 2 * last_digit(flip)
            for value in turns._steps(start, end)[1:]:
                if min(start, stop) + digit < value < max(start, stop) - digit:
                    assert said(found, winner(value)) == words, (flip.sentence, value)


def test_what_wins_beyond_a_number_but_not_all_the_way_is_told_in_turn() -> None:
    """With few hours a day the slower card's rent is the cheaper way, with fewer yet that of the fastest."""
    found = [
        Contender(system("p", 100.0), "buy-new", "card", band(100, 0.02), priced(2000, "buy-new")),
        Contender(system("p", 100.0), "rent", "rental", band(100, 0.02), priced(0.5, "rent")),
        Contender(system("f", 100.0), "rent", "rental", band(200, 0.02), priced(4.0, "rent")),
    ]
    given_numbers = Assumptions(budget_usd=9_000.0, hours_per_day=12.0, on_hours_per_day=12.0)
    rule = Rule("fastest", False, 1.0)
    told_of = {(f.input, f.direction): f for f in flips.input_flips(found, rule, given_numbers)}
    first, second = told(told_of["hours_per_day", "below"])
    assert (first[1], second[1]) == ("renting P wins", "renting F wins")
    assert second[0] == 2.05  # 9,000 USD over 3 years of 365 days at 4 USD
    for hours, winner in (
        (first[0] + 0.1, "p:buy-new"),
        (first[0] - 0.1, "p:rent"),
        (2.06, "p:rent"),
        (2.05, "f:rent"),
    ):
        assert decide(found, rule, given_numbers.using(hours_per_day=hours)).winner == winner


def test_the_pick_s_own_price_is_told_beside_that_of_another_way_of_paying_for_it() -> None:
    found = [
        Contender(system("p", 100.0), "buy-new", "card", band(100, 0.02), priced(2000, "buy-new")),
        Contender(system("p", 100.0), "rent", "rental", band(100, 0.02), priced(0.3, "rent")),
    ]
    rule, given_numbers = Rule("fastest", False, 1.0), Assumptions()
    assert decide(found, rule, given_numbers).winner == "p:buy-new"
    inputs = [f.input for f in flips.price_flips(found, rule, given_numbers)]
    assert sorted(inputs) == ["price:p:buy-new", "price:p:rent"]


@MANY
@given(contenders(), rules(), numbers())
def test_the_grid_s_shares_are_those_of_deciding_again(found, rule, given_numbers) -> None:
    axes = (("price_factor", (0.7, 1.0, 1.5)), ("usd_per_kwh", (0.1, 0.4)), ("hours_per_day", (2.0, 20.0)))
    grid = flips.grid(found, rule, given_numbers, axes)
    decided = decide(found, rule, given_numbers)
    assert (grid is None) == (decided.winner is None)
    if grid is None:
        return
    pick, wins = decided.ranked[0].contender, 0
    for factor in axes[0][1]:
        for kwh in axes[1][1]:
            for hours in axes[2][1]:
                at = given_numbers.using(usd_per_kwh=kwh, hours_per_day=hours)
                again = decide(found, rule, at, {pick.price_key: pick.price.usd * factor})
                wins += again.winner == pick.key
    assert grid.pick_share == wins / 12
    assert sum(share for _, share in grid.shares) == 1 or abs(sum(s for _, s in grid.shares) - 1) < 1e-9


def test_of_several_prices_at_which_the_pick_loses_the_nearest_is_told() -> None:
    """As its price rises the wide band of the pick first ties with S, which then costs less; further up B is
    the best, S is out and the pick wins again, until its band is below that of B."""
    cheap = Assumptions(usd_per_kwh=0.0)
    found = [
        Contender(system("p", 1.0), "buy-new", "card", band(100, 0.25), priced(1000, "buy-new")),
        Contender(system("s", 1.0), "buy-new", "card", band(80, 0.02), priced(1050, "buy-new")),
        Contender(system("b", 1.0), "buy-new", "card", band(190, 0.02), priced(2235, "buy-new")),
    ]
    rule = Rule("cheapest-work", False, 1.0)

    def winner(usd: float) -> str | None:
        return decide(found, rule, cheap, {found[0].price_key: usd}).winner

    assert [winner(usd) for usd in (1000, 1100, 1300, 1600)] == [
        "p:buy-new", "s:buy-new", "p:buy-new", "b:buy-new",
    ]  # fmt: skip
    flip = next(f for f in flips.price_flips(found, rule, cheap) if f.input == "price:p:buy-new")
    assert 1050 <= flip.at <= 1051
    assert flip.winner == "S, bought new"
