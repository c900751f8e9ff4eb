"""Every figure's way back to its rows: keys that stand beside figures, and files that tell what they mean.

A figure on a page carries a key. ``3.17`` is record 17 of file 3: one result, with every row it rests on.
``ratio:3.17,3.2`` follows from two records by the rule ``ratio`` of ``show.derivations``. The records lie in
a few files for the whole site, since one result stands on many pages; a page names those that it uses, and a
script reads one when the reader asks for the first card from it. Each file is a script that registers its
records, so that it can be read from a folder on a disk too, where a page may not fetch anything.

    (window.hwguideRecords ??= {})["3"] = {"texts": [text …], "records": [[…] …]}

A record's texts are numbers of ``texts``. Records, by file:
    1, 2 …  [task, system, unit, how it ended, rate, low, high, how rows were combined, [row …]]; a row:
            [source id, address, command, heading, text, heading, text …]
    p       a price: [what, amount, range, day and age, offers, sources, remark, the command that adds one]
    d       a device of the catalog: [name, source, day, confidence, remark]
    a       assumptions: [title, label, value, label, value …]
    how     the rules: [name, title, rule, part …]; its last record holds the headings of rows
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

from bench.catalog import CatalogDevice
from bench.measure.flags import disturbances
from bench.schema import Row
from guide.analysis.tasks import combine, passed_over_words
from guide.decide.cost import LABELS, Assumptions
from guide.evidence import Evidence
from guide.model import Price, Result, System, Task
from guide.show import commands, figures, row_facts
from guide.show.derivations import RULES
from guide.show.markup import plain
from guide.show.tables import Provenance
from guide.translate.versions import Version

#: Results in one file at most: about 10 kB to send.
RESULTS_A_FILE = 300
#: Origins that are no source of rows.
PRICES, CATALOG, GIVEN = "prices", "catalog", "assumptions"
_BASIS = {"card": "bare card", "system": "whole computer", "rental": "rented, host included"}
_ROUTES = {"buy-new": "new", "buy-used": "used", "rent": "an hour"}
#: How the texts of a record are said in other languages, in order; the last holds for those that follow.
_WORDS = {
    "p": ("words", "", "", "words", "words", "", "words", ""),
    "d": ("", "", "", "words", "words"),
    "a": ("words",),
}
#: The same for the facts of rows that are no sentences.
_FACTS = {
    "95 % interval": "parts", "Device": "parts", "Driver": "", "Software": "parts", "Conditions": "parts",
    "Machine": "parts", "Energy": "parts", "Method": "parts", "Repetitions": "parts", "Place in it": "",
    "Row": "",
}  # fmt: skip
_PLACE = {heading: place for place, heading in enumerate(row_facts.HEADINGS)}


class Traced(NamedTuple):
    """A figure's key, the origin that it rests on first, and the files that hold its records."""

    key: str
    origin: str
    files: tuple[str, ...]


