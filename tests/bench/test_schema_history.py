"""The columns have a history: what was once written stays readable, and a change raises the version."""

from __future__ import annotations

import re

import pytest

from bench import schema

#: schema version -> digest of (name, kind, unit) of each of its columns, in order.
COLUMNS_OF = {1: "39e8091f14b1e8d7"}


def test_a_change_of_columns_raises_the_version() -> None:
    """Raise SCHEMA_VERSION, add a line to the history and a migration, and add the digest here."""
    found = schema.digest([[c.name, c.kind, c.unit] for c in schema.COLUMNS])
    assert COLUMNS_OF.get(schema.SCHEMA_VERSION) == found


def test_every_older_version_has_a_way_to_the_next() -> None:
    assert set(schema.MIGRATIONS) == set(range(1, schema.SCHEMA_VERSION))


@pytest.mark.parametrize(
    ("heading", "version"),
    [("Schema history", schema.SCHEMA_VERSION), ("Method history", schema.METHOD_VERSION)],
)
def test_the_histories_are_complete(heading: str, version: int) -> None:
    part = schema.__doc__.split(heading)[1].split("\n\n")[0]
    versions = [int(number) for number in re.findall(r"^ {4}(\d+)  \d{4}-\d{2}  \w", part, re.MULTILINE)]
    assert versions == list(range(1, version + 1))


@pytest.mark.parametrize("column", schema.COLUMNS, ids=lambda c: c.name)
def test_a_column_says_what_it_holds(column: schema.Column) -> None:
    assert column.kind in schema.KINDS
    assert len(column.meaning.split()) > 1
    assert 1 <= column.since <= schema.SCHEMA_VERSION
    suffixes = {
        "_s": "s",
        "_ms": "ms",
        "_w": "W",
        "_j": "J",
        "_c": "°C",
        "_bytes": "bytes",
        "_flops": "FLOP/s",
    }
    for suffix, unit in suffixes.items():
        if column.name.endswith(suffix) and not column.name.endswith("_per_s") and column.unit:
            assert column.unit == unit
    if column.kind == "float":
        dimensionless = {"measured_fraction", "throttled_fraction", "efficiency", "work_per_sample"}
        assert column.unit or column.name in dimensionless
