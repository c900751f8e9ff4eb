"""Figures inside sentences: each leads to what it rests on, and names, days and lengths are none."""

from __future__ import annotations

import re

import pytest

from bench.project import DataDir
from guide.context import Context
from guide.evidence import load_evidence
from guide.pages import PAGES
from guide.show.provenance import Ledger
from guide.show.sentences import Sentence, traced
from guide.show.tables import Provenance
from guide.show.traces import Traces
from guide.translate.patterns import Names, fill, pattern_of
from guide.translate.segments import translated

FIGURE = re.compile(
    r'<span class="traced traced--in" data-key="([^"]*)"[^>]*><a href="#s\d+">([^<]*)</a></span>'
)


@pytest.fixture
def world(made):
    evidence = made.evidence(
        [made.row("card", 100.0, half=0.01), made.row("other", 50.0)], [made.price("card", 1.0)]
    )
    results = [evidence.tasks[0].of(key) for key in ("card", "other")]
    return Ledger(evidence), *results


def shown(ledger: Ledger, sentence: Sentence) -> list[tuple[str, str]]:
    return [(text, key) for key, text in FIGURE.findall(traced(sentence, Traces(ledger)))]


def test_each_figure_has_its_own_origin_and_the_rest_a_common_one(world) -> None:
    ledger, card, other = world
    text = "CARD reaches 100 tokens/s [99.0–101.0], OTHER 50.0 tokens/s (×2.00, 50\u00a0%)."
    own = {"100": Provenance((card,)), "50.0": Provenance((other,)), "99.0–101.0": Provenance((card,))}
    found = shown(ledger, Sentence(text, Provenance((card, other), "ratio"), own))
    assert [one for one, _ in found] == ["100", "99.0–101.0", "50.0", "×2.00", "50\u00a0%"]
    keys = [key for _, key in found]
    assert keys[0] == keys[1] != keys[2]
    assert keys[3] == keys[4]
    assert keys[3].startswith("ratio:")


def test_a_rate_whose_unit_was_said_before_is_a_figure(world) -> None:
    ledger, card, other = world
    text = "8 × CARD reach 50.0 tokens/s, one reaches 9,382 (19\u00a0% more) on Llama 3 8B."
    own = {"50.0": Provenance((other,)), "9,382": Provenance((card,))}
    found = shown(ledger, Sentence(text, Provenance((card, other), "ratio"), own))
    assert [one for one, _ in found] == ["50.0", "9,382", "19\u00a0%"]
    assert len({key for _, key in found}) == 3


def test_names_days_and_what_was_asked_for_are_no_figures(world) -> None:
    ledger, card, _ = world
    text = (
        "NVIDIA GeForce RTX 4090 (24 GB), seen 1\u00a0Feb\u00a02026, on Llama 3 8B, Q4_K_M, 1,024 tokens of "
        "context, batch 8, 125 combinations."
    )
    assert shown(ledger, Sentence(text, Provenance((card,)))) == []


def test_what_came_from_a_file_is_no_markup(world) -> None:
    ledger, card, _ = world
    made = traced(Sentence("<b>X</b> at $5.00 & more", Provenance((card,))), Traces(ledger))
    assert "<b>" not in made
    assert "&#60;b&#62;X" in made
    assert len(FIGURE.findall(made)) == 1


def test_to_a_translator_a_traced_figure_is_the_figure_alone(world) -> None:
    ledger, card, _ = world
    text = "Electricity: at 0.538 USD/kWh and above, renting CARD wins, but at 5.96\u00a0h and below, OTHER."
    marked = traced(Sentence(text, Provenance((card,))), Traces(ledger))
    names = Names(["CARD", "OTHER"])
    plain = pattern_of(text, names)
    pattern = pattern_of(str(marked), names)
    assert len(FIGURE.findall(marked)) == 2
    assert pattern.msgid == plain.msgid
    told = fill(pattern.msgid, pattern, lambda kind, value: value)
    assert FIGURE.findall(told) == FIGURE.findall(marked)


def test_a_sentence_that_begins_with_a_figure_is_one_segment(world) -> None:
    ledger, card, _ = world
    marked = traced(Sentence("$5.00 an hour; $365 a month", Provenance((card,))), Traces(ledger))
    seen: list[str] = []
    translated(f"<p><span>{marked}</span></p>", lambda segment, _: seen.append(segment) or segment)
    assert seen == [str(marked)]


SENTENCES = re.compile(
    r'<p class="verdict__headline">.*?</p>|<li data-flip.*?</li>|<ul class="verdict__notes">.*?</ul>'
    r'|<dl class="(?:ways|fallen__list)">.*?</dl>'
    r'|<p class="(?:card__flip|card__price|brief__depends)">.*?</p>|### What is not known.*?(?=<pre|<p)'
    r'|<ul class="findings">.*?</ul>|(?<=### )\[[^\n]*\n\n[^\n]*',
    re.DOTALL,
)
BARE = re.compile(r"[$×]\d|\d\u00a0%|tokens/s \[\d")


def test_no_figure_of_an_answer_is_without_its_origin(example_data: DataDir) -> None:
    context = Context(load_evidence(example_data))
    seen = 0
    for page in PAGES:
        for file in page.render(context):
            if not re.fullmatch(r"(cost|multi-gpu-or-apple|scenarios/\w+|workloads/\w+)\.md", file.path):
                continue
            for block in SENTENCES.findall(
                file.content.decode().replace("&#91;", "[").replace("&nbsp;", "\u00a0")
            ):
                seen += len(FIGURE.findall(block))
                rest = re.sub(r'<span class="traced[^>]*>.*?</span>|<sup.*?</sup>', "", block)
                assert not BARE.search(rest), f"{file.path}: {rest[:300]}"
    assert seen > 50
