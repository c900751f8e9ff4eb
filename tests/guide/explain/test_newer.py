"""Newer but slower: losses with what was reached and with which software, and what software is worth."""

from __future__ import annotations

from guide.explain import newer, shifts


def world(made, article, new=0.7, old=1.45, **values):
    devices = [
        made.device("old", bandwidth_gb_s=1000.0, fp32_tflops=80.0, released="2022-10"),
        made.device("new", bandwidth_gb_s=1800.0, fp32_tflops=105.0, released="2025-01"),
    ]
    rows = [made.row("new", new, **article | values), made.row("old", old, **article | values)]
    return made.evidence(rows, [], devices=devices)


def test_a_loss_says_what_each_reached(made, told, section, article) -> None:
    topic = newer.topic(world(made, article))
    text = told(topic)
    assert "In 1 of 1 comparison of a newer card with an older one" in text
    assert "NEW (2025) at ×0.483 the rate of OLD (2022)" in text
    assert "The newer card is used less fully" in text
    assert "do not say which version of the software ran" in text
    assert len(section(topic, "losses").tables[0].rows) == 1


def test_versions_that_are_stated_are_told(made, told, article) -> None:
    text = told(newer.topic(world(made, article, engine="pytorch", engine_version="2.7")))
    assert "Both ran pytorch 2.7; the figures are of 1 Jun 2026." in text


def test_a_newer_card_that_loses_and_is_used_more_fully_is_not_explained_away(made, told) -> None:
    devices = [made.device("old", released="2022"), made.device("new", released="2025")]
    rows = [
        made.row("new", 50.0, half=0.01, efficiency=0.6, bound="memory"),
        made.row("old", 100.0, half=0.01, efficiency=0.5, bound="memory"),
    ]
    text = told(newer.topic(made.evidence(rows, [], devices=devices)))
    assert "used more fully, and is slower all the same" in text
    assert "used less fully" not in text


def test_a_newer_card_that_wins_turns_the_sentence_round(made, article) -> None:
    topic = newer.topic(world(made, article, new=2.5))
    assert topic.answer.text.replace("\u00a0", " ").startswith(
        "It does not happen in the store’s rows: in 1 comparison"
    )
    assert "it is faster in 1 and tied in 0" in topic.answer.text
    assert "losses" not in [s.anchor for s in topic.sections]


def test_without_dates_it_says_that_it_does_not_know(made) -> None:
    topic = newer.topic(made.evidence([made.row("a", 1.0), made.row("b", 2.0)], []))
    assert not topic.answer.known


def test_a_loss_whose_work_has_no_known_size_is_not_explained(made, told, article) -> None:
    text = told(newer.topic(world(made, article, model="mystery")))
    assert "How near either comes to what it can do we do not know" in text
    assert "used less fully" not in text


PROBE = {"workload": "probe", "model": None, "weights_dtype": "bf16", "compute_dtype": "bf16",
         "output_tokens": None, "settings": '{"what": "matrix product"}', "rate_unit": "FLOP/s",
         "engine": "torch"}  # fmt: skip


def products(made, section, new=700e12, old=270e12):
    devices = [
        made.device("old", bf16_dense_tflops=312.0, released="2020-05"),
        made.device("new", bf16_dense_tflops=1000.0, released="2022-09"),
    ]
    rows = [
        made.row("new", new, engine_version="2.7", **PROBE),
        made.row("old", old, engine_version="2.6", **PROBE),
    ]
    return section(newer.topic(made.evidence(rows, [], devices=devices)), "peak")


def test_the_share_of_the_peak_by_the_cards_age(made, section) -> None:
    found = products(made, section)
    [claim] = found.claims
    assert claim.text.replace("\u00a0", " ") == (
        "BF16, Maker: OLD (2020) reaches 87 % of its dense peak with torch 2.6, NEW (2022) 70 % with torch "
        "2.7."
    )
    assert claim.why == "The newest card is used less fully than the oldest."
    assert len(found.charts) == 1


def test_the_share_of_the_peak_may_rise_or_stay(made, section) -> None:
    assert "used more fully" in products(made, section, new=950e12).claims[0].why
    assert "differ by less than" in products(made, section, new=870e12).claims[0].why


