"""The committed data are sound: everything the guide is made from reads without a finding."""

from __future__ import annotations

from pathlib import Path

from bench import store
from bench.catalog import Catalog
from bench.catalog.electricity import load_electricity
from bench.catalog.prices import PriceBook
from bench.project import DataDir
from bench.published import load_published

DATA = DataDir(Path(__file__).resolve().parent.parent / "data")
RUNS = sorted(DATA.runs.glob("*/*.parquet"))


def test_every_run_file_reads() -> None:
    contents = store.read_store(DATA.runs)
    assert contents.left_out == []
    assert len(contents.files) == len(RUNS)


def test_run_files_bear_their_runs_name_and_hold_no_miniatures() -> None:
    """The tiny suite's figures mean nothing."""
    for path in RUNS:
        assert store.read_meta(path)["suite"] != "tiny", path
        assert {row["run_id"] for row in store.read_run(path)} == {path.stem}, path


def test_prices_are_of_devices_in_the_catalog() -> None:
    catalog = Catalog.load(DATA.devices)
    prices = PriceBook.load(DATA.prices, known=catalog.devices)
    assert any(prices.of(device_id) for device_id in catalog.devices)


def test_tariffs_read() -> None:
    assert load_electricity(DATA.electricity)


def test_published_rows_are_of_devices_in_the_catalog() -> None:
    """A published row names a device of the catalog, or none where the source is not exact enough."""
    catalog = Catalog.load(DATA.devices)
    rows = load_published(DATA).rows
    assert rows
    assert {row["device_id"] for row in rows} - {None} <= set(catalog.devices)
