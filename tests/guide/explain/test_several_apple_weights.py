"""Several slower than one, Apple or NVIDIA, random weights: each with rows, with other rows, and without."""

from __future__ import annotations

import pytest

from guide.explain import apple, energy, several, weights

BIG, SMALL = "Llama-3-70B", "Llama-3-8B"


def test_several_cards_that_lose(made, told) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("a", 80.0, half=0.01, device_count=6)]
    topic = several.topic(made.evidence(rows, []))
    text = told(topic)
    assert "6 cards slower than one" in text
    assert "Of 1 case of several devices beside one in the store, 1 came out slower." in text


def test_several_cards_that_gain_turn_the_sentence_round(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("a", 180.0, half=0.01, device_count=2)]
    topic = several.topic(made.evidence(rows, []))
    assert topic.answer.text.replace("\u00a0", " ").startswith(
        "It does not happen in the store’s rows: in 1 case"
    )
    assert "×1.80" in topic.answer.text


def test_one_device_each_is_not_known(made, told) -> None:
    topic = several.topic(made.evidence([made.row("a", 1.0)], []))
    assert not topic.answer.known
    assert "No row of the store holds several devices beside one of them." in told(topic)


def test_a_gain_beyond_the_number_of_devices_is_no_gain_of_theirs(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("a", 900.0, half=0.01, device_count=4)]
    assert several.kinds(made.evidence(rows, [])) == []


def test_the_title_has_the_number_of_cards_that_lost(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("a", 80.0, half=0.01, device_count=6)]
    assert several.topic(made.evidence(rows, [])).title == "Why can 6 cards be slower than one?"
    assert several.topic(made.evidence(rows[:1], [])).title == "Can several cards be slower than one?"


def test_kinds_of_work_gain_differently(made, told) -> None:
    def rows(batch, rates):
        return [
            made.row("a", rate, half=0.01, device_count=n, batch=batch, output_tokens=tokens)
            for n, rate in rates.items()
            for tokens in (256, 512)
        ]

    evidence = made.evidence(
        rows(1, {1: 100.0, 2: 101.0, 4: 102.0}) + rows(64, {1: 900.0, 2: 1700.0, 4: 3200.0}), []
    )
    least, most = several.kinds(evidence)
    assert (least.label, most.label) == ("decode, one stream", "decode, batched")
    assert len(least.gains) == len(most.gains) == 4
    assert least.count("tied") == 4
    assert most.middle == pytest.approx((1700 / 1800 + 3200 / 3600) / 2)
    text = told(several.topic(evidence))
    assert "decode, one stream reaches" in text
    assert "Decode, batched: 4 cases of 2 to 4 devices beside one, ×1.89" in text


def sides(made, rates, **values):
    """One Apple machine and one, two or four cards: (name, count, model) -> rate or None."""
    rows = [
        made.row(name, rate, device_count=count, model=model, half=0.005 if rate else None, **values)
        for (name, count, model), rate in rates.items()
    ]
    devices = [
        made.device("mac", memory_unified=True, form="soc", memory_gib=192.0, vendor="Apple", name="MAC"),
        made.device("card", vendor="NVIDIA"),
    ]
    return made.evidence(rows, [], devices=devices)


HELD = {("card", 1, SMALL): 100.0, ("card", 2, SMALL): 95.0, ("card", 1, BIG): None, ("card", 2, BIG): None,
        ("card", 4, BIG): 15.0, ("mac", 1, SMALL): 70.0, ("mac", 1, BIG): 12.0}  # fmt: skip


def test_memory_decides_for_apple_and_speed_against_it(made, told) -> None:
    topic = apple.topic(sides(made, HELD))
    text = told(topic)
    assert "It does where memory decides: it runs models that 1 system of several cards cannot hold." in text
    assert "in writing it is ahead in 0 of 2 comparisons with several cards" in text
    assert "Llama 3 70B, Q4_K_M: MAC runs it at 12 tokens/s [11.9–12.1]" in text
    assert "it fits 1 of 2 systems of several NVIDIA cards and none of 1 single card." in text
    assert "Llama 3 8B, Q4_K_M: MAC is ahead of none of 1 single NVIDIA card" in text


def test_an_apple_machine_that_writes_faster_is_said_to(made, told) -> None:
    text = told(apple.topic(sides(made, HELD | {("mac", 1, SMALL): 130.0, ("mac", 1, BIG): 20.0})))
    assert "in writing it is ahead in 2 of 2 comparisons with several cards" in text
    assert "It does not where speed counts" not in text


def test_memory_that_parts_nobody_is_not_praised(made, told) -> None:
    rates = {key: 15.0 if rate is None else rate for key, rate in HELD.items()}
    text = told(apple.topic(sides(made, rates)))
    assert "memory decides" not in text
    assert "could hold it too" in text
    assert "Memory does not part them here." in text


def test_one_side_alone_is_not_known(made) -> None:
    only = {key: rate for key, rate in HELD.items() if key[0] == "card"}
    topic = apple.topic(sides(made, only))
    assert not topic.answer.known


def test_energy_is_measured_or_not_known(made, section) -> None:
    topic = apple.topic(sides(made, HELD))
    found = section(topic, "energy")
    assert not found.claims[0].known
    assert found.tables == []
    assert found.command.startswith("bench collect")
    rows = [
        made.row("mac", 70.0, energy_j=70.0, work_per_sample=1.0, sample_count=10, energy_scope="wall"),
        made.row("card", 95.0, device_count=2, energy_j=210.0, work_per_sample=1.0, sample_count=10,
                 energy_scope="wall"),
    ]  # fmt: skip
    evidence = made.evidence(rows, [], devices=list(sides(made, HELD).catalog))
    [claim] = energy.section(evidence).claims
    assert "2 × CARD takes ×3.00 the energy of MAC (wall)" in claim.text


