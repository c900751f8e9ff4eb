"""What a row says of its figure, in words: the facts that a card, a printed note and a page's twin tell.

Each fact is (heading, text), in the order of ``HEADINGS``. What the row does not know is left out; only a
missing interval is said, because a reader would take silence for certainty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bench.catalog import CatalogDevice
from bench.schema import VALUE_KINDS, Row
from guide.analysis.labels import dtype_words
from guide.model import Price, Result, Source, System
from guide.show import figures
from guide.show.derivations import RULES
from guide.show.tables import Provenance

#: The rows of the collector have this source.
OWN_SOURCE = "hwguide"
#: Every heading, in order: a card's script knows them by their place.
HEADINGS = (
    "How it came about", "95 % interval", "Repetitions", "Day", "Device", "Driver", "Software", "Conditions",
    "Machine", "Energy", "Method", "Flags", "Remark", "Source", "Place in it", "Row",
)  # fmt: skip
#: Conditions and facts of the machine that a card names, by their key in the row -> how they are called.
CONDITIONS = {
    "transformers": "transformers",
    "cuda": "CUDA",
    "rocm": "ROCm",
    "macos": "macOS",
    "threads": "threads",
    "attention_kernel": "attention",
    "flash_attention": "flash attention",
    "backend": "backend",
    "fp32_matmul": "fp32 products",
    "low_power_mode": "low-power mode",
    "ecc": "ECC",
    "mig": "MIG",
}
MACHINE = {
    "cpu": "processor",
    "os": "system",
    "cuda": "CUDA",
    "container": "container",
    "virtual_machine": "virtual machine",
    "wsl": "WSL",
    "power_source": "on",
    "host": "host",
}
NAMED = {"conditions": CONDITIONS, "environment": MACHINE}


def facts(row: Row, sources: Mapping[str, Source]) -> tuple[tuple[str, str], ...]:
    """The row's facts, (heading, text), but for its command (``guide.show.commands.reproduce``)."""
    found = {
        "How it came about": _kind(row),
        "95 % interval": _interval(row),
        "Repetitions": _repetitions(row),
        "Day": figures.day(row["recorded_at"]),
        "Device": _device(row),
        "Driver": row["driver_version"],
        "Software": _software(row),
        "Conditions": _known("conditions", row["conditions"]),
        "Machine": _known("environment", row["environment"]),
        "Energy": _energy(row),
        "Method": _method(row),
        "Flags": flag_facts(tuple(row["flags"])),
        "Remark": row["status_detail"],
        "Source": source_title(row["source_id"], sources),
        "Place in it": row["source_locator"],
        "Row": f"{row['run_id']}, {row['cell_id']}",
    }
    return tuple((heading, str(text)) for heading in HEADINGS if (text := found[heading]))


def source_title(source_id: str, sources: Mapping[str, Source]) -> str:
    """The source's title for people."""
    if source_id in sources:
        return sources[source_id].title
    if source_id == OWN_SOURCE:
        return "This project's collector"
    tool = source_id.removeprefix("import:")
    return f"A result file of {tool}" if tool != source_id else source_id


@lru_cache(maxsize=1 << 12)
def flag_facts(flags: tuple[str, ...]) -> str:
    """The flags in words: what each means, and what to do about it where something can be done."""
    from bench import published_flags
    from bench.importers import flags as imported
    from bench.measure import flags as measured
    from guide.views.words import flag_meanings

    meanings = flag_meanings()
    advice = published_flags.ADVICE | imported.ADVICE | measured.ADVICE
    return "; ".join(
        meanings.get(flag, flag) + (f" ({advice[flag].rstrip('.')})" if flag in advice else "")
        for flag in flags
    )


def _kind(row: Row) -> str:
    origin = "measured here" if row["origin"] == "measured" else "published"
    kind = row["value_kind"]
    if kind in (None, "measured") and row["origin"] == "measured":
        return origin
    return f"{origin}: {VALUE_KINDS.get(kind, kind)}" if kind else origin


