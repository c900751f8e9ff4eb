"""The table rows of vLLM's nightly benchmarks: headings for people as keys, a machine type as 'GPU'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from bench.importers._serving import stated
from bench.importers.base import Correction, Found, Given, Importer, Named, each
from bench.importers.fields import Fields
from bench.importers.files import Fault, Source

_RATE_KEY = "Output Tput (tok/s)"
_QPS = re.compile(r"qps_(inf|\d+(?:\.\d+)?)")
_PARALLEL = re.compile(r"(?<![a-z])(tp|pp)(\d{1,3})")
#: ``1xStandard_ND96asr_v4 x 1``: a type of rented machine, not a device.
_MACHINE = re.compile(r"\d+x\S+ x \d+")


class VllmNightly(Importer):
    name: ClassVar[str] = "vllm-nightly"
    title: ClassVar[str] = "vLLM nightly benchmark table"
    forms: ClassVar[tuple[str, ...]] = ("JSON list of table rows",)
    versions: ClassVar[tuple[str, ...]] = ("2024 to 2025",)
    corrections: ClassVar[tuple[Correction, ...]] = (
        Correction(
            "'GPU' is a type of rented machine", "the device counts as not stated", "device-not-stated"
        ),
        Correction(
            "At a fixed request rate the load is measured", "marked, a task of its own", "load-limited"
        ),
        Correction("Neither failures nor time are told", "rates must agree with each other"),
    )
    lacks: ClassVar[str] = "model, lengths, device in most files"

    def recognises(self, source: Source) -> bool:
        return source.keys >= {"Test name", "GPU", _RATE_KEY}

    def read(self, source: Source, given: Given) -> Iterator[Found | Fault]:
        yield from each(source.entries(), lambda entry: [_one(Fields(entry.value, entry.where))])


def _one(row: Fields) -> Found:
    test, rate = row.text("Test name"), row.need(_RATE_KEY)
    requests = row.count("# of req.", 1)
    total = row.number("Total Tput (tok/s)", 0)
    if total is not None and total < rate:
        raise row.fault("Total Tput (tok/s)", f"at least the output rate, {rate:.6g}")
    for kind in ("TTFT", "TPOT", "ITL"):
        middle, high = row.number(f"Median {kind} (ms)", 0), row.number(f"P99 {kind} (ms)", 0)
        if middle is not None and high is not None and high < middle:
            raise row.fault(f"P99 {kind} (ms)", f"at least the median, {middle:.6g}")
    qps = _QPS.search(test or "")
    offered = None if qps is None or qps[1] == "inf" else float(qps[1])
    parallel = {kind: int(count) for kind, count in _PARALLEL.findall(test or "")}
    gpu = row.text("GPU")
    machine = bool(gpu and _MACHINE.fullmatch(gpu))
    columns = {
        "first_token_ms": row.number("Median TTFT (ms)", 0),
        "inter_token_p50_ms": row.number("Median ITL (ms)", 0),
        "inter_token_p99_ms": row.number("P99 ITL (ms)", 0),
    }
    return Found(
        where=row.where,
        workload="serve",
        rate=rate,
        rate_unit="output tokens/s",
        device=Named(None if machine else gpu, max(1, parallel.get("tp", 1) * parallel.get("pp", 1))),
        columns={k: v for k, v in columns.items() if v} | {"batch": requests, "engine": "vllm"},
        settings=stated({"test": test, "requests_per_s": offered}),
        conditions=stated({"machine": gpu if machine else None}),
        also=stated(
            {
                "requests_per_s": row.number("Tput (req/s)", 0),
                "total_tokens_per_s": total,
                "mean_ttft_ms": row.number("Mean TTFT (ms)", 0),
                "mean_tpot_ms": row.number("Mean TPOT (ms)", 0),
                "median_tpot_ms": row.number("Median TPOT (ms)", 0),
            }
        ),
        flags=("interval-unknown", *(("load-limited",) if offered else ())),
        complete=False,
    )
