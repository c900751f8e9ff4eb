"""Home, the readers' pages and Cost: what they say follows from the answers and from nothing else."""

from __future__ import annotations

import html
import re

import pytest

from bench.project import DataDir
from guide import paths
from guide.context import Context
from guide.decide import wording
from guide.decide.cost import LABELS, cost_rows
from guide.decide.screen import route_words
from guide.evidence import load_evidence
from guide.pages.cost import PAGE as COST
from guide.pages.cost import formulas, tariff_table
from guide.pages.home import PAGE as HOME
from guide.pages.home import machines
from guide.pages.scenarios import PAGE as SCENARIOS
from guide.recommend import FLIPS_SHOWN
from guide.show.markup import plain
from guide.views.answers import call_words, card, ways
from guide.views.costs import speedups
from guide.views.devices import by_name
from guide.views.money import most_priced, winner_map, winners
from guide.views.owning import owning_table
from guide.views.ranking import fallen_groups, ranking_table
from guide.views.work_costs import work


def rendered(page, evidence) -> dict[str, str]:
    """The pages of one kind as readers see their text: tags out, entities resolved, spaces plain."""
    files = {f.path: f.content.decode() for f in page.render(Context(evidence)) if f.path.endswith(".md")}
    return {path: text_of(content) for path, content in files.items()}


def text_of(content: str) -> str:
    bare = re.sub(r"<svg.*?</svg>", "", content, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", " ", bare)).replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text)


def priced(made, *, grid="[0.9, 1.0]", rows=None, prices=None, **values):
    """Two cards that tie, one a little dearer, where the cheaper one's price may be wrong."""
    rows = rows or [made.row("a", 100.0, half=0.01), made.row("b", 100.0, half=0.01)]
    prices = [made.price("a", 1000.0), made.price("b", 1100.0)] if prices is None else prices
    text = made.scenario_text + f"grid = {{ price_factor = {grid} }}\n" + made.question_text
    return made.evidence(rows, prices, text=text, **values)


def test_the_home_page_leads_with_each_reader_s_answer(made) -> None:
    evidence = priced(made)
    ctx = Context(evidence)
    (answer,) = ctx.answers
    text = rendered(HOME, evidence)[paths.HOME]
    assert text.index(answer.pick.system.label) < text.index("How to read this guide")
    for word in ("$1,000", "seen 20 May 2026", "100 tokens/s [99–101]", "confidence: "):
        assert word in text, word
    assert f"{evidence.counts.ok_rows} figures" in text


def test_no_flip_point_is_left_out_of_the_page(made) -> None:
    names = [chr(ord("a") + place) for place in range(12)]
    rows = [made.row(name, 100.0 - place / 10, half=0.01) for place, name in enumerate(names)]
    prices = [made.price(name, 1000.0 + 50 * place) for place, name in enumerate(names)]
    evidence = made.evidence(rows, prices)
    (answer,) = Context(evidence).answers
    assert len(answer.flips) > FLIPS_SHOWN
    (page,) = [f for f in SCENARIOS.render(Context(evidence)) if f.path == paths.scenario("one")]
    content = page.content.decode()
    first, rest = content.split('<details class="more"><summary>' + f"{len(answer.flips) - FLIPS_SHOWN}", 1)
    assert first.count("data-flip=") == FLIPS_SHOWN
    assert rest.partition("</details>")[0].count("data-flip=") == len(answer.flips) - FLIPS_SHOWN


def test_a_fragile_pick_stands_behind_the_one_that_wins_more(made) -> None:
    evidence = priced(made, grid="[1.0, 1.2, 1.3, 1.4]")
    text = rendered(HOME, evidence)[paths.HOME]
    often, assumed = text.index("B, bought new"), text.index("A, bought new")
    assert often < assumed
    assert "wins in 75 % of plausible prices and uses" in text
    assert text[assumed:].startswith("A, bought new with the numbers assumed here")


def test_a_pick_on_thin_evidence_says_so_and_a_sound_one_does_not(made) -> None:
    rows = [made.row(k, r, source_id="x", origin="published") for k, r in (("a", 100.0), ("b", 60.0))]
    (thin,) = Context(priced(made, rows=rows)).answers
    assert thin.call == "clear"
    assert thin.confidence.level == "low"
    assert call_words(thin) == "The pick, on thin evidence"
    (better,) = Context(priced(made)).answers
    assert better.confidence.level != "low"
    assert call_words(better) == wording.CALLS["clear"]


def test_a_pick_whose_measurement_was_disturbed_is_never_more_than_a_low_confidence_one(made) -> None:
    rows = [made.row("a", 100.0, half=0.01, flags=["contended"]), made.row("b", 60.0, half=0.01)]
    (disturbed,) = Context(priced(made, rows=rows)).answers
    assert disturbed.pick.system.key == "a"
    assert disturbed.confidence.level == "low"
    assert "its measurement was disturbed: contended" in disturbed.confidence.failed
    clean = [row | {"flags": ["anchor-drift"]} for row in rows]
    (sound,) = Context(priced(made, rows=clean)).answers
    assert (sound.pick.system.key, sound.confidence.level) == ("a", "medium")


def test_without_prices_the_pages_say_what_is_missing(made) -> None:
    evidence = priced(made, prices=[])
    (answer,) = Context(evidence).answers
    assert (answer.pick, answer.call) == (None, "none")
    home = rendered(HOME, evidence)[paths.HOME]
    assert "Not enough evidence yet" in home
    assert "Speed against price" not in home
    page = rendered(SCENARIOS, evidence)[paths.scenario("one")]
    assert "Not enough evidence: " in page
    assert "No price is known" in page
    assert "In the running" not in page
    cost = rendered(COST, evidence)[paths.COST]
    assert "No measured system has a price yet" in cost


def test_without_comparable_rows_a_reader_s_page_names_the_command(made) -> None:
    evidence = priced(made, rows=[made.row("a", 10.0, workload="prefill", output_tokens=None)])
    page = rendered(SCENARIOS, evidence)[paths.scenario("one")]
    assert "No rows can be compared on this question yet." in page
    assert "bench collect --suite standard --workload decode" in page


def test_a_reader_s_page_gives_every_assumption_with_its_key(made) -> None:
    evidence = priced(made)
    files = {f.path: f.content.decode() for f in SCENARIOS.render(Context(evidence))}
    page = html.unescape(files[paths.scenario("one")])
    given = evidence.settings.scenarios[0].given
    found = dict(re.findall(r'data-input="([a-z_]+)" data-value="([^"]+)"', page))
    assert found == {k: f"{getattr(given, k):g}" for k in LABELS if getattr(given, k) is not None}


def test_every_candidate_is_ranked_or_fell_out_with_its_reason(example_data: DataDir) -> None:
    evidence = load_evidence(example_data)
    for answer in Context(evidence).answers:
        groups = fallen_groups(answer)
        placed = {c.system.key for c in answer.candidates if c.place}
        out = {c.system.key for c in answer.candidates if not c.place}
        assert sum(int(re.match(r"\d+", g.count)[0]) for g in groups) >= len(out)
        assert all(reason.endswith(".") for g in groups for _, reason in g.rows)
        for group in groups:
            code = [c for c in answer.candidates if not c.place and c.reason_code == group.code]
            in_order = sorted(code, key=lambda c: (by_name(c.system), c.route or ""))
            assert group.rows[0][0].startswith(route_words(in_order[0]))
        if answer.candidates:
            assert placed | out == set(evidence.systems)
        if placed:
            rows = ranking_table(answer).rows
            assert [r["tier"].shown for r in rows] == [c.tier for c in answer.candidates if c.place]


def test_ways_of_paying_stand_apart_and_a_missing_one_has_its_reason(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 50.0, half=0.01)]
    prices = [made.price("a", 1000.0), made.price("b", 0.2, "rent-on-demand")]
    evidence = priced(made, rows=rows, prices=prices)
    (answer,) = Context(evidence).answers
    found = {w.route: w for w in ways(answer, evidence.settings.scenarios[0])}
    assert found["buy-new"].candidate.system.key == "a"
    assert found["rent"].candidate.system.key == "b"
    assert found["buy-used"].candidate is None
    assert found["buy-used"].why_not == "No device that fits has a price of this kind."


