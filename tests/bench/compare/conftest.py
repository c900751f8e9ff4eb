"""Invented measured rows for comparisons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bench import schema

DAY = datetime(2026, 6, 1, tzinfo=UTC)


def make(rate, half=0.005, *, device="card-a", day=0, **values) -> schema.Row:
    """A measured row of one sequence; ``half`` is its interval's half-width as a share, or None."""
    given = {
        "run_id": f"run-{device}-{day}",
        "recorded_at": DAY + timedelta(days=day),
        "origin": "measured",
        "value_kind": "measured",
        "source_id": "hwguide",
        "workload": "decode",
        "model": "tiny-llama",
        "weights_dtype": "fp32",
        "compute_dtype": "fp32",
        "batch": 1,
        "output_tokens": 64,
        "execution": "eager",
        "protocol": "hwguide",
        "device_id": None,
        "device_name": device,
        "host_id": f"host-{device}",
        "engine": "torch",
        "engine_version": "2.12",
        "conditions": schema.to_json({"torch": "2.12", "attention": "flash"}),
        "status": "oom" if rate is None else "ok",
        "rate": rate,
        "rate_unit": "tokens/s",
        "sample_count": 10,
    }
    if rate is not None and half is not None:
        given |= {"rate_low": rate * (1 - half), "rate_high": rate * (1 + half)}
    given |= values
    given.setdefault("cell_id", schema.digest(sorted((k, str(v)) for k, v in given.items())))
    return schema.make_row(**given)


@pytest.fixture(scope="session")
def row():
    return make
