"""Rows of invented results on devices of the real catalog."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import schema
from bench.catalog import Catalog
from bench.verify.base import Context
from bench.verify.checks import CHECKS

DEVICES = Path(__file__).parents[3] / "data" / "devices.csv"


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.load(DEVICES)


def make(**values) -> schema.Row:
    """A published decode row of an 8 B model in 4 bits, one sequence, on an Apple M1 of 8 GB."""
    given = {
        "run_id": "published-here",
        "cell_id": "c",
        "recorded_at": datetime(2026, 1, 1, tzinfo=UTC),
        "origin": "published",
        "source_id": "here",
        "method_version": None,
        "workload": "decode",
        "model": "Llama-3-8B",
        "params": 8_030_261_248,
        "weights_dtype": "q4_k_m",
        "batch": 1,
        "protocol": "here",
        "device_id": "apple-m1",
        "device_name": "Apple M1",
        "device_memory_bytes": 8 * 2**30,
        "engine": "llama.cpp",
        "status": "ok",
        "rate": 10.0,
        "rate_unit": "tokens/s",
    }
    return schema.make_row(**given | values)


@pytest.fixture(scope="session")
def tool(catalog):
    """``tool.row(**values)`` and ``tool.found(row)``: names of the checks that object, by severity."""
    context = Context(catalog)

    def found(row, severity="impossible", context=context):
        return [
            name
            for name, check in CHECKS.items()
            for problem in check.problems(row, context)
            if (problem.severity or check.severity) == severity
        ]

    def text(row, context=context):
        return " ".join(p.text for check in CHECKS.values() for p in check.problems(row, context))

    return SimpleNamespace(row=make, found=found, text=text, context=context)
