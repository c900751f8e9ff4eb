"""LocalScore: what its site is sent, what its program prints, and the site's own database."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

from bench.importers._localscore_database import read_database
from bench.importers._localscore_tests import Test, accelerator, means, read_test, stated_of, version_of
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields
from bench.importers.files import Entry, Fault, Source

_CSV_KEYS = frozenset({"n_prompt", "n_gen", "prompt_tps", "gen_tps"})
_SQLITE = b"SQLite format 3\0"


#: What the program prints for a rate over a power of 0, where JSON has no word for it.
_NO_NUMBER = re.compile(r"(?<=[:\[,])(\s*)-?(?:inf|nan)(?=\s*(?:[,}\]]|$))")


class _Printed(Source):
    """JSON as the program prints it, with ``null`` for what is no number."""

    def chunks(self) -> Iterator[str]:
        """The text, some lines at a time. Raises ``Fault`` where it is not text."""
        rest = ""
        for chunk in super().chunks():
            *lines, rest = (rest + chunk).split("\n")
            yield "".join(_NO_NUMBER.sub(r"\1null", line) + "\n" for line in lines)
        yield _NO_NUMBER.sub(r"\1null", rest)


class LocalScore(Importer):
    name: ClassVar[str] = "localscore"
    title: ClassVar[str] = "LocalScore"
    forms: ClassVar[tuple[str, ...]] = ("JSON", "CSV", "the site's SQLite database")
    versions: ClassVar[tuple[str, ...]] = ("llamafile 0.9.0 to 0.9.3", "other programs that send in its form")
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("0 stands for unknown power, memory and spread", "made missing", "zero-meant-unknown"),
        Correction("A rate over a power of 0 is printed as 'inf', which is no JSON", "read as missing"),
        Correction("The weight type is cut to 'Medium'", "read from the model's own description"),
        Correction("samples_ns holds a prompt and a generation, not repetitions", "not read as repetitions"),
        Correction("Each test generates at another depth of context", "each shape is a task of its own"),
        Correction(
            "Time to first token holds reading and one generated token", "kept as time to first token"
        ),
        Correction("The summary is a mean over nine shapes", "a row of its own, marked", "mean-over-shapes"),
        Correction("The same chip runs as GPU and as CPU", "told apart by the accelerator's type"),
        Correction("The memory of an Apple GPU is the share it may use", "the machine's memory is taken"),
        Correction("Other programs send results in its form", "marked", "reimplementation"),
        Correction("Kernel strings and model paths name users", "left out"),
    )
    lacks: ClassVar[str] = "device and model in the short CSV; repetitions"

    def recognises(self, source: Source) -> bool:
        if source.head_bytes.startswith(_SQLITE):
            return b"benchmark_runs" in source.head_bytes
        if source.keys >= {"accelerator_info", "results"}:
            return True
        return set(source.head.partition("\n")[0].replace('"', "").strip().split(",")) >= _CSV_KEYS

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        if source.head_bytes.startswith(_SQLITE):
            yield from read_database(source)
        elif source.head.lstrip().startswith(("{", "[")):
            yield from each(_Printed(source.path).entries(), _document)
        else:
            yield from _read_csv(source)


def _document(entry: Entry) -> Iterator[Found | Fault]:
    document = Fields(entry.value, entry.where)
    runtime, machine = document.under("runtime_info"), document.under("system_info")
    zero: list[str] = []
    device = accelerator(document.under("accelerator_info"), machine, zero)
    results = document.values.get("results")
    if not isinstance(results, list) or not results:
        raise document.fault("results", "a list of tests")
    other = "llama-bench" in (runtime.text("version") or "")
    base: dict[str, Any] = {
        "device": device,
        "environment": stated_of({"cpu": machine.text("cpu_name"), "system": machine.text("kernel_type")}),
    }
    columns = {"engine": runtime.text("name") or "llamafile", "engine_version": version_of(runtime)}
    flags = ("reimplementation",) if other else ()
    base["recorded_at"] = _when(results[0], document)
    tests: list[Test] = []
    faults = 0
    for number, value in enumerate(results, 1):
        try:
            test = read_test(Fields(value, f"{entry.where}, test {number}"), zero)
        except Fault as fault:
            faults += 1
            yield fault
            continue
        tests.append(test)
        yield from test.found(base, columns, (*flags, *test.flags, *dict.fromkeys(zero)))
    if not faults:
        summary = document.under("results_summary")
        yield from means(tests, base, columns, flags, summary, entry.where)


def _when(first: Any, document: Fields) -> datetime | None:
    """The time of the first test."""
    return Fields(first, document.where).time("test_time") if isinstance(first, dict) else None


def _read_csv(source: Source) -> Iterator[Found | Fault]:
    """The short CSV, with a summary in comment lines; the full one has the columns of the JSON form."""
    summary: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    for number, line in source.lines():
        if line.startswith("#"):
            name, _, value = line.lstrip("# ").partition(",")
            summary[name.strip()] = value.strip()
        elif line.strip():
            lines.append((number, line))
    try:
        rows = list(csv.reader(io.StringIO("\n".join(text for _, text in lines)), strict=True))
    except csv.Error as error:
        yield Fault("the file", f"not CSV ({error})")
        return
    if len(rows) != len(lines):
        yield Fault("the file", "a quoted value goes over several lines")
        return
    if not rows:
        yield Fault("the file", "no line of it holds a value")
        return
    header = [name.strip() for name in rows[0]]
    tests, zero, faults = [], [], 0
    named = {"accelerator_name", "accelerator_type"} <= set(header)
    base: dict[str, Any] = {"device": Named(), "environment": {}}
    for (number, _), values in zip(lines[1:], rows[1:], strict=True):
        where = f"line {number}"
        if len(values) != len(header):
            faults += 1
            yield Fault(where, f"{len(values)} values, but the header has {len(header)} columns")
            continue
        try:
            row = Fields({k: v for k, v in zip(header, values, strict=True) if v != ""}, where)
            if named:
                base["device"] = Named(
                    row.text("accelerator_name"), processor=row.text("accelerator_type") == "CPU"
                )
            test = read_test(row, zero)
        except Fault as fault:
            faults += 1
            yield fault
            continue
        tests.append(test)
        yield from test.found(base, {"engine": "llamafile"}, (*test.flags, "rounded-in-source"))
    if not faults and tests:
        stated = Fields(summary, "the summary")
        yield from means(tests, base, {"engine": "llamafile"}, ("rounded-in-source",), stated, "the summary")
