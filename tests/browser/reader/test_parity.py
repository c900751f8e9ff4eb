"""The browser and Python decide alike: numbers are drawn, both decide, and everything has to be the same."""

from __future__ import annotations

from guide.decide import flips, reader, wording
from guide.decide.confidence import confidence
from guide.evidence import Evidence
from guide.views.answers import THIN

from .conftest import DECIDE, DRAWS, DRAWS_OF_ALL, FLIPS, as_json, askings, same, wanted


def check(page, evidence: Evidence, draws: int) -> set[object]:
    seen: set[object] = set()
    for scenario, asked, own, data, cases in askings(evidence, draws, "answers"):
        found = page.evaluate(DECIDE, [data, [as_json(case) for case in cases]])
        for case, told in zip(cases, found, strict=True):
            expected = wanted(asked, own, case)
            for name, value in expected.items():
                assert same(told[name], value), f"{scenario.key}, {name}, {case}\n{told[name]}\n{value}"
            seen.add((scenario.key, told["ranked"][0][0] if told["ranked"] else None))
            seen |= {row[2] for row in told["out"]}
    # The draws have to reach what they are about, or they prove little.
    assert {"budget", "memory", "slow", "no-evidence"} <= seen
    picks = [one[1] for one in seen if isinstance(one, tuple)]
    assert None in picks
    assert len(set(picks)) > 5
    return seen


def check_flips(page, evidence: Evidence, draws: int) -> None:
    seen, calls, levels = 0, set(), set()
    for scenario, asked, own, data, cases in askings(evidence, draws, "flips"):
        found = page.evaluate(FLIPS, [data, [as_json(case) for case in cases]])
        for case, told in zip(cases, found, strict=True):
            contenders = reader.screened(asked, case).contenders
            expected = [
                [f.input, f.now, f.at, f.sentence]
                for f in (
                    *flips.input_flips(contenders, asked.rule, case.given),
                    *flips.price_flips(contenders, asked.rule, case.given),
                )
            ]
            grid = flips.grid(contenders, asked.rule, case.given, scenario.grid)
            if grid is None:
                assert told is None, case
                continue
            seen += len(expected)
            assert same(told["flips"], expected), f"{case}\n{told['flips']}\n{expected}"
            ranked = [c for c in reader.candidates(asked, case) if c.place]
            called = wording.call(ranked, grid)
            calls.add(called)
            sure = confidence(ranked, asked.field, grid, preferred=own.answered == own.asked)
            plain = [
                [line.replace("\u00a0device", " device") for line in lines]
                for lines in (sure.held, sure.failed)
            ]
            assert same(told["sure"], [sure.level, *plain]), f"{case}\n{told['sure']}\n{sure}"
            levels.add(sure.level)
            thin = called == "clear" and sure.level == "low"
            assert told["call"] == (THIN if thin else wording.CALLS[called]), case
            headline = wording.headline(scenario, asked.field, ranked, None, grid, called)
            assert told["headline"] == headline.replace("the numbers assumed here", "your numbers"), case
            assert told["cells"] == grid.cells
            assert same(told["shares"], [list(share) for share in grid.shares]), case
    assert seen > draws
    assert {"clear", "depends"} <= calls
    assert "low" in levels


def test_what_would_change_the_answer_is_the_same_in_both(scripts, evidence) -> None:
    check_flips(scripts, evidence, 30)


def test_what_would_change_the_answer_is_the_same_in_both_on_the_projects_data(scripts, whole) -> None:
    check_flips(scripts, whole, 2)


def test_the_browser_decides_as_python_does_on_the_example(scripts, evidence) -> None:
    check(scripts, evidence, DRAWS)


def test_the_browser_decides_as_python_does_on_the_projects_data(scripts, whole) -> None:
    assert "price-size" in check(scripts, whole, DRAWS_OF_ALL)
