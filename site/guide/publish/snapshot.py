"""What the guide said on one day, small enough to keep for ever: ``publish.moved`` compares two of these.

``data/history/<date>.json`` holds one a publication, written by ``bench site snapshot`` and committed with
the data. The date is that of the evidence, never the clock. A second publication of the same evidence (with
other assumptions, say) is ``<date>-2.json``.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter
from pathlib import Path
from typing import Any

import bench
from bench.errors import BenchError
from guide.decide.screen import route_words
from guide.decide.verdicts import Answer, Candidate
from guide.evidence import Evidence
from guide.publish.output import replace
from guide.show.markup import slug
from guide.show.row_facts import OWN_SOURCE, source_title
from guide.views import families
from guide.views.devices import device_key, devices

FORMAT = 1
#: Systems that a task must have before its fastest is remembered: with fewer there is little to win.
LEAST_SYSTEMS = 3
#: What a folder of data calls its snapshots.
FOLDER = "history"

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-([1-9]\d*))?")


@dataclass(frozen=True)
class Choice:
    """A system by one route as a scenario saw it. ``rate`` is in the scenario's first task's unit; ``out``
    is the reason code of one that fell out, empty for one in the running."""

    name: str
    tier: int | None = None
    rate: float | None = None
    unit: str = ""
    usd: float | None = None
    price_on: str = ""
    out: str = ""


@dataclass(frozen=True)
class Stand:
    """The answer to one scenario, with the inputs that decide it. ``pick`` is a key of ``choices``."""

    title: str
    call: str
    question: str = ""
    pick: str = ""
    confidence: str = ""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    assumptions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Best:
    """Who is fastest on one task: labels of the first tier, the fastest first."""

    label: str
    tier: tuple[str, ...]


@dataclass(frozen=True)
class Snapshot:
    """The guide's state. ``rows`` counts rows by source and device; ``bests`` has the headline task of each
    family by its key; ``prices`` are USD and day by ``<system key> <route>``; ``left_out`` has the number of
    rows that do not count, by what they are of and why. ``name`` is the file's, and empty for a state that
    has not been published."""

    as_of: date
    made_by: str
    counts: Mapping[str, int]
    sources: Mapping[str, str]
    devices: Mapping[str, str]
    rows: Mapping[str, Mapping[str, int]]
    answers: Mapping[str, Stand]
    bests: Mapping[str, Best]
    prices: Mapping[str, tuple[float, str]]
    left_out: Mapping[str, int] = field(default_factory=dict)
    name: str = ""

    def same_as(self, other: Snapshot) -> bool:
        """Whether the guide says the same in both."""
        return self.told() == other.told()

    def told(self) -> bytes:
        """The snapshot's file."""
        content = {"format": FORMAT} | dataclasses.asdict(self) | {"as_of": self.as_of.isoformat()}
        del content["name"]
        return json.dumps(_lean(content), ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n"


def _lean(value: Any) -> Any:
    """Without what says nothing, and without digits that no comparison needs."""
    if isinstance(value, dict):
        return {key: _lean(item) for key, item in value.items() if item not in (None, "", {}, [], ())}
    if isinstance(value, list | tuple):
        return [_lean(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def take(evidence: Evidence, answers: Sequence[Answer]) -> Snapshot | None:
    """The state of a guide that is made from ``evidence``; None while there is no evidence at all."""
    if evidence.as_of is None or not evidence.rows:
        return None
    counts = evidence.counts
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for key, members in evidence.rows_by_system.items():
        for source, count in Counter(map(itemgetter("source_id"), members)).items():
            rows[source][device_key(evidence.systems[key])] += count
    return Snapshot(
        as_of=evidence.as_of,
        made_by=bench.__version__,
        counts={
            name: getattr(counts, name) for name in ("rows", "ok_rows", "devices", "sources", "tasks", "runs")
        },
        sources={key: source_title(key, evidence.sources) for key in sorted(rows)},
        devices={device.key: device.label for device in devices(evidence.systems.values())},
        rows={source: dict(sorted(found.items())) for source, found in sorted(rows.items())},
        answers={answer.scenario_key: _stand(answer, evidence) for answer in answers},
        bests=_bests(evidence),
        prices={
            f"{key} {price.route}": (price.usd, price.observed_on.isoformat())
            for key, found in evidence.prices.items()
            if evidence.systems[key].count == 1
            for price in found
        },
        left_out=dict(sorted(_left_out(evidence).items())),
    )


def _left_out(evidence: Evidence) -> Counter[str]:
    """Rows that do not count, by what they are of and why: that explains a row that is gone."""
    found: Counter[str] = Counter()
    for item in evidence.left_out:
        found[f"{item.what}: {item.reason}"] += item.rows or 0
    return found


def _stand(answer: Answer, evidence: Evidence) -> Stand:
    scenario = next(s for s in evidence.settings.scenarios if s.key == answer.scenario_key)
    given = dataclasses.asdict(scenario.given)
    unit = answer.tasks[0].unit or "" if answer.tasks else ""
    return Stand(
        title=answer.title,
        call=answer.call,
        question=answer.answered,
        pick=_key(answer.pick) if answer.pick else "",
        confidence=answer.confidence.level if answer.pick else "",
        choices={_key(c): _choice(c, unit) for c in answer.candidates if _counts(c)},
        assumptions={name: value for name, value in given.items() if value is not None},
    )


def _key(candidate: Candidate) -> str:
    return f"{candidate.system.key} {candidate.route or ''}".strip()


def _counts(candidate: Candidate) -> bool:
    """Whether a candidate could have been picked: most systems are another kind, or were never measured."""
    return bool(candidate.place) or candidate.reason_code not in ("class", "no-evidence")


def _choice(candidate: Candidate, unit: str) -> Choice:
    price = candidate.price
    return Choice(
        name=route_words(candidate),
        tier=candidate.tier if candidate.place else None,
        rate=candidate.rates[0][1] if candidate.rates else None,
        unit=unit if candidate.rates else "",
        usd=price.usd if price else None,
        price_on=price.observed_on.isoformat() if price else "",
        out="" if candidate.place else candidate.reason_code,
    )


def _bests(evidence: Evidence) -> dict[str, Best]:
    found = {}
    for group in families.groups(evidence.tasks, dict(evidence.sources)):
        for family in group.families:
            task = family.headline
            if len(task.standings) >= LEAST_SYSTEMS:
                label = f"{task.label} ({group.source.source_id if group.source else OWN_SOURCE})"
                first = tuple(s.result.system.label for s in task.standings if s.tier == 1)
                found[task.key[:16]] = Best(label, first)
    return dict(sorted(found.items()))


def load(data: Path) -> tuple[Snapshot, ...]:
    """The snapshots in a data folder, oldest first. Raises ``BenchError`` naming a file that is none."""
    folder = data / FOLDER
    if not folder.is_dir():
        return ()
    found = [read(path) for path in sorted(folder.glob("*.json"))]
    return tuple(sorted(found, key=lambda s: (s.as_of, _number(s.name))))


def _number(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match[2] or 1) if match else 0


def read(path: Path) -> Snapshot:
    """One snapshot. Raises ``BenchError`` when the file is damaged, foreign or of a newer guide."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("format") > FORMAT:
            raise BenchError(f"{path} is of a newer hwguide.", hint="Install that version.")
        if _NAME.fullmatch(path.stem) is None or not path.stem.startswith(content["as_of"]):
            raise ValueError("its name must be the day that it holds")
        return _snapshot(content, path.stem)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BenchError(
            f"{path} is no snapshot of the guide: {error!s}.",
            hint="Move it out of the folder; 'bench site snapshot' writes one of today's guide.",
        ) from error


def _snapshot(content: dict[str, Any], name: str) -> Snapshot:
    """The record of a file's content. Raises ``ValueError``, ``TypeError``, ``KeyError`` or
    ``AttributeError`` where it holds something else than ``told`` writes."""
    prices = {key: (float(usd), str(day)) for key, (usd, day) in content.get("prices", {}).items()}
    bests = {
        key: Best(str(best["label"]), tuple(map(str, best["tier"])))
        for key, best in content.get("bests", {}).items()
    }
    return Snapshot(
        as_of=date.fromisoformat(content["as_of"]),
        made_by=str(content["made_by"]),
        counts={key: int(count) for key, count in content["counts"].items()},
        sources={key: str(title) for key, title in content.get("sources", {}).items()},
        devices={key: str(label) for key, label in content.get("devices", {}).items()},
        rows={
            source: {key: int(count) for key, count in found.items()}
            for source, found in content.get("rows", {}).items()
        },
        answers={key: _read_stand(key, stand) for key, stand in content.get("answers", {}).items()},
        bests=bests,
        prices=prices,
        left_out={why: int(count) for why, count in content.get("left_out", {}).items()},
        name=name,
    )


def _read_stand(key: str, stand: dict[str, Any]) -> Stand:
    slug(key)  # names a page
    texts = {name: str(stand.get(name, "")) for name in ("title", "call", "question", "pick", "confidence")}
    given = stand.get("assumptions", {})
    return Stand(
        choices={name: _read_choice(choice) for name, choice in stand.get("choices", {}).items()},
        assumptions={name: value for name, value in given.items() if float(value) == value},
        **texts,
    )


def _read_choice(choice: dict[str, Any]) -> Choice:
    texts = {name: str(choice.get(name, "")) for name in ("name", "unit", "price_on", "out")}
    amounts = {name: float(choice[name]) if name in choice else None for name in ("rate", "usd")}
    return Choice(tier=int(choice["tier"]) if "tier" in choice else None, **texts, **amounts)


def write(data: Path, now: Snapshot) -> Path | None:
    """Keep ``now`` in a data folder; None when it says what the newest snapshot says."""
    history = load(data)
    if history and history[-1].same_as(now):
        return None
    last = max((_number(s.name) for s in history if s.as_of == now.as_of), default=0)
    suffix = f"-{last + 1}" if last else ""  # above the highest: one between may have been deleted
    path = data / FOLDER / f"{now.as_of.isoformat()}{suffix}.json"
    try:
        replace(path, now.told())
    except OSError as error:
        raise BenchError(
            f"Cannot write {path}: {error.strerror}.", hint="Nothing was kept: make room, then run it again."
        ) from error
    return path
