"""The text of a LoadGen summary, read by block: the same key may stand in two of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.importers.fields import Fields
from bench.importers.files import Fault, Source

TITLE = "MLPerf Results Summary"
_RULE = re.compile(r"^=+$")
_LINE = re.compile(r"^\s*(?:\* )?([^:]+?)\s*:\s*(.*?)\s*$")
_COUNTED = re.compile(r"^(No|\d+) (warning|error)s? encountered", re.IGNORECASE)
#: Headings below which keys of the same block come again: of language models the estimates for two latencies,
#: before v1.1 the latencies of a query of several samples and of its samples.
_PARTS = re.compile(r"(?:(TTFT|TPOT) )?Early Stopping Result:|(Intervals between|Per-query|Per-sample)\b")


@dataclass(frozen=True)
class Summary:
    """Key -> (text, line) of each block: result, further figures, parameters.

    Below a heading of a part, keys begin with it: ``TTFT: Early stopping 90.0th percentile estimate``.
    """

    result: Mapping[str, tuple[str, int]]
    stats: Mapping[str, tuple[str, int]]
    asked: Mapping[str, tuple[str, int]]
    errors: str | None

    def number(self, block: str, key: str) -> float | None:
        """A figure of 0 or more, None where the block has none. Raises ``Fault``."""
        found = getattr(self, block).get(key)
        return None if found is None else Fields({key: found[0]}, f"line {found[1]}").number(key, 0, 1e18)

    def text(self, block: str, key: str) -> str | None:
        """What is printed there."""
        found = getattr(self, block).get(key)
        return None if found is None else found[0]


def read_summary(source: Source) -> Summary:
    """The three blocks of the file. Raises ``Fault`` where it is not whole or contradicts itself."""
    blocks: list[dict[str, tuple[str, int]]] = []
    errors, part = None, ""
    for number, line in source.lines():
        text = line.strip()
        if text == TITLE or text.startswith(("Additional Stats", "Test Parameters Used")):
            blocks.append({})
            part = ""
            continue
        heading = _PARTS.match(text)
        if heading:
            label = heading[1] or heading[2]
            part = f"{label}: " if label else ""
            continue
        counted = _COUNTED.match(text)
        if counted and counted[2].lower() == "error":
            errors = counted[1]
        found = _LINE.match(line)
        if found and blocks and not _RULE.match(text):
            key = part + found[1]
            if key in blocks[-1] and blocks[-1][key][0] != found[2]:
                raise Fault(f"line {number}", f"'{key[:60]}' stands twice in one block, with two values")
            blocks[-1].setdefault(key, (found[2], number))
    if not blocks and errors is not None:
        raise Fault(
            "the file", "counts of warnings and errors alone, as of accuracy runs, which time nothing"
        )
    if not blocks or len(blocks) > 3:
        raise Fault("the file", "not one summary of three blocks")
    if len(blocks) < 3 or errors is None:
        raise Fault("the file", "the summary breaks off before its parameters and the count of errors")
    return Summary(*blocks, errors=errors)


def settings_of(summary: Summary, scenario: str, described: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for beside the benchmark: scenario, limits, suite and division."""
    settings: dict[str, Any] = {"scenario": scenario} | _audit(summary)
    names = {
        "latency_limit_ms": "target_latency (ns)",
        "ttft_limit_ms": "ttft_latency (ns)",
        "tpot_limit_ms": "tpot_latency (ns)",
    }
    if scenario not in ("Offline", "SingleStream", "MultiStream"):
        for name, key in names.items():
            value = summary.number("asked", key)
            if value:
                settings[name] = value / 1e6
    if described.get("suite"):
        settings["suite"] = described["suite"]
    if described.get("division"):
        settings["division"] = described["division"]
    return settings


def _audit(summary: Summary) -> dict[str, Any]:
    """What audits ask for, which moves the figures: one sample always, or none twice; answers logged."""
    found: dict[str, Any] = {}
    for key in ("performance_issue_same", "performance_issue_unique"):
        text = (summary.text("asked", key) or "").lower()
        if text in ("1", "true"):
            found[key.removeprefix("performance_")] = True
    if summary.number("asked", "accuracy_log_probability"):
        found["logs_answers"] = True
    return found
