"""The published tables as rows, read once, and the ways to pick some of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.catalog import Catalog
from bench.project import DataDir
from bench.published import load_published

DATA = DataDir(Path(__file__).parents[3] / "data")


@pytest.fixture(scope="session")
def published():
    return load_published(DATA)


@pytest.fixture(scope="session")
def catalog():
    return Catalog.load(DATA.devices)


@pytest.fixture(scope="session")
def rows(published):
    """``rows(source_id, column=value, …)``."""

    def found(source_id: str, **values):
        mine = (r for r in published.rows if r["source_id"] == source_id)
        return [r for r in mine if all(r[k] == v for k, v in values.items())]

    return found


@pytest.fixture(scope="session")
def one(rows):
    """The only row of these values."""

    def found(source_id: str, **values):
        matching = rows(source_id, **values)
        assert len(matching) == 1, [(r["device_name"], r["status"], r["rate"]) for r in matching]
        return matching[0]

    return found
