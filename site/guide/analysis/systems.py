"""What is compared: from a row and the catalog to a ``System``, and from the price book to its prices."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from bench.catalog import Catalog, CatalogDevice
from bench.catalog.prices import PriceBook, Quote
from bench.schema import Row
from guide.analysis.labels import slug
from guide.model import Price, System
from guide.show.figures import day, plural

#: Route -> kinds of price that answer it, as a card and as a whole computer.
CARD_KINDS = {"buy-new": ("new",), "buy-used": ("used",)}
SYSTEM_KINDS = {"buy-new": ("system",), "buy-used": ("system-used",)}
RENT_KINDS = ("rent-on-demand",)
#: What the note of a price says when it is of the machine with all the memory that the catalog lists.
FULL_MEMORY = "largest memory option"
#: How a price names the memory of what is sold, and that it is the smallest: ``Mac Studio base (64 GB)``.
_SIZE = re.compile(r"\((\d+) GB\b")
_BASE = re.compile(r"\bbase \((\d+) GB\b")
#: A memory size that differs from the catalog's by more than this share is a configuration of its own.
MEMORY_TOLERANCE = 0.15


#: The columns that tell a row's system, beside what its conditions say of its vectors.
TELLING = ("device_name", "device_count", "device_memory_bytes", "device_id", "origin")


def with_systems(rows: Iterable[Row], catalog: Catalog) -> Iterator[tuple[System, Row]]:
    """Each row after its system, which the many rows that tell the same of it share."""
    known: dict[tuple[Any, ...], System] = {}
    for row in rows:
        told = (*(row[name] for name in TELLING), _vectors(row["conditions"]))
        system = known.get(told)
        if system is None:
            telling = {name: row[name] for name in (*TELLING, "conditions")}
            system = known[told] = system_of(telling, catalog)
        yield system, row


def system_of(row: Mapping[str, Any], catalog: Catalog) -> System:
    """The system that a row ran on, from its columns ``TELLING`` and its conditions.

    A device of the catalog is one system per count, partition, bin and (where it is sold with several
    sizes) memory size; a processor whose machine hides its model is one per width of its vectors, as far as
    the row says. A name that resolves to no single device is a system of its own, under its name.
    """
    name, count, memory = row["device_name"], row["device_count"], row["device_memory_bytes"]
    resolution = catalog.resolve(name, memory_bytes=memory)
    # Whoever carried a published table over has looked at its devices: an empty id there means that the
    # source does not say which of several devices it was, whatever software prints under that name.
    trusted = row["device_id"] or (resolution.device_id if row["origin"] == "measured" else None)
    device = catalog.get(trusted)
    if device is None:
        members = [d for d in map(catalog.get, resolution.candidates) if d] or _family(name, catalog)
        reason = resolution.reason if resolution.device_id is None else "the source does not say which one"
        return _unlisted(row, members, reason)
    size, extra = _configuration(device, memory)
    sold = device.memory_gib if size == device.memory_bytes else _whole_gib(size)
    variant = resolution.variant or (_vectors(row["conditions"]) if device.generic else None)
    parts = [p for p in (variant, extra, resolution.partition) if p]
    label = _with_parts(device.name, parts)
    key = "-".join([device.device_id, *map(slug, parts)])
    return System(
        key=key if count == 1 else f"{key}-x{count}",
        label=label if count == 1 else f"{count} × {label}",
        name=name,
        device_id=device.device_id,
        count=count,
        vendor=device.vendor,
        device_class=device.device_class,
        form=device.form,
        memory_bytes=size * count if size else None,
        sold_gib=sold * count if sold else None,
        unified_memory=device.memory_unified,
        power_w=device.tdp_w * count if device.tdp_w else None,
        released=device.released,
        candidates=(device.device_id,),
        partition=resolution.partition,
        variant=variant,
    )


@lru_cache(maxsize=1 << 12)  # the rows of a run or a table share theirs
def _vectors(conditions: str | None) -> str | None:
    """``AVX512``: the widest vectors that a processor without a name has; None where the row does not say.

    Such processors have nothing else in common than their maker, and this much of them the software sees.
    """
    try:
        held = json.loads(conditions or "{}")
    except ValueError:
        return None
    found = held.get("cpu_capability") if isinstance(held, dict) else None
    return found if isinstance(found, str) and _VECTORS.fullmatch(found) else None


_VECTORS = re.compile(r"[A-Za-z][A-Za-z0-9_ ]{1,20}")


def _with_parts(name: str, parts: Sequence[str]) -> str:
    """``Anonymous Arm CPU (cloud)`` with a part: ``Anonymous Arm CPU (cloud, SVE)``."""
    if not parts:
        return name
    head = f"{name[:-1]}, " if name.startswith("Anonymous ") and name.endswith(")") else f"{name} ("
    return f"{head}{', '.join(parts)})"


def _configuration(device: CatalogDevice, memory: int | None) -> tuple[int | None, str]:
    """Memory of one device, and the words for a size other than the catalog's."""
    listed = device.memory_bytes
    if memory is None or device.device_class == "cpu":
        return listed or memory, ""
    if listed is None or not device.memory_varies or abs(memory / listed - 1) <= MEMORY_TOLERANCE:
        return listed or memory, ""
    return memory, f"{memory / 2**30:.0f} GB"


