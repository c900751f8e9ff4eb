"""The row contract."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import schema
from bench.cells import Cell
from bench.errors import BenchError

MINIMAL = {
    "run_id": "r",
    "cell_id": "c",
    "origin": "measured",
    "source_id": "hwguide",
    "workload": "probe",
    "protocol": "hwguide",
    "device_name": "d",
    "status": "failed",
    "recorded_at": datetime(2026, 12, 1, tzinfo=UTC),
}


def test_every_column_is_described():
    assert len({c.name for c in schema.COLUMNS}) == len(schema.COLUMNS)
    for column in schema.COLUMNS:
        assert column.meaning
        assert column.kind in schema.KINDS
    assert set(schema.TASK_FIELDS) <= set(schema.NAMES)


def test_names_that_end_in_a_unit_say_it():
    endings = {"_ms": "ms", "_s": "s", "_w": "W", "_bytes": "bytes", "_j": "J", "_c": "°C"}
    for column in schema.COLUMNS:
        for ending, unit in endings.items():
            if column.name.endswith(ending) and not column.name.endswith("_per_s"):
                assert column.unit == unit, column.name


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"nonsense": 1}, "unknown column 'nonsense'"),
        ({"device_name": None}, "device_name is missing"),
        ({"status": "odd"}, "status is 'odd'"),
        ({"rate": math.nan}, "a missing figure is NULL"),
        ({"rate": math.inf}, "a missing figure is NULL"),
        ({"batch": 1.5}, "batch should be int"),
        ({"batch": True}, "batch should be int"),
        ({"samples_s": [0.1, math.nan]}, "other than finite numbers"),
        ({"samples_s": [0.1], "sample_count": 2}, "sample_count is 2"),
        ({"settings": "{"}, "not JSON"),
        ({"recorded_at": datetime(2026, 12, 1)}, "no time zone"),
        ({"status": "ok"}, "status is ok but rate is None"),
        ({"status": "ok", "rate": 0.0, "rate_unit": "x"}, "status is ok but rate is 0.0"),
        ({"rate": 1.0, "rate_low": 2.0}, "rate_low 2.0 is above"),
        ({"rate": 1.0, "rate_high": 0.5}, "rate_high 0.5 is below"),
        ({"input_tokens": -5}, "input_tokens is -5, below 0"),
        ({"device_count": -3}, "device_count is -3, below 1"),
        ({"device_count": 0}, "device_count is 0, below 1"),
        ({"batch": 0}, "batch is 0, below 1"),
        ({"batch": 2**63}, "more than 64 bits"),
        ({"schema_version": 0}, "schema_version is 0, below 1"),
        ({"mean_power_w": -1.0}, "mean_power_w is -1.0, below 0"),
        ({"samples_s": [0.1, -0.1]}, "samples_s is -0.1, below 0"),
        ({"measured_fraction": 1.5}, "measured_fraction is 1.5, above 1"),
        ({"throttled_fraction": -0.1}, "throttled_fraction is -0.1, below 0"),
        ({"efficiency": -0.1}, "efficiency is -0.1, below 0"),
        ({"device_name": "d" * 10_000}, "device_name has 10,000 characters; at most 500"),
        ({"settings": f'{{"a": "{"x" * 100_000}"}}'}, "at most 100,000"),
        ({"flags": ["f"] * 101}, "flags holds 101 texts; at most 100"),
        ({"flags": ["f" * 81]}, "flags has 81 characters; at most 80"),
    ],
)
def test_a_row_that_does_not_fit_says_where(values, words):
    with pytest.raises(BenchError, match="does not fit") as caught:
        schema.make_row(**MINIMAL | values)
    assert words in caught.value.message


def test_a_minimal_row_is_complete():
    row = schema.make_row(**MINIMAL)
    assert tuple(row) == schema.NAMES
    assert schema.check(row) == []


@given(st.sampled_from(schema.TASK_FIELDS))
def test_the_task_key_depends_on_everything_that_was_asked(name):
    row = schema.make_row(**MINIMAL)
    assert schema.task_key(row | {name: "changed"}) != row["task_key"]


def test_the_task_key_ignores_where_it_ran():
    row = schema.make_row(**MINIMAL)
    assert schema.task_key(row | {"device_name": "other", "conditions": "{}", "rate": 9.0}) == row["task_key"]


def test_a_cell_and_its_row_agree():
    cell = Cell("decode", model="m", batch=4, settings={"b": 1, "a": [2]})
    assert Cell.from_json(cell.as_json()) == cell
    assert Cell.from_json(cell.as_json()).cell_id == cell.cell_id
    row = cell.columns()
    assert row["settings"] == '{"a": [2], "b": 1}'
    assert row["task_key"] == schema.task_key(row)
    other = Cell("decode", model="m", batch=4, settings={"a": [2], "b": 1}, device_count=2)
    assert other.columns()["task_key"] == row["task_key"]
    assert other.cell_id != cell.cell_id


def test_the_ends_of_the_bounds_are_within_them():
    ends = {"device_count": 1, "context_depth": 0, "measured_fraction": 1, "throttled_fraction": 0.0}
    longest = {"device_name": "d" * 500, "flags": ["f" * 80] * 100, "max_temperature_c": -40.0}
    assert schema.check(schema.make_row(**MINIMAL | ends | longest)) == []


def test_a_sentence_of_any_length_is_cut_to_what_a_column_takes():
    assert (schema.cut(None), schema.cut("short")) == (None, "short")
    schema.make_row(**MINIMAL | {"status_detail": schema.cut("too long " * 99)})
