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
    ],
)  # fmt: skip
def test_a_slip_names_file_and_key(made, change: tuple[str, str], told: str) -> None:
    text = (made.scenario_text + made.question_text).replace(*change)
    with pytest.raises(BenchError) as caught:
        made.settings(text)
    assert "scenarios.toml" in caught.value.message
    assert told in caught.value.message


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
