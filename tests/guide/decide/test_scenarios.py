"""scenarios.toml: what is refused names the file and the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import BenchError
from guide.decide.scenarios import Selector, load_scenarios


def plain(**columns):
    return {
        "execution": None,
        "rate_kind": "burst",
        "workload": "decode",
        "model": None,
        "batch": 1,
    } | columns


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('objective = "fastest"', 'objective = "prettiest"'), "objective"),
        (('objective = "fastest"', 'objective = "fastest"\nbudget = 3'), "budget"),
        (('reader = "A reader."', ""), "reader"),
        (("min_systems = 2", 'min_systems = "two"'), "min_systems"),
        (('workload = "decode"', 'wrkload = "decode"'), "wrkload"),
        (("hours_per_day = 8", "hours_per_day = 80"), "hours"),
        (("hours_per_day = 8", "hours_per_day = -1"), "hours_per_day"),
        (("hours_per_day = 8", "hours_a_day = 8"), "hours_a_day"),
        (("usd_per_kwh = [0.1, 0.4]", 'usd_per_kwh = ["x"]'), "usd_per_kwh"),
        (
            ('tasks = [{ workload = "decode", model = "~8b" }]',
             'tasks = [{ workload = "decode" }, { workload = "prefill" }]'),
            "blended",
        ),
        (("[[scenario]]", "[[scenario]"), "TOML"),
        *(
            ((old, old.split("=")[0] + f"= {value}"), f"assumptions.{old.split()[0]}")
            for old in ("usd_per_kwh = 0.2", "years = 3", "hours_per_day = 8")
            for value in ("nan", "inf", "-inf", "1" + "0" * 400, "-1")
        ),
        (("hours_per_day = 8", "hours_per_day = 8\nbudget_usd = inf"), "budget_usd"),
        (("hours_per_day = 8", "hours_per_day = 8\nresale_share = 5"), "resale_share"),
        (("hours_per_day = 8", "hours_per_day = 8\nload_share = 50"), "load_share"),
        (("years = 3", "years = 1" + "0" * 9999), "TOML"),
        (("usd_per_kwh = [0.1, 0.4]", "usd_per_kwh = [0.1, 1e400]"), "grid.usd_per_kwh"),
        (("[0.8, 1.0, 1.25]", "[1, -1]"), "grid.price_factor"),
        (("[0.8, 1.0, 1.25]", "[nan]"), "grid.price_factor"),
        (("usd_per_kwh = [0.1, 0.4]", "hours_per_day = [8, 25]"), "grid.hours_per_day"),
        (("min_systems = 2", "min_systems = -2"), "min_systems"),
        (('objective = "fastest"', 'objective = "fastest"\nmax_power_w = nan'), "max_power_w"),
        (('objective = "fastest"', 'objective = "fastest"\nmax_devices = 0'), "max_devices"),
        (('workload = "decode"', 'workload = "decode", batch = nan'), "batch"),
        (('workload = "decode"', 'workload = "decode", batch = { min = "x" }'), "batch"),
        (('workload = "decode"', 'workload = "decode", weight = inf'), "weight"),
        (("min_systems = 2", 'floors = [{ workload = "decode", min_rate = nan }]'), "min_rate"),
        (("min_systems = 2", "floors = [3]"), "floors"),
        (("[[scenario]]", "a = " + "[" * 20_000 + "\n[[scenario]]"), "TOML"),
    ],
)  # fmt: skip
def test_a_slip_names_file_and_key(made, change: tuple[str, str], told: str) -> None:
    text = (made.scenario_text + made.question_text).replace(*change)
    with pytest.raises(BenchError) as caught:
        made.settings(text)
    assert "scenarios.toml" in caught.value.message
    assert told in caught.value.message


@pytest.mark.parametrize(
    "bounds", ["context = -4096", "context = 4096, batch = 0", "context = 1" + "0" * 400]
)
def test_a_need_of_no_size_is_refused(made, bounds: str) -> None:
    need = f'\nmust_fit = [{{ model = "Llama-3-8B", dtype = "fp16", {bounds} }}]'
    with pytest.raises(BenchError, match="must_fit"):
        made.settings(made.scenario_text + made.question_text + need)


def test_a_key_that_names_no_page_is_refused(made) -> None:
    text = made.scenario_text + made.question_text
    key = next(line for line in text.splitlines() if line.startswith("key = "))
    with pytest.raises(BenchError, match=r"scenarios\.toml, key 'scenario\[1\]\.key'"):
        made.settings(text.replace(key, 'key = "研究"'))


def test_a_file_of_another_encoding_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.toml"
    path.write_bytes('key = "Zürich"'.encode("latin-1"))
    with pytest.raises(BenchError, match="not UTF-8"):
        load_scenarios(path)


def test_keys_that_give_one_address_are_refused(made) -> None:
    text = made.scenario_text + made.question_text
    key = next(line for line in text.splitlines() if line.startswith("key = "))
    twin = text[text.index("[[scenario]]") :].replace(
        key, key.replace('"', '" ', 1).upper().replace("KEY", "key")
    )
    with pytest.raises(BenchError, match="one page address"):
        made.settings(text + "\n" + twin)


def test_a_need_of_unknown_size_is_refused(made) -> None:
    need = '\nmust_fit = [{ model = "Nobody-9B", dtype = "fp16", context = 4096 }]'
    with pytest.raises(BenchError, match="'Nobody-9B' in 'fp16' is not known"):
        made.settings(made.scenario_text + made.question_text + need)


def test_a_missing_file_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="No scenarios"):
        load_scenarios(tmp_path / "scenarios.toml")


def test_selectors() -> None:
    search = Selector((("workload", "decode"), ("model", "~8B")))
    assert search.matches(plain(model="Llama-3-8B"))
    assert not search.matches(plain(model="Llama-3-70B"))
    assert not search.matches(plain(model="Llama-3-8B", execution="compiled"))
    assert not search.matches(plain(model="Llama-3-8B", rate_kind="sustained"))
    many = Selector((("workload", "decode"), ("batch", (8, None))))
    assert many.matches(plain(batch=32))
    assert not many.matches(plain(batch=1))
    assert not many.matches(plain(batch=None))
