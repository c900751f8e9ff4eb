"""Every key that a measured row can hold in its JSON columns is explained, and none that no row has."""

import ast
import json
from pathlib import Path

import pytest

import bench
from bench import dictionary, schema, store
from bench.devices.conditions import LIBRARIES
from bench.dictionary import CONDITIONS, ENVIRONMENT, SETTINGS, TELEMETRY
from bench.suites import SUITES
from bench.workloads import WORKLOADS

ROOT = Path(bench.__file__).parent
STORE = Path(__file__).parents[2] / "data" / "runs"
#: Keys that other files than a device's put there.
ELSEWHERE = {"sync_self_test", "attention_kernel", "compile", "device"}


def literal_keys(path, *functions):
    """Keys of dictionaries that these functions of a file build."""
    found = set()
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not (isinstance(function, ast.FunctionDef) and function.name in functions):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Dict):
                found |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                found |= {node.slice.value} if isinstance(node.slice, ast.Constant) else set()
    return found


def test_conditions_are_those_that_the_devices_tell():
    told = set(LIBRARIES) | ELSEWHERE
    for path in (ROOT / "devices").glob("*.py"):
        told |= literal_keys(path, "own_conditions", "precision_conditions")
    assert told == CONDITIONS.keys()


def test_environment_is_what_the_machine_tells():
    told = literal_keys(ROOT / "measure" / "environment.py", "environment")
    assert told | {"telemetry"} == ENVIRONMENT.keys()


def test_settings_are_those_that_the_cells_have():
    cells = [
        c for w in WORKLOADS.values() for s in SUITES for kind in ("cpu", "cuda") for c in w.cells(s, kind)
    ]
    assert {key for cell in cells for key in cell.settings} == SETTINGS.keys()


@pytest.mark.parametrize("path", sorted(STORE.glob("*/*.parquet")), ids=lambda path: path.stem)
def test_no_row_of_the_store_has_a_key_without_words(path):
    for row in store.read_run(path):
        for column, words in (
            ("conditions", CONDITIONS),
            ("environment", ENVIRONMENT),
            ("settings", SETTINGS),
        ):
            assert json.loads(row[column] or "{}").keys() <= words.keys()
        assert json.loads(row["environment"]).get("telemetry", {}).keys() <= TELEMETRY.keys()


def test_every_key_has_a_line_and_a_column():
    found = list(dictionary.keys())
    assert len(found) == len(CONDITIONS) + len(ENVIRONMENT) + len(SETTINGS) + len(TELEMETRY)
    for key in found:
        column = schema.BY_NAME[key.column.partition(".")[0]]
        assert column.kind == "json"
        assert key.meaning and "\n" not in key.meaning
