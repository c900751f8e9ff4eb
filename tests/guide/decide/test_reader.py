"""A reader's own numbers in Python: the guide's own give the guide's answer, others what they should."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, fields, replace

import pytest

from bench.project import DataDir
from guide.decide import fit, reader
from guide.decide.cost import Assumptions
from guide.decide.fit import Requirement
from guide.evidence import Evidence, load_evidence
from guide.recommend import answer
from guide.views.reading import data_file
from guide.views.reading_cost import cost_data, cost_form
from guide.views.reading_scenario import scenario_data, scenario_form
from guide.views.work_costs import jobs, work


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


def test_every_assumption_may_be_set_and_has_a_letter_of_its_own() -> None:
    assert reader.LIMITS.keys() == {f.name for f in fields(Assumptions)}
    letters = [limit.letter for limit in reader.LIMITS.values()]
    letters += [reader.CONTEXT.letter, reader.FLOOR.letter, "m", "d"]
    assert len(set(letters)) == len(letters)
    assert all(len(letter) == 1 for letter in letters)


def test_the_guides_own_numbers_are_within_the_limits(evidence: Evidence) -> None:
    for scenario in evidence.settings.scenarios:
        for name, limit in reader.LIMITS.items():
            value = getattr(scenario.given, name)
            assert value is None or limit.low <= value <= limit.high, (scenario.key, name)


def test_the_guides_own_numbers_give_the_guides_answer(evidence: Evidence) -> None:
    seen = 0
    for scenario in evidence.settings.scenarios:
        asked, found = reader.ask(scenario, evidence), answer(scenario, evidence)
        if asked is None:
            assert not found.candidates
            assert scenario_form(found, scenario, evidence) is None
            continue
        seen += 1
        assert reader.candidates(asked, asked.numbers) == found.candidates
    assert seen > 1


def test_a_larger_model_throws_out_what_cannot_hold_it(evidence: Evidence) -> None:
    scenario = next(s for s in evidence.settings.scenarios if s.key == "solo")
    asked = reader.ask(scenario, evidence)
    assert asked is not None
    large = replace(asked.numbers, needs=(Requirement("Llama-3.1-70B", "fp16", 4096),))
    before = {c.system.key for c in reader.candidates(asked, asked.numbers) if c.place}
    after = reader.candidates(asked, large)
    left = {c.system.key for c in after if c.place}
    assert left < before
    codes = {c.system.key: c.reason_code for c in after}
    thrown_out = {codes[key] for key in before - left}
    assert "memory" in thrown_out
    assert thrown_out <= {"memory", "price-size"}  # a price that may be of less memory holds no such model


def test_a_least_speed_on_the_deciding_task_throws_out_the_slow(evidence: Evidence) -> None:
    scenario = next(s for s in evidence.settings.scenarios if s.key == "solo")
    asked = reader.ask(scenario, evidence)
    assert asked is not None
    assert asked.numbers.floors[0] == 0.0, "the question itself states no least speed for writing"
    ranked = [c for c in reader.candidates(asked, asked.numbers) if c.place]
    speeds = sorted({c.rates[0][1] for c in ranked})
    assert len(speeds) > 1
    faster = replace(asked.numbers, floors=(speeds[-1], *asked.numbers.floors[1:]))
    after = [c for c in reader.candidates(asked, faster) if c.place]
    assert {c.rates[0][1] for c in after} == {speeds[-1]}


def test_what_is_handed_out_is_plain_json_and_the_same_every_time(evidence: Evidence) -> None:
    for scenario in evidence.settings.scenarios:
        found = answer(scenario, evidence)
        data = scenario_data(found, scenario, evidence)
        if data is None:
            continue
        file = data_file(scenario.key, data)
        assert file == data_file(scenario.key, scenario_data(found, scenario, evidence) or {})
        text = file.content.decode().removesuffix(";\n").partition("]=")[2]
        assert json.loads(text) == json.loads(json.dumps(data))
        assert len(file.content) < 200_000
    views = [*work(evidence, evidence.settings.given), *jobs(evidence, evidence.settings.given)]
    assert json.dumps(cost_data(evidence, views), allow_nan=False)


def test_a_hostile_name_cannot_leave_the_script() -> None:
    data = {"label": '"};alert(1)//</script>\u2028\u2029'}
    content = data_file('x"];alert(1)//', data).content.decode()
    assert content.isascii()
    key, end = json.JSONDecoder().raw_decode(content, content.index("[") + 1)
    assert key == 'x"];alert(1)//'
    told, end = json.JSONDecoder().raw_decode(content, end + len("]="))
    assert told == data
    assert content[end:] == ";\n"


def test_every_field_of_a_form_says_what_the_guide_has(evidence: Evidence) -> None:
    for scenario in evidence.settings.scenarios:
        made = scenario_form(answer(scenario, evidence), scenario, evidence)
        if made is None:
            continue
        form, file = made
        inputs = [one for _, group in form.groups for one in group] + list(form.rest)
        assert len({one.letter for one in inputs}) == len(inputs)
        assert {limit.letter for limit in reader.LIMITS.values()} < {one.letter for one in inputs}
        assert all(one.hint and one.label for one in inputs)
        assert [one.letter for one in inputs if one.optional] == (
            ["b"] if scenario.given.budget_usd is None else []
        )
        for one in inputs:
            if one.options:
                assert [o.value for o in one.options if o.chosen] == [one.value]
        assert form.path == file.path


def test_the_page_about_cost_has_a_form(evidence: Evidence) -> None:
    given = evidence.settings.given
    made = cost_form(evidence, [*work(evidence, given), *jobs(evidence, given)])
    assert made is not None
    model = next(one for _, group in made[0].groups for one in group if one.letter == "m")
    assert model.options[0].chosen
    assert model.value == ""


def test_runs_that_are_left_out_would_have_settled_nothing_else(made) -> None:
    draw = random.Random(5)
    rows = []
    for number in range(60):
        rate = draw.choice([None, 10.0])
        rows.append(
            made.row(
                "a",
                rate,
                output_tokens=draw.choice([256, 512, 1024, 2048]),
                batch=draw.choice([1, 2, 4]),
                recorded_at=made.day.replace(day=1 + number // 3),
            )
        )
    evidence = made.evidence(rows, [made.price("a", 1000)])
    system = next(iter(evidence.systems.values()))
    kept = reader.ran(system, evidence)["Llama-3.1-8B|q4_k_m"]
    everything = fit.runs(evidence.rows_by_system[system.key])
    assert len(kept) < len(everything) == 60
    for tokens in (128, 256, 400, 512, 1024, 1500, 2048, 4096):
        for batch in (1, 2, 3, 4, 8):
            need = Requirement("Llama-3-8B", "q4_k_m", tokens, batch)
            settled = [r for r in kept if fit.Run("", "", *r).settles(need)]
            wanted = [[r.tokens, r.batch, r.ran] for r in everything if r.settles(need)]
            assert settled[-1:] == wanted[-1:]


def test_models_keep_the_name_by_which_the_guide_asks() -> None:
    need = Requirement("Llama-3-8B", "q4_k_m", 100)
    data = reader.sizes((need,))
    assert [m["name"] for m in data["models"] if m["shape"] == "Llama-3.1-8B"] == ["Llama-3-8B"]
    assert all(not m["name"].startswith("tiny") for m in data["models"])
    assert fit.need_bytes(Requirement(**(asdict(need) | {"model": "Llama-3.1-8B"}))) == fit.need_bytes(need)


def test_without_a_price_of_today_there_is_no_form(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01)]
    for prices, wanted in (([], False), ([made.price("a", 1000)], True)):
        evidence = made.evidence(rows, prices)
        (scenario,) = evidence.settings.scenarios
        assert (scenario_form(answer(scenario, evidence), scenario, evidence) is not None) == wanted
