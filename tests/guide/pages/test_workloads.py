"""Workload pages: comparisons where there are any, reasons where there are none."""

from __future__ import annotations

import re

import pytest

from guide.context import Context
from guide.pages.workloads import PAGE
from guide.show.rows_html import rows_html
from guide.views import origins
from guide.views.extents import batch_by_length, family_table, rates_over_length
from guide.views.families import families
from guide.views.speedups import MAX_BARS, speedup_bars, standings_table


def pages(evidence) -> dict[str, str]:
    files = [f for f in PAGE.render(Context(evidence)) if f.path.endswith(".md") and not f.language]
    return {f.path: f.content.decode() for f in files}


def shown(table) -> list[list[str]]:
    return [
        [str(getattr(c, "shown", getattr(c, "reason", ""))) for _, c in table.cells(r)] for r in table.rows
    ]


def test_there_is_a_page_for_each_workload_and_an_index_of_them(made) -> None:
    rows = [made.row("a", 10.0), made.row("a", 10.0, workload="encode", output_tokens=None)]
    found = pages(made.evidence(rows, []))
    assert set(found) == {"workloads/index.md", "workloads/decode.md", "workloads/encode.md"}
    assert "bench collect --workload decode" in found["workloads/decode.md"]


def test_a_single_system_is_not_compared_with_itself(made) -> None:
    row = made.row("solo", 10.0, efficiency=0.5, bound="memory", first_token_ms=12.0, inter_token_p95_ms=7.5)
    text = pages(made.evidence([row], []))["workloads/decode.md"]
    assert "Only SOLO has run this here" in text
    assert "Speedup over" not in text
    for figure in ("50 %".replace(" ", "\u00a0"), "memory", "TTFT", "ITL p95", "7.5"):
        assert figure in text, figure


def test_bars_are_over_the_reference_and_name_kinds_that_nobody_timed(made) -> None:
    rows = [made.row("fast", 40.0, half=0.01), made.row("slow", 10.0, half=0.01, value_kind="inferred")]
    (task,) = made.evidence(rows, []).tasks
    chart = speedup_bars(task)
    assert [(f[0], f[1]) for f in chart.figures] == [("FAST", "×4.00"), ("SLOW", "×1.00 inferred")]
    assert chart.figures[0][2] == "3.94–4.06"


def test_more_systems_than_can_be_read_stay_in_the_table(made) -> None:
    rows = [made.row(f"card{n:02}", 10.0 + n) for n in range(MAX_BARS + 8)]
    (task,) = made.evidence(rows, []).tasks
    chart = speedup_bars(task)
    assert len(chart.figures) == MAX_BARS + 1  # the fastest, and the reference
    assert chart.figures[-1][1] == "×1.00"
    assert len(standings_table(task, {}).rows) == MAX_BARS + 8


def test_a_system_out_of_memory_is_in_the_table_with_the_reason(made) -> None:
    rows = [made.row("big", 10.0), made.row("mid", 9.0), made.row("small", None)]
    (task,) = made.evidence(rows, []).tasks
    rows = shown(standings_table(task, {}))
    assert any("out of memory" in cell for cell in rows[-1])
    assert "SMALL" in rows[-1][0]


def test_a_job_shows_its_time_with_its_ratio(made) -> None:
    job = {"workload": "finetune", "output_tokens": None}
    rows = [made.row("a", 50.0, job_s=60.0, **job), made.row("b", 1.25, job_s=2400.0, **job)]
    (task,) = made.evidence(rows, []).tasks
    table = standings_table(task, {})
    assert [c.key for c in table.columns][:3] == ["system", "tier", "job"]
    cells = [row["job"] for row in table.rows]
    assert [(c.shown.replace("\u00a0", " "), c.ratio) for c in cells] == [
        ("60 s", "×40.0"),
        ("40 min", "×1.00"),
    ]
    assert '<span class="data__ratio">(×40.0)</span>' in rows_html(table, lambda target: target)


