"""Surprises, the frontier and the multi-device view on invented rows."""

from __future__ import annotations

import random

import pytest

from guide.analysis.findings import surprises
from guide.analysis.frontier import frontier
from guide.analysis.scaleview import scale_view


def kinds(found) -> dict[str, object]:
    return {s.kind: s for s in surprises(found)}


def test_a_newer_card_that_loses(made) -> None:
    devices = [made.device("old", released="2022-10"), made.device("new", released="2025-01")]
    rows = [made.row("old", 100.0, half=0.01), made.row("new", 50.0, half=0.01)]
    found = kinds(made.evidence(rows, [], devices=devices))["newer-slower"]
    assert found.figure == pytest.approx(2.0)
    assert "×2.00" in found.sentence
    assert [r["device_id"] for r in found.rows] == ["new", "old"]


def test_a_tie_or_a_lesser_card_is_no_surprise(made) -> None:
    rows = [made.row("old", 100.0, half=0.01), made.row("new", 98.0, half=0.01)]
    devices = [made.device("old", released="2022"), made.device("new", released="2025")]
    assert "newer-slower" not in kinds(made.evidence(rows, [], devices=devices))
    rows = [made.row("old", 100.0, half=0.01), made.row("new", 50.0, half=0.01)]
    lesser = [devices[0], made.device("new", released="2025", bandwidth_gb_s=200.0)]
    assert "newer-slower" not in kinds(made.evidence(rows, [], devices=lesser))


def test_six_cards_slower_than_one(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("a", 80.0, half=0.01, device_count=6)]
    found = kinds(made.evidence(rows, []))["more-slower"]
    assert found.systems == ("a-x6", "a")
    assert "6 cards slower than one" in found.sentence
    assert "25\u00a0% more" in found.sentence


def test_dear_but_hardly_faster(made) -> None:
    rows = [made.row("dear", 115.0, half=0.01), made.row("fair", 100.0, half=0.01)]
    prices = [made.price("dear", 25_000.0), made.price("fair", 2_500.0)]
    found = kinds(made.evidence(rows, prices))["dear-but-close"]
    assert "×10.0 the price, 15\u00a0% faster" in found.sentence


def test_capacity(made) -> None:
    devices = [made.device("mac", memory_unified=True, form="soc", memory_gib=192.0)]
    rows = [made.row("mac", 5.0, half=0.01), made.row("card", None, device_count=4)]
    found = kinds(made.evidence(rows, [], devices=devices))["capacity-wins"]
    assert found.systems == ("mac", "card-x4")


def test_figures_that_contradict_their_source_surprise_nobody(made) -> None:
    rows = [made.row("a", 100.0), made.row("a", 10.0, device_count=4, flags=["source-anomaly"])]
    assert surprises(made.evidence(rows, [])) == ()


def test_a_disturbed_machine_surprises_nobody(made) -> None:
    rows = [made.row("a", 100.0, half=0.01), made.row("a", 80.0, half=0.01, device_count=6)]
    assert "more-slower" in kinds(made.evidence(rows, []))
    rows[1]["flags"] = ["contended"]
    assert not surprises(made.evidence(rows, []))


def test_the_frontier_is_what_nothing_beats_in_price_and_speed(made) -> None:
    rows = [made.row(k, r, half=0.01) for k, r in (("a", 10.0), ("b", 20.0), ("c", 15.0), ("d", 40.0))]
    prices = [made.price(k, p) for k, p in (("a", 100.0), ("b", 200.0), ("c", 300.0), ("d", 900.0))]
    found = made.evidence(rows, prices)
    points = frontier(found.tasks[0], found, "buy-new")
    assert [(p.system.key, p.on_frontier) for p in points] == [
        ("a", True),
        ("b", True),
        ("c", False),
        ("d", True),
    ]
    assert points[3].speed.value == pytest.approx(4.0)


def test_cards_and_computers_share_no_axis_unless_a_host_is_added(made) -> None:
    mac = made.device("mac", form="soc", memory_unified=True)
    rows = [made.row("card", 100.0, half=0.01), made.row("mac", 50.0, half=0.01)]
    found = made.evidence(
        rows, [made.price("card", 1500.0), made.price("mac", 2000.0, "system")], devices=[mac]
    )
    task = found.tasks[0]
    assert [p.system.key for p in frontier(task, found, "buy-new")] == ["card"]
    assert [p.system.key for p in frontier(task, found, "buy-new", basis="system")] == ["mac"]
    whole = frontier(task, found, "buy-new", host=found.settings.given)
    assert [(p.system.key, p.price.usd) for p in whole] == [("mac", 2000.0), ("card", 2400.0)]


