"""Hardly faster: the sentence holds only while the rows do, and turns or goes when they change."""

from __future__ import annotations

import pytest

from guide.explain import batching, close, distance
from guide.explain.cases import cases


def world(made, article, cards, large=1.67, small=1.45, extra=(), **values):
    rows = [made.row("large", large, **article | values), made.row("small", small, **article | values)]
    return made.evidence([*rows, *extra], [], devices=cards)


def test_two_cards_that_wait_for_launches(made, cards, told, section, article) -> None:
    topic = close.topic(world(made, article, cards))
    assert topic.title.replace("\u00a0", " ") == "Why is LARGE only 15 % faster than SMALL?"
    text = told(topic)
    assert "LARGE is 15 % faster than SMALL" in text
    assert "the roofline allows ×3.00 as fast" in text
    assert "launching one small operation after another" in text
    assert "LARGE does 1.67 articles/s, SMALL 1.45 articles/s: ×1.15." in text
    assert "both by their memory" in text
    [table] = section(topic, "case").tables
    assert [
        str(row["system"].shown).count(n) for row, n in zip(table.rows, ("LARGE", "SMALL"), strict=True)
    ] == [1, 1]
    assert len(section(topic, "case").charts) == 2


def own(made, bound, batch=1, rate=1.5, **values):
    """What the collector itself measured of that job on the small card."""
    given = {"workload": "summarize", "model": "t5-large", "output_tokens": 30, "batch": batch,
             "efficiency": 0.1, "bound": bound, "rate_unit": "articles/s"}  # fmt: skip
    return made.row("small", rate, half=0.01, **given | values)


def test_what_launching_takes_is_a_conclusion_until_a_card_was_measured(made, cards, article) -> None:
    def why(*extra):
        return close.topic(world(made, article, cards, extra=extra)).answer.why.replace("\u00a0", " ")

    assert "no row measures on a graphics card where the time of this work goes" in why()
    assert why(own(made, "overhead")).endswith("Measured here, overhead limits this work on SMALL.")
    assert "Measured here it is not so: on SMALL, memory or arithmetic limits" in why(own(made, "memory"))
    several = (own(made, "overhead"), own(made, "memory", output_tokens=60))
    assert why(*several).endswith("overhead limits this work on SMALL: 1 of 2 results on cards.")
    # Many at once, another model or a processor say nothing of it.
    assert "no row measures" in why(own(made, "overhead", batch=8), own(made, "overhead", model="another"))


def third(made, article, rate):
    """A card of a tenth of the small one's memory rate."""
    device = made.device("tiny", bandwidth_gb_s=100.0, fp32_tflops=8.0, released="2018")
    return device, made.row("tiny", rate, **article)


def test_times_that_do_not_follow_the_cards_are_said_not_to(made, cards, article, section) -> None:
    device, row = third(made, article, 0.5)
    topic = close.topic(world(made, article, [*cards, device], extra=[row]))
    claim = section(topic, "case").claims[-1]
    assert claim.text.replace("\u00a0", " ") == (
        "Over 3 devices of Maker the least time differs by ×30.0 or more, the time taken by ×3.34."
    )
    assert claim.why == "The time follows little of what a card can do."


def test_times_that_follow_the_cards_are_said_to(made, cards, article, section) -> None:
    device, row = third(made, article, 0.06)
    topic = close.topic(world(made, article, [*cards, device], extra=[row]))
    assert section(topic, "case").claims[-1].why == "The time follows what a card can do."


def test_two_cards_are_too_few_to_say_so(made, cards, told, article) -> None:
    assert "the time taken by" not in told(close.topic(world(made, article, cards)))


def test_figures_keep_their_rows(made, cards, section, article) -> None:
    topic = close.topic(world(made, article, cards))
    rates = [num for claim in section(topic, "case").claims for num in claim.figures if num.unit]
    assert [num.origin.of[0].system.key for num in rates] == ["large", "small"]


def test_a_difference_that_shows_turns_the_sentence_round(made, cards, told, article) -> None:
    topic = close.topic(world(made, article, cards, large=4.0))
    text = told(topic)
    assert (
        "It is not so in the store’s rows: wherever the roofline lets one card be at least ×1.50 as fast as "
        "another of its maker (1 comparison)" in text
    )
    assert "LARGE is" not in text
    assert "launching" not in text
    assert topic.title == "Why may a card of twice the means be hardly faster?"


def test_cards_near_their_limits_are_not_said_to_wait_for_launches(made, cards, told, article) -> None:
    # 20 articles a second are near what the small card's memory allows.
    evidence = world(made, article, cards, large=21.0, small=19.0)
    [case] = cases(evidence)
    assert case.hidden
    assert not case.launch_bound
    text = told(close.topic(evidence))
    assert "launching" not in text
    assert "nearer to its own limit" in text


def test_work_in_large_steps_is_not_said_to_wait_for_launches(made, cards, told, article) -> None:
    given = article | {"workload": "finetune", "model": "distilbert-base-uncased", "batch": 8}
    more = [made.device("small", bandwidth_gb_s=1000.0, fp32_tflops=80.0),
            made.device("large", bandwidth_gb_s=9000.0, fp32_tflops=900.0)]  # fmt: skip
    rows = [made.row("large", 110.0, **given), made.row("small", 100.0, **given)]
    text = told(close.topic(made.evidence(rows, [], devices=more)))
    assert "launching" not in text
    assert "What holds both, the rows do not say." in text


def test_a_larger_card_that_is_slower_is_another_question(made, cards, article) -> None:
    [case] = cases(world(made, article, cards, large=1.4))
    assert not case.hidden


def test_a_tie_is_called_one(made, cards, told, article) -> None:
    topic = close.topic(world(made, article, cards, large=1.47))
    assert topic.title == "Why is LARGE no faster than SMALL?"
    assert "LARGE and SMALL are tied" in told(topic)


