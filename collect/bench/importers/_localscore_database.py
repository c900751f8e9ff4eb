"""The SQLite database of LocalScore's site."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from bench.importers._llama_model import read_model
from bench.importers._localscore_tests import Test, accelerator, means, read_test, stated_of, version_of
from bench.importers.base import Found
from bench.importers.fields import Fields, moment
from bench.importers.files import Fault, Source

_MOST_ROWS = 1_000_000
_TABLES = frozenset({"benchmark_runs", "test_results", "accelerators", "models", "model_variants"})


def read_database(source: Source) -> Iterator[Found | Fault]:
    """Every run of the site's database. It is opened read-only and without its own functions or views."""
    uri = f"{source.path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(uri, uri=True)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
            yield from _database(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        yield Fault("the database", f"cannot be read ({str(error)[:100]})")


def _database(connection: sqlite3.Connection) -> Iterator[Found | Fault]:
    names = {r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if missing := sorted(_TABLES - names):
        raise Fault("the database", f"has no table {missing[0]}")
    tables = {
        name: _rows(connection, name)
        for name in sorted(names & (_TABLES | {"runtimes", "benchmark_systems"}))
    }
    by_id = {name: {row.get("id"): row for row in rows} for name, rows in tables.items()}
    tests: dict[Any, list[dict[str, Any]]] = {}
    for row in tables["test_results"]:
        tests.setdefault(row.get("benchmark_run_id"), []).append(row)
    for run in tables["benchmark_runs"]:
        yield from _run(run, tests.get(run.get("id"), []), by_id)


def _rows(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    cursor = connection.execute(f'SELECT * FROM "{table}" LIMIT {_MOST_ROWS}')
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, values, strict=True)) for values in cursor]


def _run(
    run: dict[str, Any], results: list[dict[str, Any]], by_id: Mapping[str, Mapping[Any, dict[str, Any]]]
) -> Iterator[Found | Fault]:
    where = f"run {run.get('id')}"

    def linked(table: str, key: str) -> Fields:
        return Fields(by_id.get(table, {}).get(run.get(key)) or {}, f"{where}, {table}")

    zero: list[str] = []
    try:
        machine = linked("benchmark_systems", "system_id")
        variant = linked("model_variants", "model_variant_id")
        model = Fields(by_id["models"].get(variant.values.get("model_id")) or {}, f"{where}, models")
        base = {
            "device": accelerator(linked("accelerators", "accelerator_id"), machine, zero),
            "environment": stated_of({"cpu": machine.text("cpu_name")}),
            "recorded_at": moment(str(run.get("created_at") or "")),
        }
        runtime = linked("runtimes", "runtime_id")
        columns = {"engine": runtime.text("name"), "engine_version": version_of(runtime)}
        name, params = model.text("name"), model.count("params", 1)
        dtype = read_model(f"model {variant.text('quantization')}", None, None).weights_dtype
    except Fault as fault:
        yield fault
        return
    tests: list[Test] = []
    for row in results:
        try:
            test = read_test(Fields(row, f"{where}, test {row.get('id')}"), zero)
        except Fault as fault:
            yield fault
            continue
        test.model, test.params, test.dtype = name, params, dtype
        tests.append(test)
        yield from test.found(base, columns, tuple(dict.fromkeys(zero)))
    if len(tests) == len(results):
        summary = Fields({k: v for k, v in run.items() if k.startswith(("avg_", "perf"))}, where)
        yield from means(tests, base, columns, (), summary, where)