def test_without_two_products_the_peak_is_not_known(made, section, article) -> None:
    found = section(newer.topic(world(made, article)), "peak")
    assert not found.claims[0].known
    assert found.command.startswith("bench collect")


def backends(made, first, second, **values):
    """Rates of two cards with two backends of one engine: {card: rate} each."""
    devices = [made.device("old", released="2022-12"), made.device("new", released="2025-03")]
    given = {"engine": "llama.cpp", "origin": "published", "value_kind": "stated"} | values
    rows = [
        made.row(card, rate, **given, source_id=name, protocol=name, conditions=f'{{"backend": "{name}"}}')
        for name, rates in (("ROCm", first), ("Vulkan", second))
        for card, rate in rates.items()
    ]
    return made.evidence(rows, [], devices=devices)


def test_two_cards_change_places_with_the_software(made, told) -> None:
    evidence = backends(made, {"new": 94.0, "old": 167.0}, {"new": 200.0, "old": 120.0})
    [shift] = shifts.shifts(evidence)
    assert shift.clear
    assert shift.turns
    text = told(newer.topic(evidence))
    assert "In 1 of 1 comparison of two devices under two kinds of software" in text
    assert "NEW over OLD" in text
    assert "×0.563 with llama.cpp, ROCm, ×1.67 with llama.cpp, Vulkan." in text


def test_a_ratio_that_stays_is_said_to_stay(made, told, section) -> None:
    evidence = backends(made, {"new": 100.0, "old": 50.0}, {"new": 80.0, "old": 40.0})
    text = told(newer.topic(evidence))
    assert "the ratio stays the same within what can be told" in text
    assert section(newer.topic(evidence), "software").tables == []


def test_figures_read_once_at_second_hand_say_so(made, told) -> None:
    evidence = backends(
        made, {"new": 94.0, "old": 167.0}, {"new": 200.0, "old": 120.0}, flags=["single-transcription"]
    )
    assert "(some of it read at second hand, once)" in told(newer.topic(evidence))


def test_tables_of_two_engines_are_never_put_together(made) -> None:
    evidence = backends(made, {"new": 94.0, "old": 167.0}, {"new": 200.0, "old": 120.0})
    rows = [r | {"engine": r["source_id"]} for r in evidence.rows]
    assert shifts.shifts(made.evidence(rows, [], devices=list(evidence.catalog))) == []


def test_ways_of_running_are_measured_or_said_to_be_missing(made, told, section, article) -> None:
    missing = section(newer.topic(world(made, article)), "execution")
    assert [claim.known for claim in missing.claims] == [False, False]
    assert missing.command == "bench collect --suite standard --execution eager,compiled,cuda-graph"
    rows = [made.row("card", rate, half=0.005, execution=way) for way, rate in
            (("eager", 50.0), ("compiled", 75.0), ("cuda-graph", 100.0))]  # fmt: skip
    topic = newer.topic(made.evidence(rows, []))
    found = section(topic, "execution")
    text = told(topic)
    assert "Compiled by torch.compile, over running it eagerly: ×1.50 [1.49–1.51] on CARD" in text
    assert "Replayed as a CUDA graph, over running it eagerly: ×2.00" in text
    assert "Software alone made every one of these cells faster" in text
    [table] = found.tables
    assert table.rows[0]["cuda-graph"].shown == "×2.00"
    assert [r.system.key for r in table.rows[0]["compiled"].provenance.of] == ["card", "card"]


def test_a_way_that_does_not_help_is_not_praised(made, told) -> None:
    rows = [
        made.row("card", 50.0, half=0.01, execution="eager"),
        made.row("card", 40.0, half=0.01, execution="compiled"),
    ]
    text = told(newer.topic(made.evidence(rows, [])))
    assert "On these cells it made things worse" in text
    assert "Software alone" not in text


