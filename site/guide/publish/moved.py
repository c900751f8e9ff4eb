"""What moved in the guide between two publications, and why: a pure comparison of two snapshots.

Nothing here knows what the evidence was: a sentence says only what both snapshots hold. Where an answer
changed, its reasons are the inputs that differ; where none does, the rule itself changed, and that is said.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from guide import paths
from guide.decide import wording
from guide.decide.cost import LABELS
from guide.decide.scenarios import ROUTES
from guide.publish.snapshot import Choice, Snapshot, Stand
from guide.show import figures
from guide.views.ranking import REASONS

#: A rate or a price that moved by less than this share is told as unchanged.
NOTICED = 0.005


@dataclass(frozen=True)
class Shift:
    """An answer that changed. ``page`` is its path, empty once the scenario is gone; ``why`` holds the inputs
    that differ, a sentence each."""

    key: str
    title: str
    sentence: str
    why: tuple[str, ...]
    page: str = ""


@dataclass(frozen=True)
class Price:
    """A price that is new, gone (``after`` None) or different, in USD; by system key and route."""

    system: str
    route: str
    before: float | None
    after: float | None
    seen_on: str


@dataclass(frozen=True)
class Movement:
    """What moved from one snapshot to the next. ``key`` stays the same until the next publication, so that
    a feed tells it once. ``rows`` are (source, device key, device, change); ``bests`` (task, before, now);
    ``left_out`` (what and why, its rows before, its rows now, None where it was or is not left out)."""

    key: str
    since: date | None
    as_of: date
    published: bool
    answers: tuple[Shift, ...] = ()
    rows: tuple[tuple[str, str, str, int], ...] = ()
    new_devices: tuple[tuple[str, str], ...] = ()
    gone_devices: tuple[str, ...] = ()
    new_sources: tuple[str, ...] = ()
    gone_sources: tuple[str, ...] = ()
    bests: tuple[tuple[str, str, str], ...] = ()
    prices: tuple[Price, ...] = ()
    left_out: tuple[tuple[str, int | None, int | None], ...] = ()
    counts: tuple[tuple[str, int, int], ...] = ()

    @property
    def anything(self) -> bool:
        """Whether there is something to tell."""
        found = (self.answers, self.rows, self.bests, self.prices, self.gone_devices, self.new_devices)
        return self.since is None or any(found) or bool(self.left_out)


def movements(history: Sequence[Snapshot], now: Snapshot | None) -> tuple[Movement, ...]:
    """All movements, the newest first: between publications, and from the last one to ``now``."""
    states = [*history]
    if now is not None and not (history and history[-1].same_as(now)):
        states.append(now)
    if not states:
        return ()
    first = states[0]
    found = [Movement("first", None, first.as_of, bool(first.name), counts=_totals(first))]
    for before, after in itertools.pairwise(states):
        found.append(between(before, after))
    return tuple(reversed([m for m in found if m.anything]))


def _totals(state: Snapshot) -> tuple[tuple[str, int, int], ...]:
    return tuple((name, 0, count) for name, count in state.counts.items())


def between(before: Snapshot, after: Snapshot) -> Movement:
    """What moved from ``before`` to ``after``."""
    return Movement(
        key=f"since-{before.name or before.as_of.isoformat()}",
        since=before.as_of,
        as_of=after.as_of,
        published=bool(after.name),
        answers=tuple(_shifts(before, after)),
        rows=tuple(_rows(before, after)),
        new_devices=tuple((k, label) for k, label in after.devices.items() if k not in before.devices),
        gone_devices=tuple(label for k, label in before.devices.items() if k not in after.devices),
        new_sources=tuple(after.sources[k] for k in after.sources if k not in before.sources),
        gone_sources=tuple(before.sources[k] for k in before.sources if k not in after.sources),
        bests=tuple(_bests(before, after)),
        prices=tuple(_prices(before, after)),
        left_out=tuple(
            (why, before.left_out.get(why), after.left_out.get(why))
            for why in sorted(before.left_out.keys() | after.left_out.keys())
            if before.left_out.get(why) != after.left_out.get(why)
        ),
        counts=tuple(
            (name, before.counts.get(name, 0), count)
            for name, count in after.counts.items()
            if before.counts.get(name, 0) != count
        ),
    )


def _rows(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, str, str, int]]:
    for source in sorted(before.rows.keys() | after.rows.keys()):
        old, new = before.rows.get(source, {}), after.rows.get(source, {})
        title = after.sources.get(source) or before.sources.get(source, source)
        for key in sorted(old.keys() | new.keys()):
            if change := new.get(key, 0) - old.get(key, 0):
                yield title, key, after.devices.get(key) or before.devices.get(key, key), change


def _bests(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, str, str]]:
    for key, new in after.bests.items():
        old = before.bests.get(key)
        if old is not None and set(old.tier) != set(new.tier):
            yield new.label, " = ".join(old.tier), " = ".join(new.tier)


def _prices(before: Snapshot, after: Snapshot) -> Iterator[Price]:
    for key in sorted(before.prices.keys() | after.prices.keys()):
        old, new = before.prices.get(key), after.prices.get(key)
        if old and new and _near(old[0], new[0]):
            continue
        system, _, route = key.rpartition(" ")
        seen = new or old
        yield Price(system, route, old[0] if old else None, new[0] if new else None, seen[1] if seen else "")


def _shifts(before: Snapshot, after: Snapshot) -> Iterator[Shift]:
    for key, new in after.answers.items():
        old = before.answers.get(key)
        page = paths.scenario(key)
        if old is None:
            what = f"New: {_told(new)}."
            yield Shift(key, new.title, what, (), page)
        elif said := _said(old, new):
            yield Shift(key, new.title, said, tuple(_why(old, new, before, after)), page)
    for key, old in before.answers.items():
        if key not in after.answers:
            yield Shift(key, old.title, "The guide no longer asks this.", ())


def _told(stand: Stand) -> str:
    """``GeForce RTX 4090, bought used (The pick)``."""
    words = wording.CALLS.get(stand.call, stand.call)
    return f"{_name(stand)} ({words[0].lower()}{words[1:]})" if stand.pick else words.lower()


def _name(stand: Stand) -> str:
    return stand.choices[stand.pick].name if stand.pick in stand.choices else stand.pick


def _said(old: Stand, new: Stand) -> str:
    """The change in one sentence; empty when the answer is what it was."""
    if old.pick != new.pick:
        return f"Now {_told(new)}; before, {_told(old)}."
    if old.call != new.call:
        return f"Still {_name(new)}, now called “{wording.CALLS[new.call]}”; before, “{_call(old)}”."
    if old.confidence != new.confidence:
        return f"Still {_name(new)}, now with {new.confidence} confidence; before, {old.confidence}."
    if _tied(old) != _tied(new):
        return f"Still {_name(new)}; tied with it now: {_list(_tied(new))}; before: {_list(_tied(old))}."
    return ""


def _call(stand: Stand) -> str:
    return wording.CALLS.get(stand.call, stand.call)


def _tied(stand: Stand) -> tuple[str, ...]:
    """Everyone in the pick's tier, but the pick."""
    if stand.pick not in stand.choices:
        return ()
    tier = stand.choices[stand.pick].tier
    found = (c.name for key, c in stand.choices.items() if c.tier == tier and key != stand.pick)
    return tuple(sorted(found))


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}" if names else "nobody"