def _whole_gib(size_bytes: int | None) -> float | None:
    """The size that a reported one was sold as: whole GiB, from 4 on."""
    if size_bytes is None:
        return None
    size = size_bytes / 2**30
    return float(round(size)) if size >= 4 else size


def _family(name: str, catalog: Catalog) -> list[CatalogDevice]:
    """The devices whose names begin with ``name``: NVIDIA H100 means the PCIe, the SXM5 or the NVL one."""
    beginning = f"{name.casefold()} "
    return [device for folded, device in catalog.folded if folded.startswith(beginning)]


def _unlisted(row: Mapping[str, Any], members: Sequence[CatalogDevice], reason: str) -> System:
    """A name without a device of its own; ``members`` are the devices that it could mean."""
    name, count = row["device_name"], row["device_count"]
    sizes = [m.memory_bytes for m in members if m.memory_bytes]
    memory = row["device_memory_bytes"] or (min(sizes) if sizes else None)
    powers = [m.tdp_w for m in members if m.tdp_w]
    classes, forms = {m.device_class for m in members}, {m.form for m in members}
    processor = not members and bool(_PROCESSOR.search(name))
    key = f"unlisted-{slug(name)}"
    return System(
        key=key if count == 1 else f"{key}-x{count}",
        label=name if count == 1 else f"{count} × {name}",
        name=name,
        device_id=None,
        count=count,
        vendor=members[0].vendor if members and len({m.vendor for m in members}) == 1 else None,
        device_class="cpu" if processor else classes.pop() if len(classes) == 1 else None,
        form="cpu" if processor else forms.pop() if len(forms) == 1 else None,
        memory_bytes=memory * count if memory else None,
        memory_assumed=not row["device_memory_bytes"] and len(set(sizes)) > 1,
        sold_gib=whole * count if (whole := _whole_gib(memory)) else None,
        power_w=max(powers) * count if powers else None,
        unified_memory=bool(members) and all(m.memory_unified for m in members),
        candidates=tuple(sorted(m.device_id for m in members)),
        unresolved_reason=reason,
    )


#: Words in the names of processors that the catalog does not list.
_PROCESSOR = re.compile(
    r"\b(cpu|processor|xeon|epyc|ryzen|threadripper|core\(tm\)|neoverse)\b", re.IGNORECASE
)


def prices_of(
    system: System, catalog: Catalog, book: PriceBook, as_of: date, limits: dict[str, int] | None = None
) -> tuple[Price, ...]:
    """The system's prices as of a day, at most one for each route (``buy-new``, ``buy-used``, ``rent``).

    A family name gets the range over its members that have a price, and the note says so; it is only
    fresh when each of them is. An undated price is no price here: nobody could say
    how old it is. Prices of a card and of a whole computer are never put together: what is
    sold as a chip inside a computer is asked for as one, everything else as a card first.
    """
    members = [d for d in map(catalog.get, system.candidates) if d is not None]
    if not members or system.partition is not None:
        return ()
    found = []
    for route in ("buy-new", "buy-used", "rent"):
        quotes = [q for m in members if (q := _quote(m, route, book, as_of, limits or {}))]
        if quotes and len({q.route for q in quotes}) == 1:
            varies = any(m.memory_varies for m in members)
            made = _price(system, route, quotes, len(members), as_of, varies=varies)
            least = _least_gib(members, quotes, book) if made.any_size else None
            found.append(replace(made, least_gib=least * system.count) if least else made)
    return tuple(found)


