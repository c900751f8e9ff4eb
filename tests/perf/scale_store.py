"""A project whose store holds as many rows and devices as a measurement asks for, all invented."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench import schema, store
from bench.catalog import Catalog

START = datetime(2026, 1, 1, tzinfo=UTC)
#: What each device has run: lengths of the cache behind which tokens are decoded.
DEPTHS = (0, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768)
#: Rows of one file: a night's runs of a farm, put together.
FILE_ROWS = 20_000


def project(folder: Path, rows: int, devices: int) -> Path:
    """``bench init``, without the published tables, and a store of ``rows`` rows of ``devices`` devices."""
    command = [sys.executable, "-m", "bench", "init", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(folder / "data" / "published")
    _fill(
        folder / "data" / "runs", list(_cells(Catalog.load(folder / "data" / "devices.csv"), devices)), rows
    )
    return folder


def _cells(catalog: Catalog, devices: int) -> Iterator[schema.Row]:
    """One row of each cell of each device: those of the catalog alone, then two of each, and so on."""
    known = [device for device in catalog if device.memory_gib and device.device_class != "cpu"]
    for number in range(devices):
        device, count = known[number % len(known)], 1 + number // len(known)
        for place, depth in enumerate(DEPTHS):
            yield schema.make_row(
                run_id=f"base-{number}",
                cell_id=f"cell-{place}",
                recorded_at=START,
                origin="measured",
                value_kind="measured",
                source_id="hwguide",
                workload="decode",
                protocol="hwguide",
                model="Llama-3.2-1B",
                weights_dtype="fp16",
                compute_dtype="fp16",
                batch=1,
                output_tokens=32,
                context_depth=depth,
                weights="random",
                engine="transformers",
                execution="eager",
                device_id=device.device_id,
                device_name=device.name,
                device_count=count,
                host_id=f"host-{number}",
                status="ok",
                rate=2.0 + number % 7 + 1 / (1 + place),
                rate_unit="tokens/s",
                sample_count=5,
                work_per_sample=32.0,
            )


def _fill(runs: Path, cells: list[schema.Row], rows: int) -> None:
    """The cells over and over, a day later each time, in files as the store writes them."""
    runs.mkdir(parents=True, exist_ok=True)
    times = -(-rows // len(cells))
    step = max(1, FILE_ROWS // len(cells))
    note = f"KV_METADATA {{hwguide_schema: '{schema.SCHEMA_VERSION}', hwguide_run: '{{}}'}}"
    changed = (
        "run_id || '-' || i AS run_id, recorded_at + to_minutes(i * 10) AS recorded_at, "
        "rate * (1 + 0.02 * sin(i)) AS rate, "
        "rate * (0.99 + 0.02 * sin(i)) AS rate_low, rate * (1.01 + 0.02 * sin(i)) AS rate_high"
    )
    day = runs / START.strftime("%Y%m%d")
    day.mkdir()
    with store.table_of(cells) as con:
        for begin in range(0, times, step):
            end = min(times, begin + step)
            left = rows - begin * len(cells)
            con.execute(
                f"COPY (SELECT {store.TABLE}.* REPLACE ({changed}) FROM {store.TABLE}, range({begin}, {end}) "
                f"AS times(i) ORDER BY i, recorded_at, cell_id LIMIT {left}) "
                f"TO {store.quoted_path(day / f'rows-{begin:06}.parquet')} "
                f"(FORMAT parquet, COMPRESSION zstd, {note})"
            )
