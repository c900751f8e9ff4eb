"""Printed names: each one resolves to what it says, or to nothing."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.catalog import Catalog, resolve
from bench.errors import BenchError

HERE = Path(__file__).parent
CATALOG = Catalog.load(HERE.parents[2] / "data" / "devices.csv")

with (HERE / "printed_names.csv").open(encoding="utf-8", newline="") as file:
    NAMES = list(csv.DictReader(file))


@pytest.mark.parametrize("case", NAMES, ids=lambda c: f"{c['name']}|{c['memory_gib']}|{c['compute_units']}")
def test_printed_name(case):
    found = CATALOG.resolve(
        case["name"],
        memory_bytes=int(float(case["memory_gib"]) * 2**30) if case["memory_gib"] else None,
        compute_units=int(case["compute_units"]) if case["compute_units"] else None,
    )
    assert (found.device_id or "", found.partition or "", found.variant or "") == (
        case["device_id"], case["partition"], case["variant"],
    ), found.reason  # fmt: skip
    assert found.reason


@pytest.mark.parametrize("device", list(CATALOG), ids=lambda d: d.device_id)
def test_every_id_and_alias_means_its_own_device(device):
    for alias in (device.device_id, *device.aliases):
        assert CATALOG.resolve(alias).device_id == device.device_id
        assert CATALOG.resolve(f"  {alias.upper()} ").device_id == device.device_id


def test_an_ambiguous_name_says_between_which():
    found = CATALOG.resolve("NVIDIA H100")
    assert found.candidates == ("nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb", "nvidia-h100-nvl-94gb")
    assert all(device_id in found.reason for device_id in found.candidates)


def test_a_name_that_does_not_fit_says_what_does_not():
    assert "8.0 GiB do not fit it" in CATALOG.resolve("NVIDIA GeForce RTX 3060", memory_bytes=2**33).reason
    assert "114 cores do not fit it" in CATALOG.resolve("NVIDIA GeForce RTX 4090", compute_units=114).reason
    assert "6950" in CATALOG.resolve("AMD Radeon RX 6950 XT").reason


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Tesla V100-SXM3-32GB", "but 'sxm3' is no part"),
        ("NVIDIA GeForce RTX 4090 Ti", "like nvidia-rtx-4090, but 'ti'"),
        ("NVIDIA RTX PRO 4500 Blackwell Server Edition", "like nvidia-rtx-pro-4500-blackwell, but 'server'"),
        ("NVIDIA GeForce RTX 2080 Super", "'Super' for its laptop part"),
        ("NVIDIA GeForce RTX 3080 ...", "cut short"),
        ("MIG 1g.5gb", "a device that is not named"),
        ("NVIDIA L4; NVIDIA L40", "'nvidia l4', 'nvidia l40'"),
        ("GeForce RTX 3090 GeForce RTX 3090 Ti", "stands in it twice"),
        ("gfx1100", "an architecture, not a device"),
    ],
)
def test_the_reason_says_what_is_not_sure(name, words):
    found = CATALOG.resolve(name)
    assert found.device_id is None
    assert words in found.reason


@pytest.mark.parametrize(
    "around", ["\x1b[32m{}\x1b[0m", "\x1b]0;x\x07{}", "\u200e{}\u202c", "{}\x00", "\u00a0{}\t"]
)
def test_what_does_not_print_does_not_matter(around):
    name = "NVIDIA GeForce RTX 4090"
    assert CATALOG.resolve(around.format(name)).device_id == "nvidia-rtx-4090"
    assert CATALOG.resolve(around.format(f"{name} D")).device_id == "nvidia-rtx-4090-d"


def test_letters_of_other_scripts_count_as_words():
    """A look-alike letter, or a word for 'laptop' in Chinese, must not be passed over."""
    for name in (
        "NVIDIA \u0410100-SXM4-40GB",
        "NVIDIA GeForce RTX 4060 移动版",
        "NVIDIA GeForce RTX 4090 \u0414",
    ):
        assert CATALOG.resolve(name).device_id is None
    assert CATALOG.resolve("ＧｅＦｏｒｃｅ　ＲＴＸ　４０９０").device_id == "nvidia-rtx-4090"


@pytest.mark.parametrize(
    "text",
    [
        "NVIDIA GeForce RTX 4090 " * 40_000,
        "NVIDIA GeForce RTX 4090" + " " * 2_000 + "Laptop GPU",
        "\ufdfa" * 1_000,  # each becomes 18 letters
    ],
)
def test_what_is_too_long_is_no_name_and_is_not_cut_to_one(text):
    found = CATALOG.resolve(text)
    assert found.device_id is None
    assert f"a text of {len(text):,} characters" in found.reason


def test_long_names_are_not_kept():
    catalog = Catalog(CATALOG.devices)
    for number in range(50):
        catalog.resolve(f"{'x' * 1_000} {number}")
    assert not catalog._resolved


@pytest.mark.parametrize(
    ("name", "gib", "units", "reason"),
    [
        ("NVIDIA GeForce RTX 3080", 9.8, None, "of 2 devices called so, the one that 9.8 GiB fit"),
        ("NVIDIA H100", 79.6, 132, "of 3 devices called so, the one that 79.6 GiB and 132 units fit"),
        ("NVIDIA GeForce RTX 4060 Ti 16GB", None, None, "the one that the memory in the name tells"),
        ("Quadro RTX 6000/8000", 47.5, None, "of 2 devices called so, the one that 47.5 GiB fit"),
        ("NVIDIA GeForce RTX 4090", 47.4, None, "twice its memory"),
        ("RTX 4090 48GB", None, None, "twice its memory"),
        ("gfx90a", 63.98, 110, "the one device of gfx90a with 110 units and 64 GiB"),
        ("AMD Instinct MI250X", 63.98, 110, "one of the 2 devices that software sees"),
    ],
)
def test_the_reason_says_what_decided(name, gib, units, reason):
    found = CATALOG.resolve(name, memory_bytes=int(gib * 2**30) if gib else None, compute_units=units)
    assert found.device_id is not None
    assert reason in found.reason


_NAMED = [(d.device_id, a) for d in CATALOG for a in d.aliases if not a.startswith("gfx")]


@given(
    st.sampled_from(_NAMED), st.sampled_from(_NAMED), st.sampled_from([", ", "; ", " & ", " + ", "\n", " | "])
)
@settings(max_examples=300, deadline=None)
def test_two_devices_together_are_neither(one, other, between):
    found = CATALOG.resolve(f"{one[1]}{between}{other[1]}")
    assert found.device_id in (None, one[0] if one[0] == other[0] else None)


@given(st.text(max_size=600))
@settings(max_examples=300, deadline=None)
def test_any_text_gets_an_answer(text):
    found = CATALOG.resolve(text)
    assert found.device_id is None or found.device_id in CATALOG.devices


@given(
    st.sampled_from([d for d in CATALOG if d.aliases]), st.from_regex(r"[a-z]{3,6}[0-9]{2,3}", fullmatch=True)
)
@settings(max_examples=200, deadline=None)
def test_a_word_that_is_not_accounted_for_leaves_no_device(device, word):
    known = {
        w for d in CATALOG for a in (d.name, d.architecture or "", *d.aliases) for w in a.lower().split()
    }
    if any(word in w for w in known) or word.startswith(("gfx", "gpu", "hbm", "gddr", "lpddr", "mib")):
        return
    assert CATALOG.resolve(f"{device.aliases[0]} {word}").device_id is None


def test_without_a_catalog_the_nearest_projects_one_answers(tmp_path, monkeypatch):
    monkeypatch.chdir(HERE)
    assert resolve("NVIDIA GeForce RTX 4090").device_id == "nvidia-rtx-4090"
    assert resolve("NVIDIA H100").device_id is None
    assert resolve("NVIDIA H100 80GB HBM3").device_id == "nvidia-h100-sxm5-80gb"
    assert resolve("NVIDIA GeForce RTX 3060", memory_bytes=12 * 2**30).device_id == "nvidia-rtx-3060-12gb"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "devices.csv").write_text((HERE.parents[2] / "data" / "devices.csv").read_text())
    monkeypatch.chdir(tmp_path)
    assert resolve("NVIDIA L4").device_id == "nvidia-l4"
    monkeypatch.chdir(tmp_path.parent)
    with pytest.raises(BenchError, match=r"devices\.csv"):
        resolve("NVIDIA L4")