def test_the_view_of_several_devices(made) -> None:
    mac = made.device("mac", form="soc", memory_unified=True, memory_gib=192.0, tdp_w=150.0)
    big = {"model": "Llama-3-70B", "weights_dtype": "q4_k_m"}
    rows = [
        made.row("card", 100.0, half=0.01),
        made.row("card", 90.0, half=0.01, device_count=2),
        made.row("mac", 30.0, half=0.01),
        made.row("card", None, **big),
        made.row("card", 15.0, half=0.01, device_count=2, **big),
        made.row("mac", 10.0, half=0.01, **big),
        made.row("unrelated", 50.0, half=0.01),
    ]
    prices = [made.price("card", 1000.0), made.price("mac", 5000.0, "system")]
    found = made.evidence(rows, prices, devices=[mac])
    view = scale_view(found)
    assert [p.system.key for p in view.points] == ["mac", "card-x2", "card"]
    by_key = {p.system.key: p for p in view.points}
    small = next(t.key for t in view.tasks if t.model == "Llama-3-8B")
    large = next(t.key for t in view.tasks if t.model == "Llama-3-70B")
    assert by_key["card-x2"].gains[small].value == pytest.approx(0.9)
    assert by_key["card-x2"].gains[large] is None
    assert by_key["card"].failed == "Llama 3 70B, Q4_K_M"
    assert by_key["mac"].largest == "Llama 3 70B, Q4_K_M"
    assert by_key["mac"].joules[large] == pytest.approx(15.0)
    assert by_key["card-x2"].whole_machine_usd == 2000 + 900 + 250
    assert by_key["mac"].whole_machine_usd == 5000


def test_the_view_takes_the_protocol_that_holds_both_sides(made) -> None:
    mac = made.device("mac", form="soc", memory_unified=True)
    training = {"protocol": "club", "workload": "mlperf-training", "model": "bert", "weights_dtype": None}
    rows = [made.row("big", 1.0 + n, device_count=n, **training) for n in (8, 64, 512, 4096)]
    rows += [made.row("card", 9.0, device_count=n, protocol="one-sided") for n in (2, 3, 4)]
    rows += [made.row("card", 9.0, device_count=2), made.row("mac", 3.0)]
    assert scale_view(made.evidence(rows, [], devices=[mac])).protocol == "hwguide"
    assert scale_view(made.evidence(rows[:-2], [], devices=[mac])).protocol == "one-sided"
    assert scale_view(made.evidence(rows[:4], [], devices=[mac])) is None


def test_devices_that_the_catalog_does_not_know_are_of_one_kind_by_their_name_alone(made) -> None:
    rows = [
        made.row(None, 50.0, device_name="Unknown A"),
        made.row(None, 90.0, device_name="Unknown A", device_count=2, run_id="two"),
        made.row(None, 10.0, device_name="Unknown B", run_id="other"),
        made.row(None, 99.0, device_name="Unknown C", device_count=2, run_id="third"),
    ]
    view = scale_view(made.evidence(rows, []))
    gains = {p.system.label: gain for p in view.points for gain in p.gains.values()}
    assert gains["2 × Unknown A"].value == pytest.approx(1.8)
    assert gains["2 × Unknown C"] is None  # not over another name's
    assert "Unknown B" not in {p.system.label for p in view.points}


def test_one_device_each_has_no_such_view(made) -> None:
    assert scale_view(made.evidence([made.row("a", 1.0)], [])) is None


def test_findings_do_not_depend_on_the_order_of_rows(made) -> None:
    rows = [
        made.row(k, 100.0 + n, half=0.01, device_count=c, output_tokens=t)
        for n, k in enumerate("abc")
        for c in (1, 4)
        for t in (512, 1024)
    ]
    rows = [r | {"rate": r["rate"] * (0.5 if r["device_count"] > 1 else 1), "rate_low": None} for r in rows]
    shuffled = rows[:]
    random.Random(2).shuffle(shuffled)
    assert surprises(made.evidence(rows, [])) == surprises(made.evidence(shuffled, []))
