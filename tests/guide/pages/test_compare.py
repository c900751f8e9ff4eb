"""Compare: what the browser is given, and the pairs that are there without it."""

from __future__ import annotations

import json
import re

import pytest

from guide.context import Context
from guide.model import System
from guide.pages.compare import PAGE
from guide.views import pairs, rivals
from guide.views.devices import by_name


@pytest.fixture
def evidence(made):
    rows = [
        made.row("a", 100.0, half=0.01),
        made.row("b", 50.0, half=0.01),
        made.row("b", None, model="Llama-3-70B"),
        made.row("a", 7.0, model="Llama-3-70B"),
        made.row("mac", 49.0, half=0.01),
        made.row("dear", 300.0),
    ]
    prices = [
        made.price("a", 1000),
        made.price("b", 900),
        made.price("dear", 9000),
        made.price("mac", 2000, "system"),
    ]
    mac = made.device("mac", memory_unified=True, form="soc", memory_gib=64.0)
    return made.evidence(rows, prices, devices=[mac])


def test_the_data_holds_every_result_with_its_interval_and_every_reason(evidence) -> None:
    data = json.loads(pairs.data(evidence))
    assert [s["key"] for s in data["systems"]] == ["a", "b", "dear", "mac"]
    eight = next(str(n) for n, t in enumerate(data["tasks"]) if "8B" in t["label"])
    seventy = next(str(n) for n, t in enumerate(data["tasks"]) if "70B" in t["label"])
    assert data["results"]["a"][eight][:3] == [100.0, 99.0, 101.0]
    assert data["results"]["b"][seventy] == [None, "out of memory"]
    assert data["results"]["a"][seventy][1:3] == [None, None]
    facts = dict(next(s for s in data["systems"] if s["key"] == "a")["facts"])
    assert "$1,000" in facts["Price new"]


def test_pairs_compete_for_one_budget(evidence) -> None:
    found = {(p.a.key, p.b.key) for p in rivals.asked_pairs(evidence)}
    assert ("a", "b") in found
    assert not any("dear" in pair for pair in found)
    assert all(p.prices for p in rivals.asked_pairs(evidence))
    # A card and the computer around it cost about as much as the machine with unified memory.
    assert ("b", "mac") in found
    assert ("a", "mac") in found


def test_the_first_of_a_pair_is_the_faster_one(evidence) -> None:
    rows = rivals.pairs_table(rivals.asked_pairs(evidence)).rows
    assert rows
    assert all(row["most"].sort >= 1 for row in rows)


def test_sizes_of_one_device_and_devices_without_a_price_do_not_compete(made) -> None:
    rows = [made.row(k, 10.0, device_name=k.upper()) for k in ("a", "b", "c")]
    assert rivals.asked_pairs(made.evidence(rows, [made.price("a", 100)])) == []


def test_a_pair_counts_its_verdicts(evidence) -> None:
    found = rivals.pair(evidence.systems["a"], evidence.systems["b"], evidence.tasks)
    assert len(found.tasks) == 1
    assert found.verdicts == {"faster": 1}
    tied = rivals.pair(evidence.systems["b"], evidence.systems["mac"], evidence.tasks)
    assert tied.verdicts == {"tied": 1}


def test_the_page_names_its_data_by_content(evidence) -> None:
    files = {f.path: f.content for f in PAGE.render(Context(evidence))}
    told = []
    for path, up in (("compare.md", ".."), ("zh/compare.md", "../..")):
        page = files[path].decode()
        (data,), (keys,) = (
            re.findall(rf'data-{name}="{up}/(assets/[^"]+)"', page) for name in ("src", "keys")
        )
        known = json.loads(files[data])["results"]
        found = json.loads(files[keys])
        assert {s: set(r) for s, r in found.items()} == {s: set(r) for s, r in known.items()}
        told.append(data)
    assert len(set(told)) == 2
    assert "a=a&amp;b=b" in files["compare.md"].decode()


def test_systems_are_listed_by_name_and_then_by_how_many_there_are() -> None:
    listed = [
        System(f"{name}-{count}", name if count == 1 else f"{count} × {name}", name, None, count)
        for name, count in [("A40", 1), ("A100", 1), ("A100", 2), ("A100", 128), ("A100", 1024), ("b 7", 4)]
    ]
    as_text = sorted(listed, key=lambda s: s.label)
    assert as_text != listed
    assert sorted(as_text, key=by_name) == listed
    assert sorted([*listed, System("c", "4090 D", "4090 D", None, 1)], key=by_name)[0].key == "c"


@pytest.mark.parametrize("name", ["²", "card ٣", "card²", "007", "2 × card", ""])
def test_any_name_has_a_place_in_a_list(name) -> None:
    odd = System("odd", name, name, None, 1)
    known = System("known", "2 × A100", "A100", None, 2)
    assert {s.key for s in sorted([odd, known], key=by_name)} == {"odd", "known"}
