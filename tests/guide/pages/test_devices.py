"""Device pages: what it is, what it costs, how fast, what fits, how many pay, and every reason for a gap."""

from __future__ import annotations

from datetime import timedelta

import pytest

from guide.pages.devices import facts
from guide.views import device_tables as tables
from guide.views import raw_rows
from guide.views.coverage import coverage_table, lines
from guide.views.devices import devices
from guide.views.families import families


@pytest.fixture
def several(made):
    rows = [
        made.row("card", 100.0, half=0.01),
        made.row("card", 90.0, half=0.01, device_count=2),
        made.row("card", None, model="Llama-3-70B"),
        made.row("card", 20.0, model="Llama-3-70B", device_count=2),
        made.row("other", 50.0, half=0.01),
    ]
    return made.evidence(rows, [made.price("card", 1500)])


def find(evidence, key):
    device = next(d for d in devices(evidence.systems.values()) if d.key == key)
    return device, [
        f for f in families(evidence.tasks) if any(t.of(s.key) for t in f.tasks for s in device.systems)
    ]


def words(table) -> list[dict[str, str]]:
    found = []
    for row in table.rows:
        cells = {}
        for column, cell in table.cells(row):
            text = getattr(cell, "reason", None) or f"{cell.shown} {cell.sub}"
            cells[column.key] = str(text).replace("\u00a0", " ").strip()
        found.append(cells)
    return found


def test_counts_of_one_device_share_a_page(several) -> None:
    device, _ = find(several, "card")
    assert [s.count for s in device.systems] == [1, 2]
    assert device.label == "CARD"
    assert device.path == "devices/card.md"


def test_speed_has_tier_reference_and_share_of_the_possible(several) -> None:
    device, tried = find(several, "card")
    eight = next(r for r in words(tables.standing_table(several, device, tried)) if "8B" in r["task"])
    assert eight["tier"] == "1 of 3"
    assert eight["speedup"].startswith("×2.00 over OTHER")
    assert "memory bandwidth" in eight["share"]
    seventy = next(r for r in words(tables.standing_table(several, device, tried)) if "70B" in r["task"])
    assert seventy["rate"] == "out of memory"


def test_more_devices_can_be_slower_and_can_run_what_one_cannot(several) -> None:
    device, tried = find(several, "card")
    found = words(tables.scaling_table(device, tried))
    eight, seventy = sorted(found, key=lambda r: "70B" in r["task"])
    assert "×0.900, 45 % of a perfect ×2" in eight["card-x2"]
    assert seventy["card"] == "out of memory"
    assert "one alone cannot run it" in seventy["card-x2"]
    single, its = find(several, "other")
    assert tables.scaling_table(single, its) is None


def test_a_measured_run_overrules_the_estimate_of_what_fits(several) -> None:
    device, _ = find(several, "card")
    by_need = {r["need"]: r for r in words(tables.fit_table(several, device))}
    seventy = next(r for need, r in by_need.items() if "70B" in need and "Q4" in need)
    assert seventy["card"].startswith("does not fit")
    assert "needs" in seventy["card-x2"] or "measured" in seventy["card-x2"]


def test_coverage_tells_out_of_memory_from_not_run(several) -> None:
    device, tried = find(several, "card")
    found = words(coverage_table(device, lines(device, tried)))
    (seventy,) = (r for r in found if "70B" in r["family"])
    assert (seventy["system"], seventy["ran"], seventy["out of memory"]) == ("1 ×", "0 of 1", "1")
    assert [(r["system"], r["ran"]) for r in found if r is not seventy] == [
        ("1 ×", "1 of 1"),
        ("2 ×", "2 of 2"),
    ]


def test_prices_have_days_and_sources(several) -> None:
    device, _ = find(several, "card")
    (new,) = words(tables.prices_table(several, device))
    assert new["usd"] == "$1,500"
    assert new["seen"] == "20 May 2026"
    other, _ = find(several, "other")
    assert tables.prices_table(several, other) is None


def test_rows_have_a_limit_and_explain_their_flags(made, monkeypatch) -> None:
    monkeypatch.setattr(raw_rows, "MAX_ROWS", 3)
    rows = [made.row("card", 10.0, output_tokens=n, flags=["no-log"]) for n in (1, 2, 3, 4, 5)]
    evidence = made.evidence(rows, [])
    device, tried = find(evidence, "card")
    found = raw_rows.raw_rows([t for f in tried for t in f.tasks], device)
    assert (len(found.table.rows), found.count) == (3, 5)
    assert found.meanings == (("no-log", "the source's log holds no line for the figure"),)
    assert set(found.anchors.values()) == {"#row-1", "#row-2", "#row-3"}


def test_unknown_figures_of_the_catalog_are_left_out(made) -> None:
    found = dict(facts(made.device("card", fp32_tflops=10.0)))
    assert found["Dense FP32"].replace("\u00a0", " ") == "10 TFLOP/s"
    assert "Dense fp8" not in found


def test_disturbed_rows_stay_among_the_rows_but_no_figure_leads_to_them(made) -> None:
    busy = made.row("card", 7.0, run_id="busy", flags=["contended"], recorded_at=made.day + timedelta(days=1))
    evidence = made.evidence([made.row("card", 10.0), busy], [])
    device, tried = find(evidence, "card")
    found = raw_rows.raw_rows([t for f in tried for t in f.tasks], device)
    assert [line["rate"].sort for line in found.table.rows] == [7.0, 10.0]
    assert found.table.rows[0]["flags"].sub == "passed over"
    assert set(found.anchors.values()) == {"#row-2"}


def test_processors_without_a_name_share_a_page_that_tells_them_apart(made) -> None:
    cpu = made.device("cpu-generic-x86", name="Anonymous x86 (cloud)", device_class="cpu", form="cpu")
    rows = [
        made.row(cpu.device_id, 10.0, run_id=kind, conditions=f'{{"cpu_capability": "{kind}"}}')
        for kind in ("AVX2", "AVX512")
    ]
    evidence = made.evidence(rows, [], devices=[cpu])
    device, tried = find(evidence, "cpu-generic-x86")
    assert device.label == "Anonymous x86 (cloud)"
    found = raw_rows.raw_rows([t for f in tried for t in f.tasks], device)
    assert {line["task"].sub for line in found.table.rows} == {
        "Anonymous x86 (cloud, AVX2)", "Anonymous x86 (cloud, AVX512)",
    }  # fmt: skip
    table = tables.standing_table(evidence, device, tried)
    assert [line["system"] for line in table.rows] == [s.label for s in device.systems]