def test_without_two_cards_it_says_that_it_does_not_know(made, cards, article) -> None:
    topic = close.topic(made.evidence([made.row("large", 1.67, **article)], [], devices=cards))
    assert not topic.answer.known
    assert topic.answer.text.startswith("We do not know yet")
    assert [s.anchor for s in topic.sections] == ["measured", "batching"]


def test_cards_of_two_makers_are_not_explained_by_the_card(made, cards, article) -> None:
    other = made.device("large", bandwidth_gb_s=3000.0, fp32_tflops=60.0, vendor="Another")
    assert cases(world(made, article, [cards[0], other])) == []


def test_a_figure_that_its_source_contradicts_explains_nothing(made, cards, article) -> None:
    assert cases(world(made, article, cards, flags=["source-anomaly"])) == []


def test_what_was_measured_says_what_limited_it(made, cards, told, section) -> None:
    own = {"workload": "summarize", "model": "t5-large", "output_tokens": 30, "efficiency": 0.1,
           "bound": "overhead", "rate_unit": "articles/s"}  # fmt: skip
    rows = [
        made.row("small", 1.5, half=0.01, **own),
        made.row("large", 9.0, **own | {"batch": 8, "bound": "memory"}),
    ]
    topic = close.topic(made.evidence(rows, [], devices=cards))
    text = told(topic)
    assert "Measured here with one sequence at a time: 1 result, limited 1 by overhead" in text
    assert "several sequences together: 1 result, limited 1 by memory" in text
    assert section(topic, "measured").command.startswith("bench collect")


def test_nothing_measured_is_said(made, cards, told, article) -> None:
    assert "We do not know yet what limits this work on a machine" in told(
        close.topic(world(made, article, cards))
    )


def test_processors_alone_do_not_speak_for_cards(made, told) -> None:
    own = {"efficiency": 0.5, "bound": "memory"}
    cpu = made.device("cpu", device_class="cpu", form="cpu")
    text = told(close.topic(made.evidence([made.row("cpu", 5.0, **own)], [], devices=[cpu])))
    assert "All of these ran on processors" in text


def ladder_rows(made, rates):
    return [
        made.row(name, rate, half=0.01, batch=batch)
        for name, by_batch in rates.items()
        for batch, rate in by_batch.items()
    ]


def test_batching_shows_what_one_at_a_time_hides(made, cards, told) -> None:
    rates = {"large": {1: 110.0, 8: 800.0, 32: 2200.0}, "small": {1: 100.0, 8: 500.0, 32: 700.0}}
    evidence = made.evidence(ladder_rows(made, rates), [], devices=cards)
    [ladder] = batching.ladders(evidence.tasks)
    assert ladder.batches() == (1, 8, 32)
    assert "one stream" not in ladder.label
    assert [g.figure.value for g in batching.gains(ladder)] == [pytest.approx(7.0), pytest.approx(20.0)]
    [apart] = distance.distances(ladder, evidence)
    assert (apart.pair, apart.batch) == (("large", "small"), 32)
    assert apart.growth == pytest.approx((2200 / 700) / 1.1)
    text = told(close.topic(evidence))
    assert "2 systems gain from ×7.00" in text
    assert "the larger card is further ahead with most sequences together than with one in 1" in text
    assert "One at a time hides what a larger card can do" in text


def test_batching_that_parts_nobody_is_not_said_to(made, cards, told) -> None:
    rows = ladder_rows(made, {"large": {1: 300.0, 8: 800.0}, "small": {1: 100.0, 8: 700.0}})
    text = told(close.topic(made.evidence(rows, [], devices=cards)))
    assert "One at a time hides" not in text
    assert "Here batching brings the cards nearer to each other" in text


def test_batching_that_changes_little_is_said_to(made, cards, told) -> None:
    rows = ladder_rows(made, {"large": {1: 200.0, 8: 1030.0}, "small": {1: 100.0, 8: 500.0}})
    text = told(close.topic(made.evidence(rows, [], devices=cards)))
    assert "hardly changes how far apart" in text
    assert "hides" not in text


def test_which_card_is_the_larger_does_not_depend_on_the_outcome(made, cards) -> None:
    rows = ladder_rows(made, {"large": {1: 90.0, 8: 100.0}, "small": {1: 100.0, 8: 200.0}})
    evidence = made.evidence(rows, [], devices=cards)
    [apart] = distance.distances(batching.ladders(evidence.tasks)[0], evidence)
    assert apart.pair == ("large", "small")
    assert apart.growth == pytest.approx(0.5 / 0.9)


def test_cards_of_equal_means_are_not_held_apart(made, cards) -> None:
    rows = ladder_rows(made, {"large": {1: 110.0, 8: 800.0}, "small": {1: 100.0, 8: 500.0}})
    equal = [cards[0], made.device("large", fp16_dense_tflops=100.0)]
    evidence = made.evidence(rows, [], devices=equal)
    assert distance.by_origin(batching.ladders(evidence.tasks), evidence) == []


def test_no_batches_are_said_to_be_missing(made, cards, told, article) -> None:
    assert "no row of the store runs the same work one at a time and batched" in told(
        close.topic(world(made, article, cards))
    )


def test_the_order_of_rows_does_not_matter(made, cards, article) -> None:
    rows = [made.row("large", 1.67, **article), made.row("small", 1.45, **article)]
    rows += ladder_rows(made, {"large": {1: 110.0, 8: 800.0}, "small": {1: 100.0, 8: 500.0}})
    one = close.topic(made.evidence(rows, [], devices=cards))
    assert close.topic(made.evidence(rows[::-1], [], devices=cards)) == one
