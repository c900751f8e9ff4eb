"""Grouping: what differs in extent belongs together, what differs otherwise does not; the headline rule."""

from __future__ import annotations

import json

from guide.views.families import OWN_PROTOCOL, extent_label, families, groups, headline


def tasks(made, rows):
    return made.evidence(rows, []).tasks


def test_a_family_differs_in_batch_and_lengths_only(made) -> None:
    rows = [
        made.row("a", 10.0, output_tokens=512),
        made.row("a", 9.0, output_tokens=4096),
        made.row("a", 30.0, batch=4),
        made.row("a", 8.0, weights_dtype="fp16"),
        made.row("a", 7.0, model="Llama-3-70B"),
        made.row("a", 90.0, workload="prefill", input_tokens=512, output_tokens=None),
    ]
    found = families(tasks(made, rows))
    assert sorted((f.label, len(f.tasks)) for f in found) == [
        ("Llama 3 70B, Q4_K_M, decode", 1),
        ("Llama 3 8B, FP16, decode", 1),
        ("Llama 3 8B, Q4_K_M, decode", 3),
        ("Llama 3 8B, Q4_K_M, prefill", 1),
    ]


def test_the_headline_is_what_most_systems_ran_then_one_stream_then_the_middle_length(made) -> None:
    both = [made.row(name, 5.0, output_tokens=n, batch=b) for name in "ab" for n, b in ((1024, 8), (512, 1))]
    alone = [made.row("a", 9.0, output_tokens=1024)]
    assert headline(tasks(made, both + alone)).columns["output_tokens"] == 512
    lengths = [made.row("a", 5.0, output_tokens=n) for n in (128, 700, 8192)]
    assert headline(tasks(made, lengths)).columns["output_tokens"] == 700


def test_origins_are_kept_apart_and_those_with_more_to_compare_come_first(made) -> None:
    published = {"origin": "published", "value_kind": "stated", "source_id": "paper", "protocol": "paper"}
    rows = [made.row("a", 5.0), made.row("a", 6.0, **published), made.row("b", 7.0, **published)]
    found = groups(tasks(made, rows), {})
    assert [(g.key, g.measured, g.systems) for g in found] == [("paper", False, 2), ("measured", True, 1)]
    assert {t.columns["protocol"] for t in found[1].tasks} == {OWN_PROTOCOL}


def test_a_task_is_told_apart_by_what_differs(made) -> None:
    found = tasks(made, [made.row("a", 5.0, batch=b) for b in (1, 8)])
    assert sorted(extent_label(t, found) for t in found) == ["batch 1", "batch 8"]
    assert "1,024 tokens" in extent_label(found[0])


def test_a_label_says_how_a_source_asked_and_no_two_families_share_one(made) -> None:
    def published(rate, protocol, **settings):
        return made.row(
            "a", rate, origin="published", value_kind="stated", source_id="bench", protocol=protocol,
            settings=json.dumps(settings),
        )  # fmt: skip

    rows = [
        published(5.0, "bench/v1", scenario="Offline"),
        published(4.0, "bench/v1", scenario="Server", engine="vLLM"),
        published(6.0, "bench/v2", scenario="Offline"),
        published(3.0, "bench/v1", inter_token_median="20 to 40 ms"),
    ]
    found = tasks(made, rows)
    assert sorted(f.label for f in families(found)) == [
        "Llama 3 8B, Q4_K_M, decode, 20 to 40 ms between tokens",
        "Llama 3 8B, Q4_K_M, decode, Offline, v1",
        "Llama 3 8B, Q4_K_M, decode, Offline, v2",
        "Llama 3 8B, Q4_K_M, decode, vLLM, Server",
    ]
    assert len({task.short_label for task in found}) == 4
    assert not any("[" in task.label for task in found)
