"""Show what devices cost as of a day, how sure that is and how old; add a price; check them all.

A card alone, a whole computer and an hour of rent are different prices and never mixed. A stale price is
shown as such: it carries no recommendation alone.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from bench.catalog.prices import KINDS, STATS
from bench.cli._catalog import Day
from bench.cli._groups import DefaultGroup
from bench.cli._options import as_json, data_dir, data_option
from bench.text import brief


@click.group(cls=DefaultGroup, help=__doc__)
def command() -> None:
    pass


@command.command()
@click.argument("name", nargs=-1)
@click.option("--as-of", type=Day(), help="As of this day. [default: today]")
@click.option("--kind", type=click.Choice(list(KINDS)), help="Only prices of this kind.")
@click.option("--region", help="Only offers of this region, and those without a place.")
@data_option
@as_json
@click.pass_context
def show(
    ctx: click.Context,
    name: tuple[str, ...],
    as_of: date | None,
    kind: str | None,
    region: str | None,
    data: str | None,
    as_json: bool,
) -> None:
    """What a device costs, or all of them (the default: 'bench prices NAME' does the same)."""
    from bench.catalog.prices import PriceBook
    from bench.cli import _catalog as shared
    from bench.cli._tables import print_json, print_table

    folder, day = data_dir(data), as_of or shared.today()
    catalog = shared.load_catalog(folder)
    book = PriceBook.load(shared.existing(folder.prices), known=catalog.devices)
    chosen = [_device(catalog, " ".join(name))] if name else list(catalog.devices)
    found = [
        (device_id, k, quote)
        for device_id in chosen
        for k, quote in shared.quotes(book, device_id, day, region).items()
        if kind in (None, k)
    ]
    if as_json:
        rows = [{"device_id": d, "as_of": str(day)} | shared.quote_json(k, quote) for d, k, quote in found]
        print_json(rows)
    elif found:
        rows = [(device_id, *shared.price_cells(k, quote)) for device_id, k, quote in found]
        print_table(("device", *shared.PRICE_HEADERS), rows, title=f"Prices as of {day}")
    if not found:
        click.echo(f"No such price was seen by {day}. Add one with: bench prices add", err=True)


def _device(catalog: Any, text: str) -> str:
    """The id of the device that a text means. Raises ``UsageError`` when it is no single one."""
    from bench.errors import UsageError

    resolution = catalog.resolve(text)
    if resolution.device_id is None or resolution.partition is not None:
        raise UsageError(
            f"'{brief(text)}' is no single device: {resolution.reason}.",
            hint=f"See: bench devices {text if brief(text) == text else 'NAME'}",
        )
    return resolution.device_id


@command.command()
@click.argument("name")
@click.option("--kind", type=click.Choice(list(KINDS)), required=True, help="What was for sale or rent.")
@click.option(
    "--usd", type=float, required=True, help="The amount, for all --count devices (an hour's, for rent)."
)
@click.option("--on", "observed_on", type=Day(), required=True, help="The day on which it was seen.")
@click.option("--source", required=True, help="Where: a link, or a data set with its version.")
@click.option(
    "--stat", type=click.Choice(list(STATS)), default="list", show_default=True, help="What the amount is."
)
@click.option(
    "--count", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Devices in the offer."
)
@click.option("--provider", help="Who sells or rents it out.")
@click.option("--region", help="Where the offer holds.")
@click.option("--note", help="What else belongs to the offer.")
@click.option("--dry-run", is_flag=True, help="Show the line, write nothing.")
@data_option
@as_json
def add(
    name: str,
    kind: str,
    usd: float,
    observed_on: date,
    source: str,
    stat: str,
    count: int,
    provider: str | None,
    region: str | None,
    note: str | None,
    dry_run: bool,
    data: str | None,
    as_json: bool,
) -> None:
    """Add one observation of a price of NAME (an id or a printed name) to prices.csv, in its place.

    No other line is changed. An offer that is there already is refused.
    """
    from bench.catalog.price_add import add_price
    from bench.cli import _catalog as shared
    from bench.cli._tables import print_json
    from bench.text import one_path

    folder = data_dir(data)
    catalog = shared.load_catalog(folder)
    path = shared.existing(folder.prices)
    values = {
        "device_id": _device(catalog, name),
        "kind": kind,
        "amount_usd": usd,
        "per": "hour" if kind.startswith("rent-") else "unit",
        "device_count": count,
        "provider": provider,
        "region": region,
        "observed_on": observed_on,
        "stat": stat,
        "source": source,
        "note": note,
    }
    observation, line = add_price(path, values, catalog.devices, shared.today(), dry_run=dry_run)
    if as_json:
        print_json(
            {name: None if v is None else str(v) if isinstance(v, date) else v for name, v in values.items()}
        )
    else:
        click.echo(line)
    done = "nothing written" if dry_run else f"added to {one_path(path)}"
    each = f"{observation.each_usd:,.2f} USD a device{' and hour' if observation.per == 'hour' else ''}"
    click.echo(f"{each}; {done}.", err=True)


@command.command()
@click.option("--as-of", type=Day(), help="As of this day. [default: today]")
@data_option
@as_json
@click.pass_context
def check(ctx: click.Context, as_of: date | None, data: str | None, as_json: bool) -> None:
    """Check prices.csv: malformed lines, doubles, days to come, outliers, and what has gone stale.

    Exit code 1 when there are errors; warnings do not count.
    """
    from bench.catalog.price_check import check_prices
    from bench.cli import _catalog as shared

    folder = data_dir(data)
    catalog = shared.load_catalog(folder)
    path = shared.existing(folder.prices)
    remarks = check_prices(path, catalog.devices, as_of or shared.today())
    ctx.exit(shared.print_remarks(remarks, path, "prices checked", as_json=as_json))