class Ledger:
    """The records of one build: every result, price, device and set of assumptions that a figure rests on."""

    def __init__(self, evidence: Evidence, prices: Iterable[Price] = ()) -> None:
        """``prices`` are those of devices without rows; the others are the evidence's own."""
        from guide.views.words import status_words

        self._status_words = status_words
        self.evidence = evidence
        self._places: dict[Any, str] = {}
        self._results: dict[int, Traced] = {}  # by id: most figures are those of one result, asked for often
        self._files: dict[str, _File] = {}
        self._told: dict[str, dict[str, tuple[str, bytes]]] = {}  # by language
        filling: dict[tuple[str, str], _File] = {}
        for task in evidence.tasks:
            for result in (*(s.result for s in task.standings), *task.failures):
                self._add_result(task, result, filling)
        for price in (*(p for found in evidence.prices.values() for p in found), *prices):
            self._add("p", price, *_price(price))
        for device in evidence.catalog:
            self._add("d", device.device_id, *_device(device))
        settings = evidence.settings
        told = dict(settings.assumption_sources)
        for title, given in (
            ("The guide", settings.given),
            *((s.title, s.given) for s in settings.scenarios),
        ):
            self._add("a", given, *_given(title, given, settings.given, told))

    def _add_result(self, task: Task, result: Result, filling: dict[tuple[str, str], _File]) -> None:
        """Results of one workload and source share files: a page shows them together."""
        group = task.workload, result.source_ids[0]
        file = filling.get(group)
        if file is None or len(file.records) >= RESULTS_A_FILE:
            file = filling[group] = self._file(str(len(self._files) + 1))
        key = file.add(self._result(file, task, result))
        self._places[task.key, result.system.key] = key
        self._places.setdefault(f"system:{result.system.key}", key)
        self._results[id(result)] = Traced(key, result.source_ids[0], (file.name,))
        # Rows that are shown by themselves have records of their own, so that none stands for another.
        several = result.rows if len(result.rows) > 1 else ()
        for row in (*several, *result.passed_over):
            if row["status"] == "ok":
                self._places[_of_row(row)] = file.add(self._row_alone(file, task, result, row))

    def _file(self, name: str) -> _File:
        return self._files.setdefault(name, _File(name))

    def _add(self, name: str, item: Any, *texts: str) -> None:
        if item not in self._places:
            file = self._file(name)
            hows = _WORDS[name]
            told = zip(texts, (*hows, *(hows[-1:] * len(texts))), strict=False)
            self._places[item] = file.add([file.say(text, how) for text, how in told])

    def _result(self, file: _File, task: Task, result: Result) -> list[Any]:
        name, say, interval = file.say, partial(file.say, how="words"), result.interval
        combined = ""
        if result.n > 1:
            combined = f"the median of {result.n} rows"
            combined += f", which differ in {', '.join(result.differs)}" if result.differs else ""
        if passed_over := passed_over_words(result):
            combined = f"{combined or 'the figure of the one row that counts'}; {passed_over}"
        return [
            say(task.short_label), name(result.system.label), name(result.unit or task.unit or ""),
            say("" if result.ok else self._status_words(result)), _short(result.rate),
            _short(interval.low if interval else None), _short(interval.high if interval else None),
            say(combined), [self._row(file, row) for row in result.rows],
        ]  # fmt: skip

    def _row_alone(self, file: _File, task: Task, result: Result, row: Row) -> list[Any]:
        """A row that is part of a figure, or gave way to others, as a result by itself."""
        told = f"one of the {len(result.rows)} rows whose median is the figure"
        if row in result.passed_over:
            told = f"a row that gives way to others ({', '.join(disturbances(row['flags']))})"
        head = self._result(file, task, combine(result.system, [row]))
        head[7] = file.say(told)
        return head

    def _row(self, file: _File, row: Row) -> list[int]:
        found = file.rows.get(id(row))
        if found is None:  # else it stands there already, as part of a figure
            found = file.rows[id(row)] = self._said(file, row)
        return found

    def _said(self, file: _File, row: Row) -> list[int]:
        say, sources = file.say, self.evidence.sources
        source = sources.get(row["source_id"])
        found = [
            say(row["source_id"]),
            say((source.url if source else "") or ""),
            say(commands.reproduce(row)),
        ]
        for heading, text in row_facts.facts(row, sources):
            found += (_PLACE[heading], say(text, _FACTS.get(heading, "words")))
        return found

    def trace(self, provenance: Provenance) -> Traced | None:
        """The key of a figure that rests on what ``provenance`` names; None when it names nothing known."""
        if len(provenance.of) == 1 and not provenance.how:
            found = self._results.get(id(provenance.of[0]))
            if found is not None:
                return found
        keys, first = [], ""
        for item in provenance.of:
            key = self._place(item)
            if key is not None:
                keys.append(key)
                first = first or origin_of(item)
        if not keys:
            return None
        how = f"{provenance.how}:" if provenance.how else ""
        return Traced(how + ",".join(keys), first, tuple(key.partition(".")[0] for key in keys))

    def told(self, version: Version | None = None) -> dict[str, tuple[str, bytes]]:
        """File -> its path in the site, which names its content, and that; in the version's language."""
        tag = version.language.tag if version else ""
        if tag not in self._told:
            contents = {name: file.content(version) for name, file in self._all.items()}
            self._told[tag] = {
                name: (f"assets/provenance/{name}-{_digest(content)}.js", content)
                for name, content in contents.items()
            }
        return self._told[tag]

    def _place(self, item: object) -> str | None:
        if isinstance(item, Result) and len(item.rows) == 1:
            alone = self._places.get(_of_row(item.rows[0]))
            if alone is not None:
                return alone
        return self._places.get(_identity(item))

    @cached_property
    def _all(self) -> dict[str, _File]:
        rules = _File("how")
        for name, rule in RULES.items():
            texts = (rule.title, rule.rule, *rule.parts)
            rules.add([rules.say(name), *(rules.say(text, "words") for text in texts)])
        rules.add([rules.say(heading, "words") for heading in row_facts.HEADINGS])
        return {"how": rules} | self._files