def test_a_pair_that_differs_in_more_makes_no_sentence(made, section) -> None:
    rows = [
        made.row("card", 50.0, half=0.01, execution="eager", power_limit_w=200.0),
        made.row("card", 75.0, half=0.01, execution="compiled", power_limit_w=300.0),
    ]
    found = section(newer.topic(made.evidence(rows, [])), "execution")
    assert not found.claims[0].known
    assert "differs in other conditions" in found.claims[0].text
    assert "power_limit_w" in found.tables[0].rows[0]["compiled"].sub


def test_versions_of_the_software(made, section, article) -> None:
    from datetime import timedelta

    assert not section(newer.topic(world(made, article)), "versions").claims[0].known
    rows = [
        made.row("card", 50.0, half=0.01, engine="torch", engine_version="2.7", run_id="one"),
        made.row("card", 80.0, half=0.01, engine="torch", engine_version="2.12", run_id="two",
                 recorded_at=made.day + timedelta(days=30)),
    ]  # fmt: skip
    found = section(newer.topic(made.evidence(rows, [])), "versions")
    assert "×1.60" in found.claims[0].text
    assert "with torch 2.12 over torch 2.7 (faster)" in found.claims[0].text
    [row] = found.tables[0].rows
    assert row["changed"].shown == "engine_version: 2.7 → 2.12"


def versions(made, section, **values):
    from datetime import timedelta

    rows = [
        made.row("card", 50.0, half=0.01, engine="torch", engine_version="2.7", run_id="one", **values),
        made.row("card", 80.0, half=0.01, engine="torch", engine_version="2.12", run_id="two",
                 recorded_at=made.day + timedelta(days=30), **values),
    ]  # fmt: skip
    devices = [made.device("card", bandwidth_gb_s=1000.0)]
    return section(newer.topic(made.evidence(rows, [], devices=devices)), "versions")


def test_what_either_version_reached_of_the_possible(made, section) -> None:
    # 8 B parameters of 4.85 bits each, read once a token at 1,000 GB/s.
    found = versions(made, section, params=8_000_000_000)
    told, why = found.claims[1].text.replace("\u00a0", " "), found.claims[1].why
    assert told == "Of what is possible it reaches 39 % with torch 2.12, and reached 24 % with torch 2.7."
    assert why == ""
    reached = found.tables[0].rows[0]["reached"]
    assert reached.sub.replace("\u00a0", " ") == "before, 24 %"


def test_a_version_far_from_the_possible_says_that_more_may_come(made, section) -> None:
    found = versions(made, section, params=1_000_000_000)
    assert "later software may give more" in found.claims[1].why


def test_without_a_ceiling_no_version_is_said_to_reach_anything(made, section) -> None:
    found = versions(made, section)
    assert len(found.claims) == 1
    assert found.tables[0].rows[0]["reached"].reason == "not known"


def test_a_way_that_is_tied_is_no_gain(made, told) -> None:
    rows = [
        made.row("card", 50.0, half=0.02, execution="eager"),
        made.row("card", 50.3, half=0.02, execution="compiled"),
    ]
    text = told(newer.topic(made.evidence(rows, [])))
    assert "makes no difference that could be told" in text
    assert "Software alone" not in text


def test_a_loss_off_the_headline_is_named_and_the_count_says_its_population(made, told, section) -> None:
    devices = [
        made.device("old", bandwidth_gb_s=1000.0, fp32_tflops=80.0, released="2022-10"),
        made.device("new", bandwidth_gb_s=1800.0, fp32_tflops=105.0, released="2025-01"),
    ]
    rows = [
        made.row(name, rate, half=0.01, output_tokens=tokens)
        for tokens, new, old in ((1024, 90.0, 60.0), (128, 40.0, 80.0))
        for name, rate in (("new", new), ("old", old))
    ]
    evidence = made.evidence(rows, [], devices=devices)
    assert [d.task.columns["output_tokens"] for d in newer.duels(evidence)] == [1024]
    topic = newer.topic(evidence)
    text = told(topic)
    assert "On the headline tasks it does not happen: in 1 comparison" in text
    assert "on one headline task of each family, it is faster in 1" in text
    assert "the guide’s findings name 1 more case, told below" in text
    assert "The newer card lost by" in section(topic, "losses").claims[0].text
    assert not section(topic, "losses").tables