def test_a_way_that_nothing_is_left_by_says_how_near_the_nearest_is(made) -> None:
    from datetime import date

    rows = [made.row(k, r, half=0.01) for k, r in (("a", 100.0), ("b", 50.0), ("c", 40.0))]
    prices = [
        made.price("a", 9000.0),
        made.price("b", 7000.0),
        made.price("c", 10.0, observed_on=date(2020, 1, 1)),
        made.price("a", 0.1, "rent-on-demand"),
    ]
    text = made.scenario_text + "assumptions = { budget_usd = 5000 }\n" + made.question_text
    evidence = made.evidence(rows, prices, text=text)
    (answer,) = Context(evidence).answers
    found = {w.route: w for w in ways(answer, evidence.settings.scenarios[0])}
    assert found["buy-new"].why_not == (
        "Of those that fit: 2 over the budget, 1 with too old a price. The cheapest over it, B: "
        "the purchase takes $7,900 (with $900 for the computer around it), the budget is $5,000."
    )


def test_the_map_of_winners_agrees_with_the_shares(made) -> None:
    text = (
        made.scenario_text
        + "grid = { price_factor = [1.0], usd_per_kwh = [0.1, 9.0], hours_per_day = [1, 24] }\n"
        + made.question_text
    )
    hungry = made.device("a", tdp_w=900.0)
    rows = [made.row("a", 100.0, half=0.01), made.row("b", 100.0, half=0.01)]
    evidence = made.evidence(
        rows, [made.price("a", 1000.0), made.price("b", 1500.0)], text=text, devices=[hungry]
    )
    (answer,) = Context(evidence).answers
    found = winner_map(answer.grid)
    assert (found.xs, found.ys) == (("1", "24"), ("0.1", "9"))
    letters = [letter for row in found.cells for letter in row]
    for winner in winners(answer.grid):
        assert letters.count(winner.letter) / len(letters) == pytest.approx(winner.fraction)
    # Where power is dear and the machine always works, the hungry one loses.
    by_letter = {w.letter: w.name for w in winners(answer.grid)}
    assert by_letter[found.cells[0][0]] == "A, bought new"
    assert by_letter[found.cells[1][1]] == "B, bought new"


