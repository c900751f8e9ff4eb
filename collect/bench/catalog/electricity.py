"""What a kilowatt-hour costs, and the grid's carbon, by region."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bench.catalog.table import Line, read_lines

SECTORS = ("residential", "commercial")

COLUMNS = (
    "region", "sector", "usd_per_kwh", "local_price", "local_currency", "period", "grid_gco2_per_kwh",
    "carbon_year", "price_source", "carbon_source", "note",
)  # fmt: skip

_PERIOD = re.compile(r"20\d\d(-(0[1-9]|1[0-2])|-H[12])?")


@dataclass(frozen=True)
class Tariff:
    """One region and sector. ``usd_per_kwh`` is None where only the carbon figure is known; ``period`` is
    a year, a month (2026-04) or a half-year (2025-H1); ``grid_gco2_per_kwh`` is in grams for that year."""

    region: str
    sector: str | None
    usd_per_kwh: float | None
    local_price: float | None
    local_currency: str | None
    period: str | None
    grid_gco2_per_kwh: float | None
    carbon_year: int | None
    price_source: str | None
    carbon_source: str | None
    note: str | None


def load_electricity(path: Path) -> tuple[Tariff, ...]:
    """Read ``electricity.csv`` in its order. Raises ``BenchError`` naming line, column and what was
    expected; a price needs a sector, a period and a source, a carbon figure needs a year and a source."""
    tariffs: list[Tariff] = []
    for line in read_lines(Path(path), COLUMNS):
        tariff = _tariff(line)
        if any((t.region, t.sector) == (tariff.region, tariff.sector) for t in tariffs):
            raise line.fault("region", "a region and sector that no earlier line has")
        tariffs.append(tariff)
    return tuple(tariffs)


def find(tariffs: tuple[Tariff, ...], region: str, sector: str = "residential") -> Tariff | None:
    """The tariff of a region and sector that has a price, or None."""
    for tariff in tariffs:
        named = tariff.region.casefold() == region.casefold() and tariff.sector == sector
        if named and tariff.usd_per_kwh is not None:
            return tariff
    return None


def _tariff(line: Line) -> Tariff:
    price = line.number_in("usd_per_kwh", 0.001, 5, unit="USD")
    carbon = line.number_in("grid_gco2_per_kwh", 0, 2000, unit="g")
    period = line.text("period", required=price is not None)
    if period is not None and not _PERIOD.fullmatch(period):
        raise line.fault("period", "a year, a month as YYYY-MM or a half-year as YYYY-H1")
    return Tariff(
        region=line.text("region", required=True),
        sector=line.choice("sector", SECTORS, required=price is not None),
        usd_per_kwh=price,
        local_price=line.number_in("local_price", 0.0001, 1_000_000),
        local_currency=line.text("local_currency", required=price is not None),
        period=period,
        grid_gco2_per_kwh=carbon,
        carbon_year=line.integer("carbon_year", 1990, 2100, required=carbon is not None),
        price_source=line.text("price_source", required=price is not None),
        carbon_source=line.text("carbon_source", required=carbon is not None),
        note=line.text("note"),
    )
