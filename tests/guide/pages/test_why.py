"""The pages that explain: one a question, linked from the home page, with the commands that fill their
gaps."""

from __future__ import annotations

import pytest

from bench.workloads import WORKLOADS
from guide import paths
from guide.analysis.findings import EXPLAINED, RULES, surprises
from guide.build import build
from guide.context import Context
from guide.evidence import load_evidence
from guide.pages.why import PAGE, TOPICS


def pages(evidence) -> dict[str, str]:
    found = (
        f for f in PAGE.render(Context(evidence)) if f.path.startswith("why/") and f.path.endswith(".md")
    )
    return {f.path: f.content.decode() for f in found}


def test_every_kind_of_finding_has_a_page_that_explains_it(made) -> None:
    assert EXPLAINED.keys() == RULES.keys()
    assert set(EXPLAINED.values()) <= pages(made.evidence([made.row("a", 1.0)], [])).keys()


def test_the_list_of_questions_gives_each_answer_and_leads_to_its_page(made) -> None:
    found = pages(made.evidence([made.row("a", 1.0)], []))
    assert len(found) == 1 + len(TOPICS)
    for path in found.keys() - {paths.WHY}:
        assert f'href="{paths.relative(path, paths.WHY)}"' in found[paths.WHY]
    assert found[paths.WHY].count("We do not know yet") == len(TOPICS)


def test_a_gap_names_the_command_that_fills_it(made) -> None:
    found = pages(made.evidence([made.row("a", 1.0)], []))
    assert "<code>bench collect --suite quick --weights both</code>" in found[paths.WHY_WEIGHTS]
    assert "--execution eager,compiled,cuda-graph" in found[paths.WHY_NEWER]


def test_a_command_measures_something(made) -> None:
    evidence = made.evidence([made.row("a", 1.0)], [])
    calls = {s.command for topic in TOPICS for s in topic(evidence).sections if s.command}
    assert len(calls) > len(TOPICS)
    for call in sorted(calls):
        words = call.split()
        if words[1] != "collect":
            continue
        suite = words[words.index("--suite") + 1]
        named = [words[n + 1] for n, word in enumerate(words) if word == "--workload"]
        for name in named or ["decode"]:
            assert WORKLOADS[name].cells(suite, "cuda"), call


def test_home_leads_to_the_explanations(example_data) -> None:
    evidence = load_evidence(example_data)
    kinds = {s.kind for s in surprises(evidence)}
    assert kinds, "the example has no finding"
    home = build(evidence).files[paths.HOME].decode()
    for kind in kinds:
        assert f'href="{paths.relative(EXPLAINED[kind], paths.HOME)}"' in home


def test_names_from_files_stay_text(made) -> None:
    evil = made.device("evil", name="<script>x</script> *b*", bandwidth_gb_s=1000.0, released="2022-10")
    rows = [made.row("evil", 100.0, half=0.01), made.row("evil", 80.0, half=0.01, device_count=6)]
    for text in pages(made.evidence(rows, [], devices=[evil])).values():
        assert "<script>" not in text
        assert "*b*" not in text


@pytest.mark.parametrize("topic", TOPICS)
def test_descriptions_fit_a_search_engine(made, topic) -> None:
    assert 50 <= len(topic(made.evidence([made.row("a", 1.0)], [])).description) <= 160
