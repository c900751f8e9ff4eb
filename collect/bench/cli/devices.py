"""Show what is known about devices, and which one a printed name means; or check the catalog.

Without a name, all devices of the catalog. With one, how it was resolved and why, the device's entry, and its
prices as of today.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from bench.catalog.devices import CLASSES
from bench.cli._catalog import Day, Memory
from bench.cli._groups import DefaultGroup
from bench.cli._options import as_json, data_dir, data_option


@click.group(cls=DefaultGroup, help=__doc__)
def command() -> None:
    pass


@command.command()
@click.argument("name", nargs=-1)
@click.option(
    "--memory", type=Memory(), help="Memory as the system reports it, where the name leaves it open."
)
@click.option("--compute-units", type=click.IntRange(1, 100_000), help="SMs, CUs or GPU cores, likewise.")
@click.option("--vendor", help="Only devices of this vendor.")
@click.option("--class", "device_class", type=click.Choice(CLASSES), help="Only devices of this class.")
@click.option("--as-of", type=Day(), help="Prices as of this day. [default: today]")
@data_option
@as_json
@click.pass_context
def show(
    ctx: click.Context,
    name: tuple[str, ...],
    memory: int | None,
    compute_units: int | None,
    vendor: str | None,
    device_class: str | None,
    as_of: date | None,
    data: str | None,
    as_json: bool,
) -> None:
    """The catalog, or what NAME means (the default: 'bench devices NAME' does the same).

    NAME is a device's id or what software prints for it. In the list, --memory keeps devices with at least
    that much. Exit code 1 when NAME is no single device.
    """
    from bench.cli import _catalog as shared

    folder = data_dir(data)
    catalog = shared.load_catalog(folder)
    if not name:
        if compute_units is not None:
            raise click.UsageError("--compute-units goes with a name.")
        _list(catalog, memory, vendor, device_class, as_json=as_json)
        return
    if vendor or device_class:
        raise click.UsageError("--vendor and --class go with the list, without a name.")
    text = " ".join(name)
    if not text.strip():
        raise click.UsageError("The name is empty.")
    found = catalog.resolve(text, memory_bytes=memory, compute_units=compute_units)
    device = catalog.get(found.device_id)
    day = as_of or shared.today()
    prices: dict[str, Any] = {}
    if device is not None and folder.prices.is_file():
        from bench.catalog.prices import PriceBook

        book = PriceBook.load(folder.prices, known=catalog.devices)
        prices = shared.quotes(book, device.device_id, day)
    if as_json:
        from bench.cli._tables import print_json

        print_json(
            {
                "name": text,
                "resolution": shared.resolution_json(found),
                "device": None if device is None else shared.device_json(device),
                "as_of": str(day),
                "prices": [shared.quote_json(kind, quote) for kind, quote in prices.items()],
            }
        )
    else:
        _print(catalog, text, found, device, prices, day)
    ctx.exit(0 if device is not None else 1)


def _list(catalog: Any, memory: int | None, vendor: str | None, device_class: str | None, *, as_json: bool):
    from bench.cli._catalog import device_json
    from bench.cli._tables import print_json, print_table

    found = [
        d
        for d in catalog
        if (vendor is None or (d.vendor or "").casefold() == vendor.casefold())
        and (device_class is None or d.device_class == device_class)
        and (memory is None or (d.memory_gib or 0) * 2**30 >= memory)
    ]
    if as_json:
        print_json([device_json(d) for d in found])
        return
    headers = ("device", "name", "class", "GiB", "GB/s", "dense 16-bit TFLOPS", "W", "released")
    print_table(
        headers,
        [
            (d.device_id, d.name, d.device_class, _n(d.memory_gib), _n(d.bandwidth_gb_s),
             _n(d.fp16_dense_tflops or d.bf16_dense_tflops), _n(d.tdp_w), d.released or "")
            for d in found
        ],
    )  # fmt: skip
    click.echo(f"{len(found)} of {len(catalog.devices)} devices.", err=True)


def _n(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _print(catalog: Any, text: str, found: Any, device: Any, prices: dict, day: date) -> None:
    from bench.cli import _catalog as shared
    from bench.cli._tables import print_table
    from bench.text import brief, plain

    click.echo(
        plain(f"'{brief(text)}' is {found.device_id or 'no single device of the catalog'}: {found.reason}.")
    )
    if found.partition:
        click.echo(plain(f"It is a part of the device: {found.partition}."))
    if found.variant:
        click.echo(plain(f"It is the variant with the {found.variant}."))
    for device_id in found.candidates:
        other = catalog.devices[device_id]
        units = " or ".join(map(str, other.compute_units)) or "an unknown number of"
        click.echo(plain(f"  {device_id}: {_n(other.memory_gib) or '?'} GiB, {units} compute units"))
    if found.candidates:
        click.echo("Say more with --memory or --compute-units, or use the full name.")
    if device is None:
        return
    click.echo()
    entry = shared.device_json(device)
    shown = [(name, "; ".join(map(str, v)) if isinstance(v, list) else v) for name, v in entry.items()]
    print_table(("column", "value"), [(name, _word(v)) for name, v in shown if v not in (None, "", False)])
    click.echo()
    if prices:
        rows = [shared.price_cells(kind, quote) for kind, quote in prices.items()]
        print_table(shared.PRICE_HEADERS, rows, title=f"Prices as of {day}")
    else:
        click.echo(f"No price was seen by {day}.")


def _word(value: Any) -> str:
    return "yes" if value is True else f"{value:g}" if isinstance(value, float) else str(value)


@command.command()
@data_option
@as_json
@click.pass_context
def check(ctx: click.Context, data: str | None, as_json: bool) -> None:
    """Check devices.csv: ids, units, dense rates, names that lead to their device and to no other.

    Exit code 1 when there are errors; warnings do not count.
    """
    from bench.catalog.device_check import check_devices
    from bench.cli import _catalog as shared

    path = shared.existing(data_dir(data).devices)
    remarks = check_devices(path)
    ctx.exit(shared.print_remarks(remarks, path, "devices checked", as_json=as_json))
