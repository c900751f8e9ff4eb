"""On a Chinese page the browser says what Python says there: the same numbers, the same Chinese sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from guide.context import Context
from guide.decide import flips, reader, wording
from guide.decide.confidence import confidence
from guide.evidence import Evidence
from guide.translate.handed import translated
from guide.translate.versions import Version
from guide.views.answers import THIN
from guide.views.reading_cost import WORDING as COST_WORDING
from guide.views.reading_cost import cost_data
from guide.views.reading_scenario import WORDING
from guide.views.work_costs import jobs, work

from .conftest import DECIDE, FLIPS, as_json, askings, deciding, same, wanted

DRAWS = 40
#: So many sentences are said alike for each entry that Python would need for one of its own.
MANY = 20
HAN = re.compile("[\u4e00-\u9fff]")
#: English in a sentence that is Chinese: two small words side by side that no name or unit holds.
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")


@pytest.fixture
def version(evidence: Evidence) -> Version:
    return next(v for v in Context(evidence).versions if v.language.tag == "zh")


@pytest.fixture
def chinese(visit):
    """A Chinese page with the scripts that decide."""
    return deciding(visit(), "zh/methodology/")


def texts(told: dict[str, Any]) -> Iterator[str]:
    """What is said under some numbers, in order."""
    yield told["headline"]
    yield from told["notes"]
    for _, _, fit, _, standing in told["ranked"]:
        yield standing
        yield from fit[2:] if fit else ()
    for _, _, _, reason, fit in told["out"]:
        yield reason
        yield from fit[2:] if fit else ()
    for title, _, none in told["ways"]:
        yield from (text for text in (title, none) if text)
    for title, count, rows in told["fallen"]:
        yield from (title, count)
        yield from (text for row in rows for text in row)


def compare(pairs: Iterable[tuple[str, str]], version: Version) -> int:
    """How many sentences of Python's have a translation and are said in just these words; the entries that
    others lack are in ``version.missing``."""
    alike = 0
    for found, english in pairs:
        expected, known = version.said(english)
        if known:
            assert found == expected, english
            alike += 1
        assert not ENGLISH.search(found), (found, english)
    return alike


def test_sentences_are_those_of_python(chinese, evidence: Evidence, version: Version) -> None:
    alike = 0
    for _, asked, own, data, cases in askings(evidence, DRAWS, "Chinese"):
        handed = translated(data, WORDING, version)
        found = chinese.evaluate(DECIDE, [handed, [as_json(case) for case in cases]])
        for case, told in zip(cases, found, strict=True):
            expected = wanted(asked, own, case)
            assert same(told["figures"], expected["figures"])
            assert same(told["even"], expected["even"])
            pairs = zip(texts(told), texts(expected), strict=True)
            alike += compare(pairs, version)
    assert alike > MANY * len(version.missing), "\n".join(sorted(version.missing))


def test_what_would_change_the_answer_is_said_as_python_says_it(
    chinese, evidence: Evidence, version: Version
) -> None:
    alike = 0
    for scenario, asked, own, data, cases in askings(evidence, DRAWS // 4, "Chinese flips"):
        handed = translated(data, WORDING, version)
        for case, told in zip(
            cases, chinese.evaluate(FLIPS, [handed, [as_json(c) for c in cases]]), strict=True
        ):
            contenders = reader.screened(asked, case).contenders
            grid = flips.grid(contenders, asked.rule, case.given, scenario.grid)
            if grid is None:
                assert told is None
                continue
            every = (
                *flips.input_flips(contenders, asked.rule, case.given),
                *flips.price_flips(contenders, asked.rule, case.given),
            )
            ranked = [c for c in reader.candidates(asked, case) if c.place]
            called = wording.call(ranked, grid)
            sure = confidence(ranked, asked.field, grid, preferred=own.answered == own.asked)
            thin = called == "clear" and sure.level == "low"
            pairs = [(told["call"], THIN if thin else wording.CALLS[called])]
            pairs += zip((f[3] for f in told["flips"]), (f.sentence for f in every), strict=True)
            alike += compare(pairs, version)
    assert alike > MANY * len(version.missing), "\n".join(sorted(version.missing))


COST = """
([data, numbers]) => {
  const { status, parts } = hwguideAnswer.cost(data, numbers);
  const told = [status];
  const every = (value) => {
    if (typeof value === "string") told.push(value);
    else if (value && typeof value === "object") Object.values(value).forEach(every);
  };
  for (const { text, caption, columns, rows } of Object.values(parts)) {
    const shown = ({ text, sub, blank, title }) => [text, sub, blank, title];
    const cells = rows?.flatMap((row) => row.cells).map(shown);
    every([text, caption, columns, cells]);
  }
  return told;
}
"""


def test_the_page_about_cost_says_nothing_in_english(chinese, whole: Evidence) -> None:
    given = whole.settings.given
    version = next(v for v in Context(whole).versions if v.language.tag == "zh")
    data = cost_data(whole, [*work(whole, given), *jobs(whole, given)])
    handed = translated(json.loads(json.dumps(data)), COST_WORDING, version)
    assert handed["untranslated"] == []
    numbers = as_json(reader.Numbers(given.using(hours_per_day=3.0, budget_usd=2000.0), (), (0.0,)))
    told = chinese.evaluate(COST, [handed, numbers])
    assert sum(1 for text in told if HAN.search(text)) > 100
    assert [text for text in told if ENGLISH.search(text)] == []
