"""LocalScore: what its site is sent, what its program prints, and the site's own database."""

from __future__ import annotations

import csv
import io
import math
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from bench.importers import physics
from bench.importers._llama_model import read_model
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields, agree, moment
from bench.importers.files import Entry, Fault, Source

SHAPES = frozenset({
    (1024, 16), (4096, 256), (2048, 256), (2048, 768), (1024, 1024), (1280, 3072), (384, 1152), (64, 1024),
    (16, 1536),
})  # fmt: skip
_CSV_KEYS = frozenset({"n_prompt", "n_gen", "prompt_tps", "gen_tps"})
_SQLITE = b"SQLite format 3\0"
#: Prompt and generation time over the rates give the stated time but for means of repetitions.
_TIME = 0.05
_MOST_ROWS = 1_000_000
_TABLES = frozenset({"benchmark_runs", "test_results", "accelerators", "models", "model_variants"})


class LocalScore(Importer):
    name: ClassVar[str] = "localscore"
    title: ClassVar[str] = "LocalScore"
    forms: ClassVar[tuple[str, ...]] = ("JSON", "CSV", "the site's SQLite database")
    versions: ClassVar[tuple[str, ...]] = ("llamafile 0.9.0 to 0.9.3", "other programs that send in its form")
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction("0 stands for unknown power, memory and spread", "made missing", "zero-meant-unknown"),
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
            yield from _read_database(source)
        elif source.head.lstrip().startswith(("{", "[")):
            yield from each(source.entries(), _document)
        else:
            yield from _read_csv(source)


def _document(entry: Entry) -> Iterator[Found | Fault]:
    document = Fields(entry.value, entry.where)
    runtime, machine = document.under("runtime_info"), document.under("system_info")
    zero: list[str] = []
    device = _accelerator(document.under("accelerator_info"), machine, zero)
    results = document.values.get("results")
    if not isinstance(results, list) or not results:
        raise document.fault("results", "a list of tests")
    other = "llama-bench" in (runtime.text("version") or "")
    base = {
        "device": device,
        "environment": _stated({"cpu": machine.text("cpu_name"), "system": machine.text("kernel_type")}),
    }
    columns = {"engine": runtime.text("name") or "llamafile", "engine_version": _version(runtime)}
    flags = ("reimplementation",) if other else ()
    tests: list[_Test] = []
    faults = 0
    for number, value in enumerate(results, 1):
        try:
            test = _test(Fields(value, f"{entry.where}, test {number}"), zero)
        except Fault as fault:
            faults += 1
            yield fault
            continue
        tests.append(test)
        yield from test.found(base, columns, (*flags, *test.flags, *dict.fromkeys(zero)))
    if not faults:
        summary = document.under("results_summary")
        yield from _means(tests, base, columns, flags, summary, entry.where)


