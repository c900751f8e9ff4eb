"""Several cards or one machine: sentences come from rows, and go with them."""

from __future__ import annotations

from guide.analysis.scaleview import scale_view
from guide.context import Context
from guide.pages.multi_gpu import PAGE
from guide.views import capacity, scaling


def page(evidence) -> str:
    return next(f.content.decode() for f in PAGE.render(Context(evidence)) if f.path.endswith(".md"))


def world(made, **changes):
    rates = {
        ("card", 1, "Llama-3-8B"): 100.0, ("card", 2, "Llama-3-8B"): 80.0, ("card", 4, "Llama-3-8B"): 79.0,
        ("card", 1, "Llama-3-70B"): None, ("card", 2, "Llama-3-70B"): 15.0, ("card", 4, "Llama-3-70B"): 15.5,
        ("mac", 1, "Llama-3-8B"): 40.0, ("mac", 1, "Llama-3-70B"): 8.0,
    } | changes.pop("rates", {})  # fmt: skip
    rows = [
        made.row(name, rate, device_count=count, model=model, half=0.005 if rate else None)
        for (name, count, model), rate in rates.items()
    ]
    mac = made.device("mac", memory_unified=True, form="soc", memory_gib=96.0, vendor="Apple", name="MAC")
    return made.evidence(rows, changes.get("prices", []), devices=[mac])


def test_capacity_says_who_ran_the_largest_model(made) -> None:
    view = scale_view(world(made))
    (seventy,) = capacity.capacity_findings(view)
    assert seventy.sentence.startswith(
        "Llama 3 70B, Q4_K_M ran on 3 of 4 systems, 1 of them with unified memory"
    )
    assert "2 × CARD" in seventy.sentence
    assert seventy.why == ""  # no price, no cheapest


def test_the_cheapest_machine_has_its_price_and_day(made) -> None:
    view = scale_view(world(made, prices=[made.price("card", 1000), made.price("mac", 3500, "system")]))
    (seventy,) = capacity.capacity_findings(view)
    assert "seen 20\u00a0May\u00a02026" in seventy.why


def test_decode_that_gains_nothing_is_explained_while_bandwidth_agrees(made) -> None:
    evidence = world(made)
    (decode,) = scaling.gains_findings(scale_view(evidence), evidence)
    assert "2 cases" in decode.sentence.replace("\u00a0", " ")
    assert "0 faster, 2 slower, 0 tied" in decode.sentence
    assert "each token passes through them in turn" in decode.why


def test_the_explanation_vanishes_when_rows_contradict_it(made) -> None:
    evidence = world(made, rates={("card", 2, "Llama-3-8B"): 190.0})
    (decode,) = scaling.gains_findings(scale_view(evidence), evidence)
    assert "1 faster" in decode.sentence
    assert decode.why == ""


def test_no_conclusion_rests_on_a_figure_that_its_source_contradicts(made) -> None:
    plain = world(made)
    rows = [r | {"flags": ["source-anomaly"]} if r["device_count"] == 2 else r for r in plain.rows]
    mac = plain.catalog.get("mac")
    evidence = made.evidence(rows, [], devices=[mac])
    (decode,) = scaling.gains_findings(scale_view(evidence), evidence)
    assert "1 case of" in decode.sentence.replace("\u00a0", " ")
    assert "Left out: 1" in decode.sentence
    assert "doubtful" in page(evidence)


def test_speed_holds_one_machine_against_several_cards(made) -> None:
    (decode,) = scaling.speed_findings(scale_view(world(made)))
    assert "4 × CARD reach 15.5 tokens/s, MAC 8 (×1.94)" in decode.sentence


def test_the_page_without_several_devices_says_that_it_does_not_know(made) -> None:
    assert "We do not know yet" in page(made.evidence([made.row("a", 1.0)], []))


def test_energy_is_not_made_up(made) -> None:
    text = page(world(made))
    assert "no row of this comparison holds a power or energy reading" in text
    assert "Measured energy" not in text


def test_the_page_has_decode_and_prefill_apart(made) -> None:
    text = page(world(made))
    assert "Writing: decode" in text
    assert "Reading: prefill" not in text
