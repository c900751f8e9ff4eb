"""What fits: the arithmetic against hand-worked sizes, and measurements that overrule it."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from guide.decide import fit
from guide.decide.fit import Requirement
from guide.model import System

GIB = 2**30
EIGHT_B = Requirement("Llama-3-8B", "q4_k_m", 8192)


def card(gib: float, count: int = 1, **values) -> System:
    return System("s", "S", "s", "s", count, memory_bytes=int(gib * GIB) * count, **values)


def test_need_is_weights_cache_and_activations() -> None:
    cache = 2 * 32 * 8 * 128 * 8192 * 2  # layers, key-value heads, head size, tokens, bytes
    weights = 8_030_261_248 * fit.WEIGHT_BYTES["q4_k_m"]
    need = fit.need_bytes(EIGHT_B)
    assert weights + cache < need < weights + cache + 200e6


def test_batch_multiplies_the_cache_only() -> None:
    one, eight = fit.need_bytes(EIGHT_B), fit.need_bytes(dataclasses.replace(EIGHT_B, batch=8))
    cache = 2 * 32 * 8 * 128 * 8192 * 2
    assert eight - one > 7 * cache
    assert eight < 8 * one


@pytest.mark.parametrize("name", ["LLaMA 3 8B", "Llama-3-8B", "Meta-Llama-3.1-8B-Instruct", "llama_3_8b"])
def test_spellings_of_one_model_have_one_shape(name: str) -> None:
    assert fit.known_shape(name).params == 8_030_261_248


def test_larger_models_than_the_collector_runs_can_be_asked_about() -> None:
    """Parameters as their publishers count them."""
    counted = {"Qwen2.5-32B": 32_763_876_352, "Llama-3.1-405B": 405_853_388_800}
    assert {s.name: s.params for s in fit.ONLY_HELD} == counted
    assert fit.known_shape("Meta-Llama-3.1-405B-Instruct") == fit.DECODERS["Llama-3.1-405B"]
    need = Requirement("Llama-3.1-405B", "q4_k_m", 8192)
    cache = 2 * 126 * 8 * 128 * 8192 * 2
    assert fit.need_bytes(need) == pytest.approx(counted["Llama-3.1-405B"] * 0.603 + cache, rel=0.01)
    assert fit.fit(need, card(192), ()).verdict == "no"
    assert fit.fit(need, card(80, 4), ()).verdict == "fits"


def test_an_unknown_model_or_type_is_unknown_not_guessed() -> None:
    assert fit.known_shape("Someone-9B") is None
    assert fit.fit(Requirement("Someone-9B", "fp16", 10), card(1000), ()).verdict == "unknown"
    assert fit.fit(Requirement("Llama-3-8B", "q9_z", 10), card(1000), ()).verdict == "unknown"
    assert fit.fit(EIGHT_B, dataclasses.replace(card(1), memory_bytes=None), ()).verdict == "unknown"


def test_unified_memory_is_only_partly_usable_and_small_ones_less() -> None:
    small, large = card(8, unified_memory=True), card(64, unified_memory=True)
    assert fit.usable_bytes(small) == round(8 * GIB * fit.UNIFIED_SHARE[0])
    assert fit.usable_bytes(large) == round(64 * GIB * fit.UNIFIED_SHARE[1])


def test_several_cards_hold_less_than_their_sum() -> None:
    assert fit.usable_bytes(card(24, 2)) < 2 * fit.usable_bytes(card(24))


def test_verdicts_name_their_figures() -> None:
    roomy, none = fit.fit(EIGHT_B, card(24), ()), fit.fit(EIGHT_B, card(6), ())
    assert (roomy.verdict, roomy.basis) == ("fits", "computed")
    assert none.verdict == "no"
    assert "5.57\u00a0GiB" in none.sentence
    assert fit.fit(EIGHT_B, card(6.2), ()).verdict == "tight"


def test_a_measured_out_of_memory_overrules_the_estimate(made) -> None:
    row = made.row("a", None, output_tokens=4096)
    assert fit.fit(EIGHT_B, card(24), ()).ok
    found = fit.fit(EIGHT_B, card(24), [row])
    assert (found.verdict, found.basis) == ("no", "measured")


def test_a_measured_run_overrules_the_estimate_too(made) -> None:
    row = made.row("a", 10.0, output_tokens=8192)
    found = fit.fit(EIGHT_B, card(5), [row])
    assert (found.verdict, found.basis) == ("fits", "measured")


def test_rows_that_do_not_settle_it_do_not_overrule(made) -> None:
    shorter_ran = made.row("a", 10.0, output_tokens=512)
    longer_failed = made.row("a", None, output_tokens=16384)
    other_type = made.row("a", None, weights_dtype="fp16")
    more_sequences = made.row("a", None, batch=8)
    for rows in ([shorter_ran], [longer_failed], [other_type], [more_sequences]):
        assert fit.fit(EIGHT_B, card(24), rows).basis == "computed"


def test_the_newest_measurement_decides(made) -> None:
    failed = made.row("a", None, output_tokens=8192)
    ran = made.row("a", 10.0, output_tokens=8192, recorded_at=made.day + timedelta(days=1))
    assert fit.fit(EIGHT_B, card(24), [ran, failed]).ok
    assert fit.fit(EIGHT_B, card(24), [failed, ran]).ok
    at_once = dict(ran, recorded_at=made.day)
    assert not fit.fit(EIGHT_B, card(24), [at_once, failed]).ok


def test_the_worst_of_several_counts() -> None:
    needs = [EIGHT_B, Requirement("Llama-3-70B", "q4_k_m", 1024)]
    assert fit.fit_all(needs, card(24), ()).verdict == "no"
    assert fit.fit_all([], card(24), ()) is None