def _quote(
    device: CatalogDevice, route: str, book: PriceBook, as_of: date, limits: dict[str, int]
) -> Quote | None:
    if route == "rent":
        choices: list[tuple[str, ...]] = [RENT_KINDS]
    else:
        choices = [CARD_KINDS[route], SYSTEM_KINDS[route]]
        if device.form in ("soc", "laptop"):
            choices.reverse()
    for kinds in choices:
        quote = book.quote(device.device_id, kinds=kinds, as_of=as_of, limit_days=limits.get(route))
        if quote is not None and quote.newest is not None:
            return quote
    return None


def _price(
    system: System, route: str, quotes: Sequence[Quote], members: int, as_of: date, *, varies: bool
) -> Price:
    times = system.count
    seen = min(q.newest for q in quotes if q.newest is not None)
    return Price(
        route=route,
        basis={"card": "card", "system": "system"}.get(quotes[0].route, "rental"),
        low_usd=min(q.low_usd for q in quotes) * times,
        usd=statistics.median(q.median_usd for q in quotes) * times,
        high_usd=max(q.high_usd for q in quotes) * times,
        observed_on=seen,
        age_days=(as_of - seen).days,
        fresh=not any(q.stale for q in quotes),
        # The two ends of a range that one source gives are one offer.
        n=len({(q.device_id, o.provider, o.source) for q in quotes for o in q.observations}),
        sources=tuple(sorted({s for q in quotes for s in q.sources})),
        candidates=tuple(q.device_id for q in quotes),
        note=_note(system, quotes, members),
        any_size=varies
        and route != "rent"
        and not all(FULL_MEMORY in (o.note or "") for q in quotes for o in q.observations),
    )


def _least_gib(members: Sequence[CatalogDevice], quotes: Sequence[Quote], book: PriceBook) -> float | None:
    """The smallest memory that these prices may buy: the one they name where each names one; else what a
    price of the device, of whatever age, names as its base. None where neither is known."""
    named = [_SIZE.search(o.provider or "") for q in quotes for o in q.observations]
    sizes = [float(found[1]) for found in named if found]
    if len(sizes) == len(named):
        return min(sizes)
    least = []
    for member in members:
        bases = [
            float(found[1]) for o in book.of(member.device_id) if (found := _BASE.search(o.provider or ""))
        ]
        if not bases:
            return None
        least.append(min(bases))
    return min(least)


def _note(system: System, quotes: Sequence[Quote], members: int) -> str:
    notes = []
    if members > 1:
        notes.append(f"the name fits {plural(members, 'device')}: the range over {len(quotes)} with a price")
    if system.count > 1:
        notes.append(f"{system.count} times the price of one")
    notes += sorted({o.note for q in quotes for o in q.observations if o.note and q.route == "system"})
    return "; ".join(notes)


def price_words(price: Price) -> str:
    """The date and freshness of a price: ``22 Aug 2026, 101 days old``."""
    state = "" if price.fresh else ", too old to rest on"
    return f"{day(price.observed_on)}, {plural(price.age_days, 'day')} old{state}"


def merge(systems: Iterable[System]) -> dict[str, System]:
    """One record a key, the one with the least memory where rows report different sizes."""
    found: dict[str, System] = {}
    for system in systems:
        known = found.setdefault(system.key, system)
        if known is not system:
            found[system.key] = min(known, system, key=lambda s: (s.memory_bytes or float("inf"), s.name))
    return dict(sorted(found.items()))


def catalog_prices(catalog: Catalog, book: PriceBook, as_of: date) -> dict[str, tuple[Price, ...]]:
    """The prices of one of each device of the catalog, by its id."""
    found = {}
    for entry in catalog:
        alone = System(entry.device_id, entry.name, entry.name, entry.device_id, 1, form=entry.form,
                       candidates=(entry.device_id,))  # fmt: skip
        found[entry.device_id] = prices_of(alone, catalog, book, as_of)
    return found
