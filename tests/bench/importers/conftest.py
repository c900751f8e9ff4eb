"""Importing fixtures: files in each tool's format, with figures made up for the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.catalog import Catalog
from bench.importers.rows import parse_given
from bench.importers.service import Import, Options, open_import

HERE = Path(__file__).parent / "fixtures"
DATA = Path(__file__).resolve().parents[3] / "data"
NOW = datetime(2026, 6, 2, tzinfo=UTC)

Rows = list[dict[str, Any]]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.load(DATA / "devices.csv")


@pytest.fixture
def opened(catalog: Catalog) -> Callable[..., Import]:
    """``opened(path or fixture name, "key=value", …, device_name=…, partial=…, form=…)``."""

    def open_(name: str | Path, *given: str, **options: Any) -> Import:
        path = name if isinstance(name, Path) else HERE / name
        return open_import(path, catalog, Options(given=parse_given(given), **options), now=NOW)

    return open_


@pytest.fixture
def rows(opened: Callable[..., Import]) -> Callable[..., Rows]:
    return lambda *args, **options: list(opened(*args, **options).rows())


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., Path]:
    """A copy of a JSON fixture after ``edit`` has changed its value."""

    def change(name: str, edit: Callable[[Any], None]) -> Path:
        value = json.loads((HERE / name).read_text("utf-8"))
        edit(value)
        path = tmp_path / Path(name).name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return change