def _interval(row: Row) -> str:
    if row["rate"] is None:
        return ""
    low, high = row["rate_low"], row["rate_high"]
    return "not stated" if low is None or high is None else f"{figures.span(low, high)} {row['rate_unit']}"


def _repetitions(row: Row) -> str:
    count = row["sample_count"]
    part = row["measured_fraction"]
    scaled = f", {figures.percent(part)} of the job run" if part is not None and part < 1 else ""
    return f"{count:,}{scaled}" if count else scaled.removeprefix(", ")


def _device(row: Row) -> str:
    count = f"{row['device_count']} × " if row["device_count"] > 1 else ""
    parts = [count + row["device_name"]]
    if row["device_memory_bytes"]:
        parts.append(figures.gibibytes(row["device_memory_bytes"]))
    if row["power_limit_w"]:
        parts.append(f"power limit {figures.number(row['power_limit_w'])}{figures.NBSP}W")
    return ", ".join(parts)


def _software(row: Row) -> str:
    engine = " ".join(row[name] for name in ("engine", "engine_version") if row[name])
    parts = [engine, row["execution"] or ""]
    if row["weights"]:
        parts.append(f"{row['weights']} weights")
    if row["compute_dtype"]:
        parts.append(f"computed in {dtype_words(row['compute_dtype'])}")
    return ", ".join(part for part in parts if part)


@lru_cache(maxsize=1 << 12)  # the rows of one run or table share a few
def _known(column: str, text: str | None) -> str:
    """The named facts of a JSON column that are plain values."""
    values: dict[str, Any] = json.loads(text) if text else {}
    shown = [
        f"{name} {_said(values[key])}"
        for key, name in NAMED[column].items()
        if isinstance(values.get(key), str | int | float | bool)
    ]
    return ", ".join(shown)


def _said(value: str | float | bool) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _energy(row: Row) -> str:
    if row["energy_j"] is None:
        return ""
    parts = [row["energy_source"], row["energy_scope"], row["energy_validity"]]
    return f"{figures.number(row['energy_j'])} J: " + ", ".join(part for part in parts if part)


def _method(row: Row) -> str:
    if row["protocol"] == OWN_SOURCE:
        return f"version {row['method_version']} of this project's procedure"
    return f"the source's own procedure, {row['protocol']}"


def newest(provenance: Provenance) -> Row | None:
    """The newest row behind a figure; None where it rests on no row."""
    result = next((item for item in provenance.of if isinstance(item, Result)), None)
    return result.rows[-1] if result and result.rows else None


def brief(provenance: Provenance) -> tuple[str, ...]:
    """A figure's provenance in short facts; where it follows from others, the rule and what goes in."""
    items = [item for item in provenance.of if item is not None]
    found: list[str] = []
    if provenance.how:
        rule = RULES[provenance.how]
        found.append(rule.rule)
    for item in items:
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, Result):
            found += _brief_result(item, named=bool(provenance.how))
        elif isinstance(item, Price):
            found.append(
                f"{figures.usd(item.usd)}, seen {figures.day(item.observed_on)}: {'; '.join(item.sources)}"
            )
        elif isinstance(item, System | CatalogDevice):
            found.append("what its maker states, from the catalog")
        else:
            found.append("the assumptions of this page")
    return tuple([*found, provenance.note] if provenance.note else found)


def _brief_result(result: Result, named: bool) -> list[str]:
    row = result.rows[-1]
    told = dict(facts(row, {}))
    wanted = (
        "How it came about",
        "Repetitions",
        "Day",
        "Software",
        "Driver",
        "Flags",
        "Source",
        "Place in it",
    )
    found = [f"{heading.lower()}: {told[heading]}" for heading in wanted if heading in told]
    if named and result.rate:
        found.insert(0, f"{result.system.label}: {figures.number(result.rate)} {result.unit}")
    if result.rate is not None and result.interval is None:
        found.append("no interval stated")
    if result.differs:
        found.append(f"rows differ in {', '.join(result.differs)}")
    return found
