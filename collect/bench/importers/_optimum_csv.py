"""The CSV that optimum-benchmark wrote in 2023, with the Hydra configuration beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from bench.importers._optimum_config import Job, job_of
from bench.importers._optimum_device import device_of
from bench.importers._optimum_targets import complete
from bench.importers.base import Found
from bench.importers.fields import Fields, agree
from bench.importers.files import Fault, Source

HYDRA = ("hydra_config.yaml", ".hydra/config.yaml", "config.yaml")
_MEBI = 2**20


def read_csv(source: Source) -> Iterator[Found | Fault]:
    """The CSV of 2023: one line of figures with their units in the header, and a Hydra file beside it."""
    try:
        lines = list(csv.reader(io.StringIO(source.text(1 << 20)), strict=True))
        config = _hydra(source)
        job, root = job_of(config)
        device, flags = device_of(root)
    except csv.Error as error:
        yield Fault("the file", f"not CSV ({error})")
        return
    except Fault as fault:
        yield fault
        return
    header, rows = lines[0], [line for line in lines[1:] if any(line)]
    for number, line in enumerate(rows, 2):
        if len(line) != len(header):
            yield Fault(f"line {number}", f"{len(line)} values, but the header has {len(header)} columns")
            continue
        row = Fields(dict(zip(header, line, strict=True)), f"line {number}")
        for prefix in dict.fromkeys(name.partition(".")[0] for name in header if "." in name):
            try:
                found = _printed(row, prefix, job)
            except Fault as fault:
                yield fault
                continue
            if found is not None:
                yield complete(found, job, device, {}, flags)


def _hydra(source: Source) -> dict[str, Any] | None:
    import yaml

    for path in source.beside(*HYDRA):
        if path.stat().st_size > _MEBI:
            continue
        try:
            config = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
            raise Fault(path.name, f"not YAML ({str(error).splitlines()[0]})") from error
        if isinstance(config, dict) and {"backend", "benchmark"} <= set(config):
            return config
    return None


def _printed(row: Fields, prefix: str, job: Job) -> Found | None:
    """One group of columns, such as ``generate.latency(s)`` and ``generate.throughput(tokens/s)``."""
    names = {name.partition("(")[0]: name for name in row.values if name.startswith(f"{prefix}.")}
    rate_key = names.get(f"{prefix}.throughput")
    if prefix not in ("forward", "generate", "prefill", "decode", "training") or rate_key is None:
        return None  # warm-up, and an 'overall' that leaves the warm-up's samples out of its own rate
    rate = row.need(rate_key)
    unit = rate_key.partition("(")[2].rstrip(")").replace("samles", "samples")
    latency_key = names.get(f"{prefix}.latency")
    seconds = row.need(latency_key, 1e7) if latency_key else None
    columns: dict[str, Any] = {
        "batch": job.step_samples if prefix == "training" else job.batch,
        "input_tokens": job.length,
        "output_tokens": job.new_tokens if prefix in ("generate", "decode") else None,
    }
    flags = ["interval-unknown", "rounded-in-source"]
    if prefix == "generate":
        flags.append("includes-prefill")
    work = _work(prefix, unit, columns)
    runtime = row.number(names[key], 0) if (key := f"{prefix}.runtime") in names else None
    if runtime:  # whole batches were trained on
        samples = rate * runtime
        agree(row.where, f"'{rate_key}'", rate, round(samples) / runtime, 1e-6)
    if seconds and work:
        agree(row.where, f"'{rate_key}'", rate, work / seconds, 0.02)  # three printed digits each
    memory = row.number(names[key], 0, 1e7) if (key := f"{prefix}.peak_memory") in names else None
    if memory:
        columns["peak_memory_bytes"] = round(memory * 1e6)
    return Found(
        f"{row.where}, column '{rate_key}'",
        {"training": "train"}.get(prefix, prefix),
        rate,
        "output tokens/s" if prefix == "generate" and unit == "tokens/s" else unit,
        columns=columns,
        flags=tuple(flags),
        also={"latency_s": seconds, "runtime_s": runtime},
    )


def _work(prefix: str, unit: str, columns: Mapping[str, Any]) -> int | None:
    batch, new = columns["batch"], columns["output_tokens"]
    if unit == "samples/s" and prefix != "training":
        return batch
    return batch * new if prefix == "generate" and batch and new else None