def test_a_machine_that_was_measured_is_named_with_its_page(example_data: DataDir) -> None:
    evidence = load_evidence(example_data)
    own = machines(evidence)
    assert own
    assert all(m.path.startswith("devices/") for m in own)
    text = rendered(HOME, evidence)[paths.HOME]
    assert f"Measured here: {plain(own[0].label)}" in text


def cpu_and_cards(made, *extra):
    cpu = made.device("cpu", device_class="cpu", form="cpu", tdp_w=100.0)
    rows = [
        made.row("cpu", 2.0, half=0.01),
        made.row("a", 100.0, half=0.01),
        made.row("b", 50.0, half=0.01),
    ]
    return made.evidence(rows, [made.price("a", 1000.0), made.price("b", 250.0), *extra], devices=[cpu])


def test_a_unit_of_speed_is_priced_apart_by_way_of_paying(made) -> None:
    evidence = cpu_and_cards(made, made.price("a", 0.5, "rent-on-demand"), made.price("b", 900.0, "system"))
    (view,) = speedups(evidence)
    assert view.reference == "CPU"
    headings = [heading for heading, _ in view.tables]
    assert headings == ["Bare cards, new", "Rented by the hour"]
    assert view.cheapest == ("Bare cards, new: B, $10.00", "Rented by the hour: A, $0.0100 an hour")
    priced_rows = {
        (r.system.key, r.price.route): r.per_speedup_usd for r in cost_rows(view.task, evidence.prices)
    }
    table = dict(view.tables)["Bare cards, new"]
    assert [row["per"].sort for row in table.rows] == [
        priced_rows["b", "buy-new"],
        priced_rows["a", "buy-new"],
    ]


def test_an_old_price_is_greyed_behind_those_of_today(made) -> None:
    from datetime import date

    evidence = made.evidence(
        [made.row(k, r, half=0.01) for k, r in (("cpu", 2.0), ("old", 100.0), ("a", 100.0), ("b", 50.0))],
        [
            made.price("old", 10.0, observed_on=date(2024, 1, 1)),
            made.price("a", 1000.0),
            made.price("b", 900.0),
        ],
        devices=[made.device("cpu", device_class="cpu", form="cpu")],
    )
    (view,) = speedups(evidence)
    table = dict(view.tables)["Bare cards, new"]
    assert table.row_classes == ["", "", "is-out"]
    assert "stale" in table.rows[2]["price"].sub
    assert "OLD" not in view.cheapest[0]


def test_a_million_tokens_rented_is_the_hour_over_its_tokens(made) -> None:
    evidence = cpu_and_cards(
        made, made.price("a", 0.36, "rent-on-demand"), made.price("b", 0.36, "rent-on-demand")
    )
    (view,) = work(evidence, evidence.settings.given)
    rents = {row["system"].sort: row["rent"].sort for row in view.table.rows}
    assert rents == {"A": pytest.approx(1.0), "B": pytest.approx(2.0)}
    assert "rented: A, $1" in view.cheapest
    assert [row[0] for row in view.chart.figures] == ["A", "B"]


def test_owning_against_renting_names_the_hours(made) -> None:
    evidence = cpu_and_cards(made, made.price("a", 0.5, "rent-on-demand"))
    table = owning_table(evidence, evidence.settings.given)
    (row,) = table.rows
    assert 0 < row["even"].sort < 24
    dear = cpu_and_cards(made, made.price("a", 0.001, "rent-on-demand"))
    (row,) = owning_table(dear, dear.settings.given).rows
    assert row["even"].reason.startswith("never")
    assert owning_table(cpu_and_cards(made), evidence.settings.given) is None


def test_the_formulas_are_those_of_the_code() -> None:
    text = "\n".join(formulas())
    assert text.startswith("capital ")
    assert "USD per million tokens" in text


def test_electricity_is_listed_dearest_first(example_data: DataDir) -> None:
    tariffs = load_evidence(example_data).tariffs
    shown = [row["usd"].sort for row in tariff_table(tariffs).rows if hasattr(row["usd"], "sort")]
    assert shown == sorted(shown, reverse=True)
    assert len(tariff_table(tariffs).rows) == len(tariffs)


def test_the_chart_on_home_is_of_the_task_with_most_prices_of_today(made) -> None:
    evidence = cpu_and_cards(made)
    found = most_priced(evidence)
    assert found.fresh == 2
    assert {p.system.key for p in found.points} == {"a", "b"}
    assert most_priced(priced(made, prices=[made.price("a", 1.0)])) is None


def test_a_card_counts_the_doubts_that_it_does_not_name(made) -> None:
    evidence = priced(made)
    (answer,) = Context(evidence).answers
    shown = card(answer, evidence.settings.scenarios[0])
    failed = answer.confidence.failed
    assert shown.why.startswith("; ".join(failed[:2]))
    assert shown.href == paths.scenario("one")
