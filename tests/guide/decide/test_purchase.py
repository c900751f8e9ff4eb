"""A price that may be of a machine with less memory buys no more than the smallest that is known of."""

from __future__ import annotations

import pytest

from guide.decide.fit import Requirement, fit
from guide.recommend import answer

NEED = 'must_fit = [{ model = "Llama-3.1-70B", dtype = "q4_k_m", context = 8192 }]\n'


@pytest.fixture
def ask(made):
    """The answer where these observations alone price a machine that is sold with up to 192 GB."""

    def asked(*prices, need: str = NEED):
        rows = [made.row("mac", 100.0, half=0.01), made.row("card", 50.0, half=0.01)]
        devices = [
            made.device("mac", form="soc", memory_unified=True, memory_varies=True, memory_gib=192.0),
            made.device("card", memory_gib=96.0),
        ]
        evidence = made.evidence(
            rows, prices, devices=devices, text=made.scenario_text + made.question_text + need
        )
        return answer(evidence.settings.scenarios[0], evidence)

    return asked


def of_mac(found):
    return next(c for c in found.candidates if c.system.key == "mac")


def test_a_price_without_a_size_carries_no_pick_of_what_must_fit(made, ask) -> None:
    found = ask(made.price("mac", 2000.0, "system"))
    assert found.pick is None
    assert of_mac(found).reason_code == "price-size"
    assert "The price may be of a machine with less memory" in of_mac(found).reason
    assert "MAC, bought new: the price may be of a machine with less memory." in found.headline


def test_it_carries_one_where_nothing_must_fit(made, ask) -> None:
    assert ask(made.price("mac", 2000.0, "system"), need="").pick.system.key == "mac"


def test_a_price_of_the_largest_carries_one(made, ask) -> None:
    found = ask(made.price("mac", 9000.0, "system", note="Mac with the largest memory option"))
    assert found.pick.fit.sentence.endswith("usable 144\u00a0GiB.")


@pytest.mark.parametrize(("size", "fits"), [(48, False), (128, True)])
def test_the_smallest_size_that_an_older_price_names_is_judged(made, ask, size: int, fits: bool) -> None:
    older = made.price(
        "mac",
        4000.0,
        "system",
        provider=f"base ({size} GB, 60 cores)",
        observed_on=made.day.date().replace(year=2023),
    )
    found = ask(older, made.price("mac", 2000.0, "system-used"))
    used = next(c for c in found.candidates if c.route == "buy-used")
    assert used.fit.sentence.endswith(
        f"usable {size * 3 // 4}\u00a0GiB on the smallest size sold, {size}\u00a0GB."
    )
    assert (used.place == 1) is fits
    assert used.reason_code == ("pick" if fits else "price-size")


def test_a_price_that_names_its_memory_buys_that(made, ask) -> None:
    found = ask(made.price("mac", 2000.0, "system", provider="Shop (32 GB)"))
    assert found.pick is None
    assert "smallest size sold, 32\u00a0GB" in of_mac(found).reason


def test_a_name_that_could_be_of_two_sizes_says_which_was_taken(made) -> None:
    rows = [
        made.row(None, 100.0, half=0.01, device_name="Thing", origin="published", source_id="table"),
        made.row("card", 50.0, half=0.01),
    ]
    devices = [made.device(f"thing-{n}", name=f"Thing {n}GB", memory_gib=float(n)) for n in (8, 16)]
    systems = made.evidence(rows, [], devices=devices).systems.values()
    told = {s.name: fit(Requirement("Llama-3.1-8B", "fp16", 4096), s, ()).sentence for s in systems}
    assert told["Thing"].endswith("GiB (8\u00a0GB assumed: the name does not tell).")
    assert told["CARD"].endswith("GiB.")