def _stated(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _accelerator(info: Fields, machine: Fields, zero: list[str]) -> Named:
    name, kind = info.text("name"), (info.text("type") or "").upper()
    memory = info.number("memory_gb", 0, 1e6)
    if memory == 0:
        zero.append("zero-meant-unknown")
    if (name or "").startswith("Apple"):
        memory = machine.number("ram_gb", 0, 1e6)  # printed is the part that the GPU may use
    size = round(memory * 2**30) if memory and kind != "CPU" else None
    return Named(name, memory_bytes=size, processor=kind == "CPU")


def _version(runtime: Fields) -> str | None:
    version, commit = runtime.text("version"), runtime.text("commit") or runtime.text("commit_hash")
    return f"{version} ({commit})" if version and commit else version or commit


class _Test:
    """One test: a prompt of ``n_prompt`` tokens read, ``n_gen`` tokens generated after it."""

    def __init__(self, row: Fields) -> None:
        self.where = row.where
        self.n_prompt, self.n_gen = row.count("n_prompt", 1, 10**7), row.count("n_gen", 1, 10**7)
        if self.n_prompt is None or self.n_gen is None:
            raise row.fault("n_prompt", "how many tokens were read and generated")
        self.prompt, self.generated = row.number("prompt_tps", 0), row.number("gen_tps", 0)
        if self.prompt is None or self.generated is None:
            raise row.fault("prompt_tps" if self.prompt is None else "gen_tps", "tokens a second")
        self.first_ms = row.number("ttft_ms", 0, 1e9) or None
        self.power_w = row.number("power_watts", 0, 1e5) or None
        self.model_file = row.file_name("model_filename")
        self.model: str | None = None
        self.dtype: str | None = None
        self.params: int | None = None
        self.size: int | None = None
        self.flags: tuple[str, ...] = ()
        if self.prompt and self.generated:
            self._agree(row)

    def _agree(self, row: Fields) -> None:
        time_ms = row.number("avg_time_ms", 0, 1e12)
        computed = (self.n_prompt / self.prompt + self.n_gen / self.generated) * 1e3
        if time_ms:
            agree(f"{row.where}, key 'avg_time_ms'", "the time", time_ms, computed, _TIME)
        if self.first_ms:
            first = (self.n_prompt / self.prompt + 1 / self.generated) * 1e3
            if not 0.5 * first <= self.first_ms <= 2 * first:
                raise Fault(
                    f"{row.where}, key 'ttft_ms'",
                    f"{self.first_ms:g} ms, while the rates give {first:.4g} ms",
                )

    @property
    def shape(self) -> str:
        return f"pp{self.n_prompt}+tg{self.n_gen}"

    def found(
        self, base: Mapping[str, Any], columns: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Iterator[Found]:
        shared = {**columns, **self.model_columns()}
        power = {"mean_power_w": self.power_w, "energy_scope": "device", "energy_source": "LocalScore"}
        if self.power_w:
            shared |= power
        for workload, rate, extra, least in (
            (
                "prefill",
                self.prompt,
                {"input_tokens": self.n_prompt, "context_depth": 0, "first_token_ms": self.first_ms},
                physics.of_prompt(self.family, self.params),
            ),
            (
                "decode",
                self.generated,
                {"output_tokens": self.n_gen, "context_depth": self.n_prompt},
                physics.of_decoding(self.family, self.params, self.size),
            ),
        ):
            yield Found(
                where=f"{self.where}, {self.shape}",
                workload=workload,
                rate=rate or None,
                rate_unit="tokens/s",
                columns=shared | _stated(extra),
                settings={"shape": self.shape} | self.sizes(base),
                flags=(*flags, "interval-unknown"),
                status="ok" if rate else "failed",
                detail=None if rate else "The rate is stated as 0.",
                complete=self.model is not None,
                least=least,
                **base | {"environment": base["environment"] | _stated({"model_file": self.model_file})},
            )

    @property
    def family(self) -> str | None:
        """The model's name as the physics gate reads it: family first."""
        return (self.model or "").lower().removeprefix("meta ").replace(" ", "-") or None

    def model_columns(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "weights_dtype": self.dtype,
            "params": self.params,
            "batch": 1,
            "weights": "pretrained",
        }

    def sizes(self, base: Mapping[str, Any]) -> dict[str, Any]:
        found = {"parameters": f"{self.params:.3g}"} if self.params else {}
        return found | ({"runs_on": "cpu"} if base["device"].processor else {})


def _test(row: Fields, zero: list[str]) -> _Test:
    test = _Test(row)
    test.params, test.size = row.count("model_n_params", 1), row.count("model_size", 1)
    described = read_model(row.text("model_type"), test.params, test.size)
    quantised = row.text("model_quant_str")
    if quantised:
        test.dtype = read_model(f"model {quantised}", None, None).weights_dtype
    test.dtype = described.weights_dtype or test.dtype
    test.model = row.text("model_name") or described.name
    test.flags = described.flags
    names = ("power_watts", "stddev_time_ms", "prompt_tps_stddev", "prompt_tps_watt")
    if any(row.number(name, 0) == 0 for name in names):
        zero.append("zero-meant-unknown")
    return test


def _means(
    tests: list[_Test],
    base: Mapping[str, Any],
    columns: Mapping[str, Any],
    flags: tuple[str, ...],
    summary: Fields,
    where: str,
) -> Iterator[Found | Fault]:
    """The means over the nine shapes, which the site ranks by, where all of them are there."""
    complete = {(t.n_prompt, t.n_gen) for t in tests} == SHAPES and len(tests) == len(SHAPES)
    if not complete or any(not (t.prompt and t.generated and t.first_ms) for t in tests):
        return
    prompt, generated, first = (
        math.fsum(values) / len(tests)
        for values in zip(*((t.prompt, t.generated, t.first_ms) for t in tests), strict=True)
    )
    score = 10 * (prompt * generated * 1000 / first) ** (1 / 3)
    try:
        for name, value in (
            ("avg_prompt_tps", prompt),
            ("avg_gen_tps", generated),
            ("avg_ttft_ms", first),
            ("performance_score", score),
        ):
            stated = summary.number(name, 0)
            if stated:
                agree(f"{summary.where}, key '{name}'", "the mean", stated, value, 1e-4)
    except Fault as fault:
        yield fault
        return
    also = {"performance_score": score, "avg_ttft_ms": first}
    for workload, rate in (("prefill", prompt), ("decode", generated)):
        yield Found(
            where=f"{where}, mean of nine tests",
            workload=workload,
            rate=rate,
            rate_unit="tokens/s",
            columns={**columns, **tests[0].model_columns(), "value_kind": "derived"},
            settings={"shape": "mean of nine"} | tests[0].sizes(base),
            also=also,
            flags=(*flags, "mean-over-shapes", "interval-unknown"),
            complete=tests[0].model is not None,
            **base,
        )


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
            test = _test(row, zero)
        except Fault as fault:
            faults += 1
            yield fault
            continue
        tests.append(test)
        yield from test.found(base, {"engine": "llamafile"}, (*test.flags, "rounded-in-source"))
    if not faults and tests:
        stated = Fields(summary, "the summary")
        yield from _means(tests, base, {"engine": "llamafile"}, ("rounded-in-source",), stated, "the summary")


def _read_database(source: Source) -> Iterator[Found | Fault]:
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
            "device": _accelerator(linked("accelerators", "accelerator_id"), machine, zero),
            "environment": _stated({"cpu": machine.text("cpu_name")}),
            "recorded_at": moment(str(run.get("created_at") or "")),
        }
        runtime = linked("runtimes", "runtime_id")
        columns = {"engine": runtime.text("name"), "engine_version": _version(runtime)}
        name, params = model.text("name"), model.count("params", 1)
        dtype = read_model(f"model {variant.text('quantization')}", None, None).weights_dtype
    except Fault as fault:
        yield fault
        return
    tests: list[_Test] = []
    for row in results:
        try:
            test = _test(Fields(row, f"{where}, test {row.get('id')}"), zero)
        except Fault as fault:
            yield fault
            continue
        test.model, test.params, test.dtype = name, params, dtype
        tests.append(test)
        yield from test.found(base, columns, tuple(dict.fromkeys(zero)))
    if len(tests) == len(results):
        summary = Fields({k: v for k, v in run.items() if k.startswith(("avg_", "perf"))}, where)
        yield from _means(tests, base, columns, (), summary, where)