def test_lengths_make_lines_and_batches_make_a_map(made) -> None:
    lengths = [made.row(d, 10.0 - n / 1000, output_tokens=n) for d in "ab" for n in (512, 1024, 4096)]
    (family,) = families(made.evidence(lengths, []).tasks)
    assert batch_by_length(family) is None
    assert len(rates_over_length(family).figures) == 6
    grid = [made.row("a", b * 5.0, output_tokens=n, batch=b) for n in (128, 512) for b in (1, 8)]
    grid[-1] = made.row("a", None, output_tokens=512, batch=8)
    (family,) = families(made.evidence(grid, []).tasks)
    assert rates_over_length(family) is None
    chart = batch_by_length(family)
    assert len(chart.figures) == 4
    assert any("out of memory" in cell for line in chart.figures for cell in line)


def test_a_cell_nobody_ran_says_so(made) -> None:
    rows = [made.row("a", 10.0), made.row("a", 9.0, output_tokens=512), made.row("b", 8.0)]
    (family,) = families(made.evidence(rows, []).tasks)
    by_system = {row[0]: row for row in shown(family_table(family, {}))}
    assert "not run" in next(row for name, row in by_system.items() if "B" in name)


def test_names_are_escaped(made) -> None:
    name = '<img src=x onerror="alert(1)">|*'
    rows = [made.row(None, 10.0, device_name=name), made.row("b", 5.0)]
    for path, text in pages(made.evidence(rows, [])).items():
        assert "<img" not in text, path


@pytest.mark.parametrize("published", [True, False])
def test_published_and_measured_never_share_a_table(made, published) -> None:
    paper = {"origin": "published", "value_kind": "stated", "source_id": "paper", "protocol": "paper"}
    rows = [made.row("a", 10.0), made.row("b", 20.0, **(paper if published else {}))]
    text = pages(made.evidence(rows, []))["workloads/decode.md"]
    assert ("Speedup over" in text) is not published


def paper(name: str) -> dict[str, str]:
    return {"origin": "published", "value_kind": "stated", "source_id": name, "protocol": name}


def test_a_source_among_others_has_a_page_of_its_own_and_its_old_address_still_leads_there(made) -> None:
    rows = [made.row("a", 10.0), made.row("b", 20.0, **paper("paper")), made.row("c", 5.0, **paper("paper"))]
    found = pages(made.evidence(rows, []))
    assert set(found) == {"workloads/index.md", "workloads/decode.md", "workloads/decode/paper.md"}
    page = found["workloads/decode.md"]
    assert "{ #origin-paper }" in page
    assert "](paper/)" in page
    assert "Fastest on" in page
    assert re.search(r'data-key="ratio:[^>]*><a [^>]*>×4.00</a></span> over C', page)
    assert "All systems:" not in page
    assert "All systems:" in found["workloads/decode/paper.md"]


def test_the_only_origin_of_a_workload_stays_on_its_page(made) -> None:
    rows = [made.row("b", 20.0, **paper("paper")), made.row("c", 5.0, **paper("paper"))]
    evidence = made.evidence(rows, [])
    found = pages(evidence)
    assert set(found) == {"workloads/index.md", "workloads/decode.md"}
    assert "All systems:" in found["workloads/decode.md"]
    assert {origins.page_of(evidence, task) for task in evidence.tasks} == {"workloads/decode.md"}


def test_more_families_than_a_page_can_bear_follow_on_bounded_further_pages(made, monkeypatch) -> None:
    monkeypatch.setattr(origins, "FAMILIES_A_PART", 2)
    monkeypatch.setattr(origins, "MAX_PARTS", 2)
    models = [f"Model {n:02}" for n in range(origins.MAX_FAMILIES + 6)]
    rows = [made.row(d, 10.0, model=m, **paper("paper")) for m in models for d in "ab"]
    evidence = made.evidence([*rows, made.row("a", 9.0)], [])
    found = pages(evidence)
    parts = [f"workloads/decode/paper{part}.md" for part in ("", "-2", "-3")]
    assert [path for path in found if "/decode/" in path] == parts
    told = [model for path in parts for model in models if f"## {model}" in found[path]]
    assert told == models[: origins.MAX_FAMILIES + 4]
    assert "2 further families".replace(" ", "\u00a0", 1) in found[parts[0]]
    assert all("](../paper-3/)" in found[path] for path in parts[:2])