class _File:
    """One file of records. A text is said once, however many records hold it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: dict[str, int] = {}
        self.hows: dict[str, str] = {}
        self.records: list[Any] = []
        self.rows: dict[int, list[int]] = {}  # by id: the evidence holds them

    def add(self, record: list[Any]) -> str:
        """Append a record, whose texts are numbers already; returns its key."""
        self.records.append(record)
        return f"{self.name}.{len(self.records) - 1}"

    def say(self, text: str, how: str = "") -> int:
        """The number of a text. ``how`` it is said in another language: as ``words``, as ``parts`` between
        commas of which some may be names, or as it is."""
        number = self.texts.get(text)
        if number is None:
            number = self.texts[text] = len(self.texts)
        if how and not self.hows.get(text):
            self.hows[text] = how
        return number

    def content(self, version: Version | None = None) -> bytes:
        texts = [plain(text) for text in self.texts]
        held: dict[str, Any] = {"texts": texts, "records": self.records}
        name = self.name
        if version:
            left = []
            for place, text in enumerate(self.texts):
                if how := self.hows.get(text, ""):
                    texts[place], known = _in_language(plain(text), how, version)
                    left += [] if known else [texts[place]]
            held["untranslated"] = left
            name = f"{name}.{version.language.tag}"
        body = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        return f"(window.hwguideRecords??={{}})[{json.dumps(name)}]={body};\n".encode()


def _in_language(text: str, how: str, version: Version) -> tuple[str, bool]:
    """A record's text in the version's language, and whether it is."""
    if how == "parts":
        return version.language.comma.join(version.part(part) for part in text.split(", ")), True
    return version.said(text) if text else (text, True)


def origin_of(item: object) -> str:
    """The source of a result's rows, or what else a figure rests on: prices, the catalog, assumptions."""
    if isinstance(item, Result):
        return item.source_ids[0]
    return PRICES if isinstance(item, Price) else GIVEN if isinstance(item, Assumptions) else CATALOG


def _of_row(row: Row) -> object:
    return "row", row["run_id"], row["cell_id"], row["task_key"]


def _identity(item: object) -> object:
    if isinstance(item, Result):
        return item.rows[0]["task_key"], item.system.key
    if isinstance(item, System):  # of a name that the catalog does not resolve, only rows tell anything
        return item.device_id or f"system:{item.key}"
    if isinstance(item, CatalogDevice):
        return item.device_id
    return item


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:10]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.10g}")


def _price(price: Price) -> list[str]:
    low, high = figures.usd(price.low_usd), figures.usd(price.high_usd)
    age = f"{figures.day(price.observed_on)}, {figures.plural(price.age_days, 'day')} old"
    remarks = [price.note] if price.note else []
    remarks += ["sold with several memory sizes: perhaps of a smaller one"] if price.any_size else []
    return [
        f"{_BASIS[price.basis]}, {_ROUTES[price.route]}", f"{figures.usd(price.usd)}",
        f"{low}–{high}" if low != high else "", age if price.fresh else f"{age}: too old to rest a choice on",
        figures.plural(price.n, "offer"), "; ".join(price.sources), "; ".join(remarks),
        commands.price_of(price),
    ]  # fmt: skip


def _device(device: CatalogDevice) -> list[str]:
    remarks = [text for text in (device.dense_basis, device.notes) if text]
    return [device.name, device.source, device.source_date, device.confidence or "", "; ".join(remarks)]


def _given(title: str, given: Assumptions, guide: Assumptions, told: Mapping[str, str]) -> list[str]:
    record = [title]
    for name, (label, unit) in LABELS.items():
        value = getattr(given, name)
        if value is not None:
            own = (
                "set for this reader" if value != getattr(guide, name) else told.get(name, "the guide's own")
            )
            record += [label, f"{value:g} {unit}".strip() + f" ({own})"]
    return record
