"""Damaged files of the project itself: the catalog, prices, tariffs, published tables, sources, run files."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import schema, store
from bench.catalog import Catalog
from bench.catalog.device_check import check_devices
from bench.catalog.electricity import load_electricity
from bench.catalog.price_check import check_prices
from bench.catalog.prices import PriceBook
from bench.errors import BenchError
from bench.published import Source, load_sources, read_table
from bench.verify.files import verify_file
from bench.verify.submission import check_submission

DATA = Path(__file__).parents[3] / "data"
CATALOG = Catalog.load(DATA / "devices.csv")
EACH = 700
HALF = 350
#: A run file is read several ways through DuckDB, which takes a hundred times as long as a line of text.
RUNS = 60
DAY = date(2026, 12, 1)
SOURCE = Source("a", "a.csv", "A", "https://a.example", DAY, "MIT", "a", "by hand", "all")


def head(path: Path, lines: int) -> bytes:
    return b"".join(path.read_bytes().splitlines(keepends=True)[:lines])


def attempt(read: Any, *args: Any) -> list[Any]:
    """What a reader gives; nothing when it refuses the file."""
    try:
        return list(read(*args))
    except BenchError as error:
        assert error.message
        return []


def test_prices(tmp_path, damaged):
    data = head(DATA / "prices.csv", 25)
    path = tmp_path / "prices.csv"

    def read():
        return PriceBook.load(path, known=CATALOG.devices).observations

    path.write_bytes(data)
    sound = {(o.device_id, o.amount_usd, o.device_count, o.kind) for o in read()}
    for structural, kind, content in damaged(data, EACH, "prices"):
        path.write_bytes(content)
        found = {(o.device_id, o.amount_usd, o.device_count, o.kind) for o in attempt(read)}
        assert not structural or found <= sound, (kind, found - sound)
        attempt(check_prices, path, CATALOG.devices, DAY)


def test_devices(tmp_path, damaged):
    data = head(DATA / "devices.csv", 20)
    path = tmp_path / "devices.csv"
    figures = ("memory_gib", "bandwidth_gb_s", "fp32_tflops", "fp16_dense_tflops", "int8_dense_tops", "tdp_w")

    def read():
        return [(name, getattr(d, name)) for d in Catalog.load(path) for name in figures]

    path.write_bytes(data)
    sound = set(read())
    for structural, kind, content in damaged(data, EACH, "devices"):
        path.write_bytes(content)
        wrong = {f for f in attempt(read) if f not in sound and f[1] is not None}
        assert not structural or not wrong, (kind, wrong)
        attempt(check_devices, path)


def test_tariffs(tmp_path, damaged):
    data = (DATA / "electricity.csv").read_bytes()
    path = tmp_path / "electricity.csv"
    path.write_bytes(data)
    sound = {(t.usd_per_kwh, t.grid_gco2_per_kwh) for t in load_electricity(path)}
    known = {value for pair in sound for value in pair} | {None}
    for structural, kind, content in damaged(data, HALF, "tariffs"):
        path.write_bytes(content)
        for t in attempt(load_electricity, path):
            if structural:
                assert t.usd_per_kwh in known and t.grid_gco2_per_kwh in known, (kind, t)


@pytest.mark.parametrize("name", ["xiongjie", "mlenergy", "mlperf_tiny", "article1"])
def test_published_tables(name, tmp_path, damaged):
    data = head(DATA / "published" / f"{name}.csv", 12)
    path = tmp_path / f"{name}.csv"
    path.write_bytes(data)
    sound = {(r["workload"], r["rate"]) for r in read_table(path, SOURCE) if r["status"] == "ok"}
    rates = {rate for _, rate in sound}
    for structural, kind, content in damaged(data, HALF, name):
        path.write_bytes(content)
        for row in attempt(read_table, path, SOURCE):
            assert schema.check(row) == []
            if structural and row["status"] == "ok":
                assert row["rate"] in rates, (kind, row["rate"])


def test_sources(tmp_path, damaged):
    whole = (DATA / "published" / "sources.toml").read_bytes()
    data = b"\n[".join(whole.split(b"\n[")[:3])  # whole entries: a cut one would be refused undamaged
    path = tmp_path / "sources.toml"
    found = []
    for _, _, content in damaged(data, EACH, "sources"):
        path.write_bytes(content)
        found.append(bool(attempt(load_sources, path)))
    assert set(found) == {True, False}  # some damage is harmless, some is refused; none ends otherwise


def run_file(path: Path) -> bytes:
    now = datetime(2026, 12, 1, 10, tzinfo=UTC)
    base = {
        "run_id": path.stem, "origin": "measured", "source_id": "hwguide", "recorded_at": now,
        "workload": "encode", "protocol": "hwguide", "device_name": "NVIDIA GeForce RTX 4090", "status": "ok",
        "rate_unit": "sequences/s", "host_id": "0" * 16, "conditions": json.dumps({"torch": "2.13.0"}),
        "environment": json.dumps({"os": "Debian"}), "flags": ["few-samples"],
    }  # fmt: skip
    rows = [
        schema.make_row(cell_id=f"c{i}", rate=100.0 + i, samples_s=[0.01] * 3, sample_count=3, **base)
        for i in range(4)
    ]
    store.write_run(path, rows, {"run_id": path.stem, "suite": "quick", "plan": [{}] * 4})
    return path.read_bytes()


def test_run_files(tmp_path, damaged):
    path = tmp_path / "20261201T100000Z-0123abcd.parquet"
    data = run_file(path)
    for _, _, content in damaged(data, RUNS, "run"):
        path.write_bytes(content)
        attempt(store.read_run, path)
        attempt(store.read_meta, path)
        check_submission(path, CATALOG)
        verify_file(path, CATALOG)


FUZZ = settings(
    max_examples=400, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip


@FUZZ
@given(
    name=st.text(max_size=60) | st.from_regex(r"(NVIDIA |AMD )?(GeForce )?(RTX|H|A)? ?\d{2,4}( Ti| D|GB)?"),
    memory=st.none() | st.integers(-1, 2**70),
    units=st.none() | st.integers(-1, 2**40),
)
def test_any_name_resolves_or_says_why(name, memory, units):
    found = CATALOG.resolve(name, memory_bytes=memory, compute_units=units)
    assert found.reason and (found.device_id is None or found.device_id in CATALOG.devices)


SCALARS = st.none() | st.integers() | st.floats() | st.text(max_size=5)


@FUZZ
@given(st.dictionaries(st.sampled_from(schema.NAMES), SCALARS | st.lists(SCALARS, max_size=3)))
def test_the_schema_judges_any_value(values):
    base = dict.fromkeys(schema.NAMES) | {"flags": []}
    assert isinstance(schema.check(base | values), list)
