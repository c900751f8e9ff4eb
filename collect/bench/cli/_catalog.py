"""What the commands on devices and prices share: loading, resolving a name, and what they print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import click

from bench.catalog import Catalog, CatalogDevice
from bench.catalog.devices import COLUMNS
from bench.catalog.prices import KINDS, PriceBook, Quote
from bench.catalog.remarks import Remark
from bench.catalog.resolver import Resolution
from bench.cli._tables import print_json
from bench.errors import BenchError
from bench.project import DataDir
from bench.text import one_path, plain

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:(g|m|t)(i?)b?)?", re.IGNORECASE)
_POWERS = {"m": 2, "g": 3, "t": 4}


class Memory(click.ParamType):
    """``24``, ``24GB``, ``24GiB`` (vendors write GB and build GiB, so both are 2^30), ``24576MiB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(str(value).strip())
        if found is None or not 0 < float(found[1]) < 1e9:
            self.fail(f"'{value}' is no amount of memory. Write for example 24GB.", param, ctx)
        return int(float(found[1]) * 1024 ** _POWERS[(found[2] or "g").lower()])


class Day(click.ParamType):
    """A day as YYYY-MM-DD."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"'{value}' is no day. Write it as YYYY-MM-DD.", param, ctx)


def today() -> date:
    """The day in UTC."""
    return datetime.now(UTC).date()


def existing(path: Path) -> Path:
    """The path, if there is a file. Raises ``BenchError``."""
    if not path.is_file():
        raise BenchError(
            f"There is no {path.name} in {one_path(path.parent)}.",
            hint="Run this in a project's folder, or name its data folder with --data.",
        )
    return path


def load_catalog(data: DataDir) -> Catalog:
    """The data folder's devices. Raises ``BenchError``."""
    return Catalog.load(existing(data.devices))


def quotes(book: PriceBook, device_id: str, as_of: date, region: str | None = None) -> dict[str, Quote]:
    """What the device costs as of a day, by kind of price; kinds without an observation are left out."""
    found = {kind: book.quote(device_id, kinds=(kind,), as_of=as_of, region=region) for kind in KINDS}
    return {kind: quote for kind, quote in found.items() if quote is not None}


PRICE_HEADERS = ("kind", "low", "median", "high", "each", "newest", "how sure")


def price_cells(kind: str, quote: Quote) -> tuple[str, ...]:
    """A quote as cells under ``PRICE_HEADERS``."""
    money = [f"{value:,.2f}" for value in (quote.low_usd, quote.median_usd, quote.high_usd)]
    return (kind, *money, f"USD/{quote.per}", str(quote.newest or "undated"), how_sure(kind, quote))


def how_sure(kind: str, quote: Quote) -> str:
    """Prices, sources and age in words, and whether a recommendation may rest on it."""
    prices = f"{quote.n} price{'s' if quote.n > 1 else ''}"
    sources = f"{len(quote.sources)} source{'s' if len(quote.sources) > 1 else ''}"
    if kind == "launch":
        return f"{prices} from {sources}; history, not a price of today"
    if quote.age_days is None:
        return f"{prices} from {sources}, undated: stale"
    age = f"{quote.age_days} day{'' if quote.age_days == 1 else 's'} old"
    return f"{prices} from {sources}, {age}{f': stale (over {quote.limit_days})' if quote.stale else ''}"


def quote_json(kind: str, quote: Quote) -> dict[str, Any]:
    """A quote as plain values."""
    return {
        "kind": kind,
        "per": quote.per,
        "low_usd": quote.low_usd,
        "median_usd": quote.median_usd,
        "high_usd": quote.high_usd,
        "newest": quote.newest and str(quote.newest),
        "age_days": quote.age_days,
        "limit_days": None if kind == "launch" else quote.limit_days,
        "stale": quote.stale or kind == "launch",
        "observations": quote.n,
        "sources": list(quote.sources),
    }


def device_json(device: CatalogDevice) -> dict[str, Any]:
    """A device under the column names of ``devices.csv``."""
    values = asdict(device)
    values["class"] = values.pop("device_class")
    return {name: list(v) if isinstance(v := values[name], tuple) else v for name in COLUMNS}


def resolution_json(found: Resolution) -> dict[str, Any]:
    """A resolution as plain values."""
    return asdict(found) | {"candidates": list(found.candidates)}


def print_remarks(remarks: Sequence[Remark], path: Path, what: str, *, as_json: bool) -> int:
    """Each remark as a line (or all as JSON), a count on standard error; the exit code."""
    errors = sum(r.severity == "error" for r in remarks)
    if as_json:
        print_json([r.as_json() for r in remarks])
    else:
        for r in remarks:
            where = f"line {r.line}: " if r.line else ""
            click.echo(plain(f"{r.severity}: {where}{f'{r.subject}: ' if r.subject else ''}{r.text}."))
    warnings = len(remarks) - errors
    click.echo(f"{one_path(path)}: {what}; {errors} errors, {warnings} warnings.", err=True)
    return int(errors > 0)
