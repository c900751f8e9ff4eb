"""Damaged files of other tools: nothing but ``BenchError``, and no figure that the sound file lacks."""

from __future__ import annotations

import json
import math
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import schema
from bench.catalog import Catalog
from bench.errors import BenchError
from bench.importers import IMPORTERS
from bench.importers.service import Options, open_import

FIXTURES = Path(__file__).parents[1] / "importers" / "fixtures"
CATALOG = Catalog.load(Path(__file__).parents[3] / "data" / "devices.csv")
NOW = datetime(2026, 6, 2, tzinfo=UTC)
EACH = 850
#: What a mutation puts where a word stood; as a word it is a legitimate one.
NO_NUMBERS = ("nan", "NaN", "inf", "-inf", "Infinity", "1e999", "null", "N/A", "-", "0x1F", "--5", "1_0x")

SUMMARY = "mlperf/v4.1/closed/Example/results/1xL4/llama2-70b-99/Offline/mlperf_log_summary.txt"
NAMES = (
    "llama_2023.csv", "llama_2023.sql", "llama_2025.json", "llama_2025.jsonl", "llama_bare.md",
    "llama_log.md",
    "optimum/benchmark_report.json", "optimum/benchmark.json", "optimum_2023/inference_results.csv",
    "vllm_serve.json", "vllm_latency.json", "vllm_throughput.json", "vllm_records.json",
    "vllm_nightly.json", "sglang.jsonl",
    "inferencex.json", "localscore.json", "localscore.csv", "generic.csv", SUMMARY,
)  # fmt: skip

#: Two ways to one figure (a mean and a median, a rounded and a full one) may differ by this much.
TOLERANCE = 0.02
#: What tells a row from others; a damaged file may lack any of it, but none of it may be another.
SIZES = ("batch", "input_tokens", "output_tokens", "context_depth")
WORDS = ("workload", "rate_unit")


def read(path: Path, *, partial: bool, form: str | None = None) -> list[dict[str, Any]]:
    """The rows of a file; none when it is refused."""
    rows = []
    try:
        for row in open_import(path, CATALOG, Options(form=form, partial=partial), now=NOW).rows():
            rows.append(row)
    except BenchError as error:
        assert error.message and len(error.format_message()) < 2000
    return rows


def could_be(row: dict[str, Any], sound: dict[str, Any]) -> bool:
    """Whether a row of the damaged file is a row of the sound one, or a part of it.

    Rows that are compared with nothing (a part of what was run is missing) need only the rate.
    """
    alone = "/alone/" in row["protocol"]
    sizes = alone or all(row[name] in (None, sound[name]) for name in SIZES)
    words = all(row[name] in (sound[name], *NO_NUMBERS) for name in WORDS)
    return sizes and words and abs(row["rate"] - sound["rate"]) <= TOLERANCE * sound["rate"]


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_gives_an_error_or_its_own_figures(name, tmp_path, damaged):
    folder = tmp_path / "files"
    shutil.copytree(FIXTURES, folder)
    path = folder / name
    data = path.read_bytes()
    sound = [row for row in read(path, partial=False) if row["status"] == "ok"]
    assert sound
    for number, (structural, kind, content) in enumerate(damaged(data, EACH, name)):
        path.write_bytes(content)
        for row in read(path, partial=number % 2 == 0):
            assert schema.check(row) == []
            if row["status"] != "ok":
                assert row["rate"] is None or row["status"] == "impossible"
                continue
            assert math.isfinite(row["rate"]) and row["rate"] > 0
            if structural:
                told = {n: row[n] for n in (*WORDS, *SIZES, "rate", "flags")}
                assert any(could_be(row, one) for one in sound), (name, number, kind, told, content[:3000])


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
FUZZ = settings(
    max_examples=350, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip


@pytest.mark.parametrize("form", IMPORTERS)
@FUZZ
@given(
    content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass"))
)
def test_no_bytes_crash_an_importer(form, content, tmp_path):
    path = tmp_path / "any.txt"
    path.write_bytes(content)
    assert [row for row in read(path, partial=True, form=form) if row["status"] == "ok"] == []


@pytest.mark.parametrize("name", [n for n in NAMES if n.endswith("json")])
@FUZZ
@given(data=st.data())
def test_no_value_at_any_key_crashes_an_importer(name, data, tmp_path):
    document = json.loads((FIXTURES / name).read_text("utf-8"))
    entry = document[0] if isinstance(document, list) else document
    for _ in range(data.draw(st.integers(1, 4))):
        entry[data.draw(st.sampled_from(sorted(entry)))] = data.draw(VALUES)
    path = tmp_path / Path(name).name
    path.write_text(json.dumps(document), encoding="utf-8", errors="surrogatepass")
    for row in read(path, partial=True):
        assert schema.check(row) == []