def _why(old: Stand, new: Stand, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The inputs of this answer that differ."""
    count = 0
    for line in _inputs(old, new):
        count += 1
        yield line
    if count:
        return
    if before.made_by != after.made_by:
        yield (
            f"None of its inputs differs: the rule changed, from hwguide {before.made_by} to {after.made_by}."
        )
    else:
        yield "Neither its own figures nor the assumptions differ: others in the running, or the rule, did."


def _inputs(old: Stand, new: Stand) -> Iterator[str]:
    if old.question != new.question:
        yield f"Another question is answered: “{new.question}” Before: “{old.question}”"
    for name in sorted(old.assumptions.keys() | new.assumptions.keys()):
        was, now = old.assumptions.get(name), new.assumptions.get(name)
        if was != now:
            label, unit = LABELS.get(name, (name, ""))
            shown = f"{_plain(was)} → {_plain(now)} {unit}".strip()
            yield f"Changed assumption: {label}, {shown}."
    told = dict.fromkeys(key for key in (new.pick, old.pick) if key)
    for key in told:
        yield from _differences(old.choices.get(key), new.choices.get(key))
    yield from _joined(old, new, skip=told)


def _plain(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


def _differences(old: Choice | None, new: Choice | None) -> Iterator[str]:
    """What changed about one choice."""
    if new is None:
        if old is not None:
            yield f"{old.name} is no longer measured on this, or no longer in question."
        return
    if old is None:
        yield f"New rows: {new.name} was not measured on this before."
        return
    if old.rate is None and new.rate is not None:
        yield f"New rows: {new.name} has a rate now, {figures.number(new.rate)} {new.unit}."
    elif old.rate and new.rate and not _near(old.rate, new.rate) and old.unit == new.unit:
        rates = f"{figures.number(old.rate)} → {figures.number(new.rate)} {new.unit}"
        yield f"New rows: {new.name}, {rates}."
    if new.usd is not None and (old.usd is None or not _near(old.usd, new.usd)):
        was = f"{figures.usd(old.usd)} → " if old.usd is not None else ""
        yield f"New price: {new.name}, {was}{figures.usd(new.usd)}, seen {figures.written_day(new.price_on)}."
    elif new.price_on != old.price_on and new.price_on:
        yield f"New price: {new.name}, still {figures.usd(new.usd or 0)}, seen {_day(new)}."
    if old.out != new.out:
        yield f"{new.name}: {_standing(new)}; before, {_standing(old)}."


def _day(choice: Choice) -> str:
    return figures.written_day(choice.price_on)


def _standing(choice: Choice) -> str:
    if not choice.out:
        return "in the running"
    words = REASONS.get(choice.out, choice.out)
    return f"out ({words[0].lower()}{words[1:]})"


def _joined(old: Stand, new: Stand, skip: Mapping[str, None]) -> Iterator[str]:
    """Others that came into the running, or left it, where that changed who is tied with the pick."""
    if old.pick != new.pick:
        return
    for stand, other, words in ((new, old, "joined"), (old, new, "left")):
        tied = set(_tied(stand)) - set(_tied(other))
        for key in sorted(stand.choices):
            if stand.choices[key].name in tied and key not in skip:
                then, now = old.choices.get(key), new.choices.get(key)
                lines = list(_differences(then, now))
                yield from lines or [f"{stand.choices[key].name} {words} the pick's tier."]


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= NOTICED * max(abs(a), abs(b))


def route_name(route: str) -> str:
    """A way of paying in words."""
    return ROUTES.get(route, route)
