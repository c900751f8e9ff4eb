"""Small invented evidence with known answers, for the tests of the analysis (fixture ``made``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import schema
from bench.catalog import Catalog, CatalogDevice
from bench.catalog.prices import Observation, PriceBook
from bench.schema import Row
from guide.decide.scenarios import Settings, load_scenarios
from guide.evidence import Evidence, analyse

DAY = datetime(2026, 6, 1, tzinfo=UTC)
PRICE_DAY = date(2026, 5, 20)


def device(device_id: str, **values: Any) -> CatalogDevice:
    """A 24 GiB card of 300 W called as its id, unless told otherwise."""
    given: dict[str, Any] = dict.fromkeys(CatalogDevice.__dataclass_fields__)
    given |= {
        "device_id": device_id,
        "name": device_id.upper(),
        "vendor": "Maker",
        "device_class": "consumer",
        "form": "card",
        "memory_gib": 24.0,
        "memory_varies": False,
        "memory_unified": False,
        "bandwidth_gb_s": 10_000.0,  # invented rates must pass the physics gate
        "tdp_w": 300.0,
        "released": "2024-01-01",
        "compute_units": (),
        "software_devices": 1,
        "aliases": (),
        "source": "invented",
        "source_date": "2026",
        "confidence": "high",
    }
    return CatalogDevice(**given | values)


def price(device_id: str, usd: float, kind: str = "new", **values: Any) -> Observation:
    """One observation of a price, seen twelve days before ``DAY``."""
    given: dict[str, Any] = {
        "device_id": device_id,
        "kind": kind,
        "amount_usd": usd,
        "per": "hour" if kind.startswith("rent") else "unit",
        "device_count": 1,
        "provider": None,
        "region": None,
        "observed_on": PRICE_DAY,
        "stat": "list",
        "source": "invented",
        "note": None,
        "line": 1,
    }
    return Observation(**given | values)


def row(device_id: str | None, rate: float | None, *, half: float | None = None, **values: Any) -> Row:
    """A measured decode row: ``half`` is the half-width of its interval as a share (None: no interval)."""
    name = (device_id or "someone").upper()
    given: dict[str, Any] = {
        "run_id": f"run-{name}-{values.get('device_count', 1)}",
        "recorded_at": DAY,
        "origin": "measured",
        "value_kind": "measured",
        "source_id": "hwguide",
        "workload": "decode",
        "model": "Llama-3-8B",
        "weights_dtype": "q4_k_m",
        "batch": 1,
        "output_tokens": 1024,
        "protocol": "hwguide",
        "device_id": device_id,
        "device_name": name,
        "host_id": "host",
        "status": "ok" if rate is not None else "oom",
        "rate": rate,
        "rate_unit": "tokens/s",
    }
    if rate is not None and half is not None:
        given |= {"rate_low": rate * (1 - half), "rate_high": rate * (1 + half)}
    given |= values
    given.setdefault("cell_id", schema.digest([str(given[k]) for k in sorted(given)]))
    return schema.make_row(**given)


QUESTION = """
[[scenario.question]]
text = "What writes fastest?"
tasks = [{ workload = "decode", model = "~8b" }]
min_systems = 2
"""
SCENARIO = """
[assumptions]
hours_per_day = 8
years = 3
usd_per_kwh = 0.2

[grid]
price_factor = [0.8, 1.0, 1.25]
usd_per_kwh = [0.1, 0.4]

[[scenario]]
key = "one"
title = "One"
reader = "A reader."
objective = "fastest"
"""


def settings(folder: Path, text: str = SCENARIO + QUESTION) -> Settings:
    """Settings from the text of a ``scenarios.toml``."""
    path = folder / "scenarios.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenarios(path)


def evidence(
    rows: Iterable[Row],
    prices: Iterable[Observation],
    given: Settings,
    devices: Iterable[CatalogDevice] = (),
    **values: Any,
) -> Evidence:
    """The evidence of these rows; every device id that is mentioned and not given is a plain card."""
    rows, prices = list(rows), list(prices)
    named: Mapping[str, CatalogDevice] = {d.device_id: d for d in devices}
    wanted = {r["device_id"] for r in rows if r["device_id"]} | {p.device_id for p in prices}
    catalog = Catalog({key: device(key) for key in sorted(wanted - set(named))} | dict(named))
    return analyse(rows=rows, catalog=catalog, book=PriceBook(prices), settings=given, **values)


@pytest.fixture
def made(tmp_path: Path) -> SimpleNamespace:
    """The makers above; ``made.evidence(rows, prices)`` has the settings of ``made.text`` by default."""

    def with_settings(rows, prices, *, text: str = SCENARIO + QUESTION, **values: Any) -> Evidence:
        return evidence(rows, prices, settings(tmp_path, text), **values)

    return SimpleNamespace(
        row=row,
        price=price,
        device=device,
        evidence=with_settings,
        settings=lambda text: settings(tmp_path, text),
        scenario_text=SCENARIO,
        question_text=QUESTION,
        day=DAY,
    )