def test_energies_of_two_scopes_are_not_compared(made, section) -> None:
    rows = [
        made.row("mac", 70.0, energy_j=70.0, work_per_sample=1.0, sample_count=10, energy_scope="package"),
        made.row("card", 95.0, device_count=2, energy_j=210.0, work_per_sample=1.0, sample_count=10,
                 energy_scope="device"),
    ]  # fmt: skip
    [claim] = energy.section(made.evidence(rows, [], devices=list(sides(made, HELD).catalog))).claims
    assert not claim.known


def test_peaks_at_the_wall_are_limits_and_say_so(made, section) -> None:
    rows = [
        made.row("mac", 50.0, conditions='{"wall_peak_power_w": 200.0}'),
        made.row("card", 100.0, conditions='{"wall_peak_power_w": 500.0}'),
    ]
    found = energy.section(made.evidence(rows, [], devices=list(sides(made, HELD).catalog)))
    [table] = found.tables
    assert [row["joules"].shown for row in table.rows] == ["4", "5"]
    told = found.claims[-1].text.replace("\u00a0", " ")
    assert "stay below a computer with NVIDIA cards in 1 of 1 comparison, above it in 0" in told
    assert "upper limits" in found.claims[-1].why


def test_peaks_at_the_wall_that_are_too_near_are_no_win(made) -> None:
    def told(watts):
        rows = [
            made.row("mac", 50.0, conditions='{"wall_peak_power_w": 200.0}'),
            made.row("card", 100.0, conditions=f'{{"wall_peak_power_w": {watts}}}'),
        ]
        evidence = made.evidence(rows, [], devices=list(sides(made, HELD).catalog))
        return energy.section(evidence).claims[-1].text.replace("\u00a0", " ")

    assert "in 0 of 1 comparison, above it in 0" in told(412.0)
    assert "in 0 of 1 comparison, above it in 1" in told(300.0)


def joules(made, *taken):
    """(device, its joules, output tokens) -> the energy section's sentences."""
    rows = [
        made.row(name, 70.0, energy_j=energy_j, work_per_sample=1.0, sample_count=10, output_tokens=tokens,
                 energy_scope=scope)
        for name, energy_j, tokens, scope in taken
    ]  # fmt: skip
    evidence = made.evidence(rows, [], devices=list(sides(made, HELD).catalog))
    return [claim.text.replace("\u00a0", " ") for claim in energy.section(evidence).claims]


def test_energy_is_told_of_all_comparisons_not_of_the_best(made) -> None:
    cards = ((64, 210.0), (128, 35.0), (256, 72.0))
    taken = [side for n, j in cards for side in (("mac", 70.0, n, "wall"), ("card", j, n, "wall"))]
    [text] = joules(made, *taken)
    assert "of 3 comparisons it takes less energy in 1 and more in 1" in text
    assert "the cards take ×3.00 its energy (CARD over MAC) to ×0.500 (CARD over MAC)" in text


def test_energy_of_unknown_scope_is_held_against_none(made) -> None:
    [text] = joules(made, ("mac", 70.0, 64, None), ("card", 210.0, 64, None))
    assert text.startswith("We do not know how much less energy")


def test_memory_is_compared_on_paper(made, section) -> None:
    def said(**mac):
        given = {"memory_unified": True, "form": "soc", "vendor": "Apple", "name": "MAC"} | mac
        rows = [made.row(n, r, device_count=c, model=SMALL) for n, c, r in
                (("mac", 1, 70.0), ("card", 1, 100.0), ("card", 2, 95.0))]  # fmt: skip
        devices = [made.device("mac", **given), made.device("card", vendor="NVIDIA", bandwidth_gb_s=900.0)]
        claims = section(apple.topic(made.evidence(rows, [], devices=devices)), "capacity").claims
        return [(c.text.replace("\u00a0", " "), c.why) for c in claims]

    text, why = said(memory_gib=192.0, bandwidth_gb_s=800.0)[-1]
    assert text == (
        "On paper MAC has 192 GiB of memory at 800 GB/s; the single NVIDIA cards have 24 GiB, at 900 GB/s."
    )
    assert why == "That is more memory than 1 of 1 of them have, and faster memory than 0 of 1."
    _, why = said(memory_gib=16.0, bandwidth_gb_s=1000.0)[-1]
    assert why == "That is more memory than 0 of 1 of them have, and faster memory than 1 of 1."
    assert not any("On paper" in text for text, _ in said(memory_gib=192.0, bandwidth_gb_s=None))


def pair(made, random_rate: float):
    return made.evidence(
        [
            made.row("card", random_rate, half=0.005, weights="random"),
            made.row("card", 100.0, half=0.005, weights="pretrained"),
        ],
        [],
    )


def test_random_weights_that_tell_the_truth(made, told) -> None:
    topic = weights.topic(pair(made, 100.5))
    assert "Yes, as far as was measured: over 1 cell run with both" in told(topic)
    assert "Random over pretrained weights: ×1.00" in told(topic)
    assert "(tied)" in told(topic)


def test_random_weights_that_do_not(made, told) -> None:
    text = told(weights.topic(pair(made, 112.0)))
    assert "Not always: of 1 cell run with both, 1 differ beyond a tie" in text
    assert "random weights run at ×1.12 [1.11–1.13] the rate of real ones" in text


def test_weights_that_nobody_compared(made, told) -> None:
    topic = weights.topic(made.evidence([made.row("card", 1.0, weights="random")], []))
    assert not topic.answer.known
    assert "Not measured yet" in told(topic)
    assert topic.sections[0].command == "bench collect --suite quick --weights both"
