"""A reader's own machine: dropped, read in the browser alone, shown beside the guide's, forgotten."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from guide import paths
from guide.views.origins import page_of

ROOT = Path(__file__).resolve().parents[3]
DEVICE = "NVIDIA GeForce RTX 3070"


def test_a_run_is_read_here_and_nothing_is_sent(visit, panel, files, mine, built_site) -> None:
    window = visit()
    own = panel(window)
    policy = own.page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "connect-src 'self'" in policy
    own.page.wait_for_load_state("networkidle")
    window.requested.clear()
    sent: list[str] = []
    own.page.on("request", lambda r: sent.append(f"{r.method}{r.post_data or ''}{urlsplit(r.url).query}"))
    own.drop(files.parquet(mine))
    expect(own.machine).to_contain_text(DEVICE)
    own.page.wait_for_load_state("networkidle")
    asked = {urlsplit(url).path.lstrip("/") for url in window.requested}
    asked -= {"images/favicon.svg"}  # a browser fetches it when it likes
    vendored = {p.relative_to(built_site).as_posix() for p in (built_site / "vendor").rglob("*.js")}
    assert asked
    assert asked <= vendored, "something else than the reader of Parquet was asked for"
    assert set(sent) == {"GET"}


def test_json_is_read_without_any_request(visit, panel, files, mine) -> None:
    window = visit()
    own = panel(window)
    own.page.wait_for_load_state("networkidle")
    window.requested.clear()
    own.choose(files.json(mine))
    expect(own.machine).to_contain_text(DEVICE)
    asked = {urlsplit(url).path.lstrip("/") for url in window.requested}
    assert asked <= {"images/favicon.svg"}  # a browser fetches it when it likes


def test_who_drops_nothing_loads_nothing_of_it(visit) -> None:
    window = visit()
    page = window.open("compare/")
    expect(page.locator("#own")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert [url for url in window.requested if "/vendor/hyparquet/" in url or "/vendor/fzstd/" in url] == []
    window.requested.clear()
    window.open("methodology/")
    page.wait_for_load_state("networkidle")
    assert window.requested
    assert [url for url in window.requested if "/js/own/" in url or "own.json" in url] == []


@pytest.mark.parametrize("form", ["bench show --json", "bench collect --json", "lines"])
def test_each_form_of_json(visit, panel, files, mine, form) -> None:
    document = {"run_id": "mine", "path": "x", "suite": "quick", "stopped": None, "resume": None}
    path = {
        "bench show --json": lambda: files.json(mine),
        "bench collect --json": lambda: files.json(document | {"rows": mine}),
        "lines": lambda: files.lines(mine),
    }[form]()
    own = panel(visit())
    own.choose(path)
    expect(own.machine).to_contain_text(DEVICE)
    assert own.count() == len(mine)


def test_a_run_that_is_in_the_repository_is_read(visit, panel, files) -> None:
    """The example's tasks may be none of this run's: then it says that, having read it."""
    run = sorted((ROOT / "data" / "runs").rglob("*.parquet"))[0]
    own = panel(visit())
    own.choose(run)
    expect(own.machine.or_(own.refusal)).to_be_visible()
    if own.refusal.count():
        expect(own.refusal).to_contain_text("of this file has a counterpart in the guide")
    else:
        assert own.count() > 5


def test_a_rate_of_a_large_device_is_read(visit, panel, files, mine) -> None:
    """A product of matrices: 2e15 FLOP/s, as a B200 reaches."""
    own = panel(visit())
    ends = {"rate": 2e15, "rate_low": 1.99e15, "rate_high": 2.01e15, "rate_unit": mine[0]["rate_unit"]}
    own.choose(files.parquet([mine[0] | ends, *mine[1:]]))
    expect(own.machine).to_be_visible()
    assert own.count() == len(mine)
    assert own.page.evaluate("hwguideOwn.machine.figures.map((f) => f.values[0])").count(2e15) == 1


def test_the_guides_own_results_are_read(visit, panel, built_site) -> None:
    own = panel(visit())
    own.choose(built_site / "downloads" / "results.parquet")
    expect(own.machine).to_be_visible()
    assert own.page.locator(".own__which option").count() > 1


ALREADY = "These results are already in the guide"


def test_a_run_that_the_guide_holds_is_said_to_be_held(visit, panel, files, evidence, mine) -> None:
    runs = {r["run_id"] for r in evidence.rows if r["protocol"] == "hwguide" and r["status"] == "ok"}
    own = panel(visit())
    own.choose(files.parquet([r for r in evidence.rows if r["run_id"] == min(runs)]))
    expect(own.page.locator(".own__note").first).to_contain_text(ALREADY)
    own.choose(files.parquet(mine))
    expect(own.machine).to_contain_text(DEVICE)
    expect(own.page.locator(".own__note").first).not_to_contain_text(ALREADY)


def test_it_is_one_of_the_systems_that_are_compared(visit, panel, files, mine) -> None:
    own = panel(visit())
    own.choose(files.parquet(mine))
    expect(own.page.locator("#compare-a")).to_have_value("own")
    expect(own.page.locator(".compare__summary")).to_contain_text(f"Your machine ({DEVICE})")
    assert own.page.evaluate("location.hash").startswith("#a=own&b=")


def test_it_stands_in_the_charts_and_tables_of_its_tasks(
    visit, panel, files, mine, evidence, charts_are_live
) -> None:
    keys = {row["task_key"] for row in mine}
    task = next(t for t in evidence.tasks if t.key in keys and len(t.standings) > 1)
    window = visit()
    own = panel(window)
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    page = window.open(paths.address(page_of(evidence, task)))
    row = page.locator("table[data-own] tfoot .own__row").first
    expect(row).to_contain_text("Your machine")
    expect(row).to_contain_text(DEVICE)
    rated = page.evaluate(
        "() => JSON.parse(document.querySelector('table[data-own]').dataset.own).tasks[0][0]"
    )
    shown = page.evaluate("k => hwguideOwn.result(k)[5]", rated)
    expect(row).to_contain_text(shown.split(" [")[0])
    # Never among the guide's rows, never in a tier.
    rows = page.evaluate("document.querySelector('table[data-own]').tBodies[0].rows.length")
    about = evidence.task(rated)
    assert rows == len(about.standings) + len(about.failures)
    tier = page.evaluate(
        """() => { const table = document.querySelector("table[data-own]");
          const at = [...table.tHead.rows[0].cells].findIndex((c) => c.dataset.key === "tier");
          return table.querySelector(".own__row").cells[at].textContent; }"""
    )
    assert tier == "–"
    assert charts_are_live(page)
    chart = page.locator(".chart[data-own]").first
    times = page.evaluate(
        """key => { const { reference } = hwguideOwn.matched().guide.tasks[key];
          return hwguideFigures.times(hwguideOwn.over(key, reference).value); }""",
        chart.evaluate("e => JSON.parse(e.dataset.own).tasks[0][0]"),
    )
    expect(chart.locator("svg.marks")).to_contain_text("Your machine")
    expect(chart.locator("svg.marks")).to_contain_text(times)
    expect(page.locator(".own__line").first).to_contain_text("Your machine")


def test_it_stands_in_an_answer_with_the_guides_numbers_and_with_the_readers(
    visit, panel, files, llama, evidence, built_site, charts_are_live
) -> None:
    """One question of the example is about Llama 3 8B Q4_K_M writing 1,024 tokens."""
    window = visit()
    own = panel(window)
    own.choose(files.json([llama(seconds=(15, 15.1, 15.2), n_prompt=0, n_gen=1024)]))
    expect(own.machine).to_be_visible()
    (key,) = own.page.evaluate("hwguideOwn.matched().keys")
    shown = own.page.evaluate("k => hwguideOwn.result(k)[5].split(' [')[0]", key)
    asked = [
        p for p in sorted((built_site / "scenarios").glob("*/index.html")) if key in p.read_text("utf-8")
    ]
    assert asked, "no answer of the example rests on this task"
    path = f"scenarios/{asked[0].parent.name}/"
    page = window.open(path)
    guides = page.locator("[data-guide=ranking] .own__row")
    expect(guides).to_contain_text(shown)
    assert charts_are_live(page)
    expect(page.locator(".chart[data-own] svg.marks").first).to_contain_text(f"Your machine: {shown}")
    window.open("methodology/")
    page = window.open(f"{path}#h=7")
    expect(page.locator("[data-yours=ranking] .own__row")).to_contain_text(shown)


def about(page) -> list[dict]:
    """What the page's charts and tables say of themselves."""
    return page.evaluate("[...document.querySelectorAll('[data-own]')].map((e) => JSON.parse(e.dataset.own))")


def test_it_stands_in_the_cells_of_a_heat_map(visit, panel, files, mine, evidence, charts_are_live) -> None:
    window = visit()
    own = panel(window)
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    page = window.open("workloads/prefill/")
    (map_,) = [one for one in about(page) if one.get("kind") == "tiles"]
    told = {x: key for x, _, key in map_["points"]} | {key: key for *_, key in map_["points"]}
    shown = [
        text
        for key in set(told.values())
        if (
            text := page.evaluate(
                "k => hwguideOwn.result(k) && hwguideFigures.number(hwguideOwn.result(k)[0])", key
            )
        )
    ]
    assert shown, "the machine ran none of the map's cells"
    chart = page.locator(".chart[data-own*=tiles]")
    assert charts_are_live(page)
    for text in shown:
        expect(chart.locator("svg.marks")).to_contain_text(f"yours {text}")
        expect(chart.locator("+ .own__line")).to_contain_text(text)


def test_it_stands_beside_several_devices(visit, panel, files, llama, evidence, charts_are_live) -> None:
    """The page about several devices: bars of rates, lines over their number, what ran, and what it costs."""
    window = visit()
    page = window.open("multi-gpu-or-apple/")
    kinds = [one for one in about(page) if "kind" in one]
    rates = [one["tasks"][0][0] for one in kinds if one["kind"] == "bars" and one.get("first") == "rate"]
    decode = next(key for key in rates if evidence.task(key).workload == "decode")
    task = evidence.task(decode)
    assert (task.model, task.columns["weights_dtype"]) == ("Llama-3-70B", "q4_k_m")
    own = panel(window)
    one = {
        "model_type": "llama 70B Q4_K - Medium",
        "model_n_params": 70_553_706_496,
        "model_size": 42_511_000_000,
    }
    own.choose(files.json([llama(seconds=(64, 64.1, 64.2), n_prompt=0, n_gen=1024, **one)]))
    expect(own.machine).to_be_visible()
    shown = own.page.evaluate("k => hwguideFigures.number(hwguideOwn.result(k)[0])", decode)
    page = window.open("multi-gpu-or-apple/")
    assert charts_are_live(page)
    bars = page.locator(f".chart[data-own*='{decode}'][data-own*=bars]")
    expect(bars.locator("svg.marks")).to_contain_text("Your machine")
    expect(bars.locator("svg.marks")).to_contain_text(shown)
    expect(bars.locator("+ .own__line")).to_contain_text(shown)
    held = page.locator("table[data-own*=ran] .own__row")
    expect(held).to_contain_text("runs")
    expect(held).to_contain_text("not in your file")
    expect(page.locator(f"table[data-own*='{decode}'] .own__row").last).to_contain_text(shown)


def test_it_stands_at_its_number_of_devices(visit, panel, files, llama, evidence, charts_are_live) -> None:
    window = visit()
    page = window.open("multi-gpu-or-apple/")
    counts = [one["tasks"][0][0] for one in about(page) if one.get("kind") == "count"]
    task = next(t for key in counts if (t := evidence.task(key)).workload == "decode")
    weights = {"fp16": ("F16", 2.0), "q4_k_m": ("Q4_K - Medium", 0.603)}[task.columns["weights_dtype"]]
    size = {"Llama-3-8B": ("8B", 8_030_261_248), "Llama-3-70B": ("70B", 70_553_706_496)}[task.model]
    one = {
        "model_type": f"llama {size[0]} {weights[0]}", "model_n_params": size[1],
        "model_size": int(size[1] * weights[1]), "gpu_info": f"{DEVICE}, {DEVICE}",
    }  # fmt: skip
    own = panel(window)
    tokens = task.columns["output_tokens"]
    own.choose(files.json([llama(seconds=(200, 200.1, 200.2), n_prompt=0, n_gen=tokens, **one)]))
    expect(own.machine).to_be_visible()
    page = window.open("multi-gpu-or-apple/")
    assert charts_are_live(page)
    chart = page.locator(f".chart[data-own*='{task.key}'][data-own*=count]")
    expect(chart.locator("svg.marks")).to_contain_text("Your machine")
    expect(chart.locator("+ .own__line")).to_contain_text("at 2 devices")


def test_sorting_and_choosing_columns_leave_it_in_its_place(
    visit, panel, files, llama, evidence, charts_are_live
) -> None:
    window = visit()
    own = panel(window)
    own.choose(files.json([llama()]))
    expect(own.machine).to_be_visible()
    (key,) = own.page.evaluate("hwguideOwn.matched().keys")
    shown = own.page.evaluate("k => hwguideOwn.result(k)[5].split(' [')[0]", key)
    page = window.open(paths.address(page_of(evidence, evidence.task(key))))
    charts_are_live(page)  # a bar more makes them higher, and a press must not meet a heading that moves away
    box = page.locator(".data").filter(has=page.locator(".own__row")).filter(has_text=shown).first
    cells, headings = box.locator(".own__row > *"), box.locator("thead th")
    expect(cells.first).to_contain_text("Your machine")
    count = headings.count()
    headings.first.locator(".data__sort").click()
    expect(headings.first).to_have_attribute("aria-sort", "ascending")
    expect(cells).to_have_count(count)
    hidden = 1 if headings.nth(1).get_attribute("data-task") != key else 2
    box.locator("[data-do=columns]").click()
    box.locator(".data__panel input[type=checkbox]").nth(hidden).uncheck()
    expect(headings).to_have_count(count - 1)
    expect(cells).to_have_count(count - 1)
    place = box.locator(f"th[data-task='{key}']").evaluate("e => e.cellIndex")
    expect(cells.nth(place)).to_contain_text(shown)
    # It is where it was: in a group of its own between the headings and the guide's rows.
    parts = [box.locator(f"{name} tr").first.bounding_box()["y"] for name in ("thead", "tfoot", "tbody")]
    assert parts == sorted(parts)


def test_columns_of_tasks_and_rows_of_figures_take_it_in(visit, panel, files, llama, evidence) -> None:
    window = visit()
    own = panel(window)
    own.choose(files.json([llama(), llama(seconds=(8, 8.1, 8.2), n_prompt=0, n_gen=512)]))
    expect(own.machine).to_be_visible()
    key = own.page.evaluate("hwguideOwn.matched().keys[0]")
    page = window.open(paths.address(page_of(evidence, evidence.task(key))))
    column = page.locator(f"th[data-task='{key}']").first
    expect(column).to_be_attached()
    table = page.locator("table.data__table").filter(has=page.locator(f"th[data-task='{key}']")).first
    place = column.evaluate("e => e.cellIndex")
    cells = table.locator("tfoot .own__row > *")
    shown = page.evaluate("k => hwguideOwn.result(k)[5]", key)
    expect(cells.nth(place)).to_contain_text(shown.split(" [")[0])
    texts = cells.all_inner_texts()
    assert "not in your file" in texts


def test_it_is_kept_for_the_visit_and_forgotten_at_a_press(visit, panel, files, mine) -> None:
    own = panel(visit())
    page = own.page
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    page.reload()
    expect(own.machine).to_contain_text(DEVICE)
    expect(page.locator(".own__note").first).to_contain_text("until you close this tab")
    assert "3070" not in page.evaluate("JSON.stringify(localStorage) + document.cookie")
    page.locator(".own__forget").click()
    expect(own.machine).to_have_count(0)
    expect(own.said).to_contain_text("Forgotten")
    assert "3070" not in page.evaluate("JSON.stringify(sessionStorage)")
    expect(page.locator("#compare-a option[value=own]")).to_have_count(0)
    page.reload()
    expect(page.locator("#own")).to_be_visible()
    expect(own.machine).to_have_count(0)


def test_it_comes_along_when_a_link_is_followed_and_back(visit, panel, files, mine) -> None:
    """Instant navigation replaces the content of the page; the scripts stay."""
    own = panel(visit())
    page = own.page
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    page.evaluate("window.stays = true")
    page.locator(".own__pages a").first.click()
    expect(page.locator(".own__row").first).to_contain_text(DEVICE)
    page.go_back()
    expect(own.machine).to_contain_text(DEVICE)
    expect(page.locator("#compare-a")).to_have_value("own")
    assert page.evaluate("window.stays"), "the pages were loaded anew: this is no instant navigation"
    page.locator(".own__forget").click()
    page.go_forward()
    expect(page.locator("h1")).not_to_have_text("Compare any two")
    expect(page.locator(".own__row")).to_have_count(0)


def test_another_tab_knows_nothing_of_it(visit, panel, files, mine) -> None:
    window = visit()
    own = panel(window)
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    other = window.context.new_page()
    other.goto(window.base + "compare/")
    expect(other.locator("#own")).to_be_visible()
    assert other.evaluate("hwguideOwn.machine") is None


def test_several_machines_of_a_file_can_be_chosen(visit, panel, files, mine, evidence) -> None:
    changes = {"device_name": "NVIDIA L4", "host_id": "other", "run_id": "other"}
    other = files.own_rows(evidence.rows, 5.0, **changes)[:2]
    own = panel(visit())
    own.choose(files.parquet([*mine, *other]))
    expect(own.machine).to_contain_text(DEVICE)
    own.page.get_by_label("Which of the machines in the file?").select_option("1")
    expect(own.machine).to_contain_text("NVIDIA L4")
    assert own.count() == len(other)


def test_what_an_upgrade_costs_is_shown_and_only_for_a_gain(visit, panel, files, llama) -> None:
    own = panel(visit())
    own.choose(files.json([llama()]))
    table = own.page.locator(".own__gains table")
    expect(table).to_contain_text("bare card")
    texts = table.locator("tbody tr").all_inner_texts()
    gains = [text for text in texts if "no gain" not in text]
    assert any("$" in text for text in gains), "no upgrade has a price"
    assert all("slower" in text or "tied" in text for text in texts if "no gain" in text)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_a_machine_the_page_is_accessible_and_no_wider(
    visit, panel, files, mine, serious, width, scheme
) -> None:
    own = panel(visit(width=width, scheme=scheme))
    own.choose(files.parquet(mine))
    expect(own.machine).to_be_visible()
    assert serious(own.page) == []
    assert own.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_file_button_works_with_the_keyboard(visit, panel) -> None:
    page = panel(visit()).page
    expect(page.locator("#own")).to_be_visible()
    page.locator(".own__file").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    assert "own__file" in chooser.value.element.get_attribute("class")


def test_a_phone_shows_the_start_of_a_comparison_and_opens_the_rest(visit) -> None:
    page = visit(width=390).open("compare/")
    groups = page.locator(".compare__group")
    expect(groups.first).to_be_visible()
    assert page.locator(".compare__group[open]").count() == 1
    shown = groups.first.locator("tbody tr:visible")
    assert 1 <= shown.count() <= 5
    tallest = max(shown.nth(n).bounding_box()["height"] for n in range(shown.count()))
    assert tallest < 150, "a task takes a card of its own"


def test_without_a_script_there_is_no_place_to_drop(visit) -> None:
    page = visit(java_script_enabled=False).open("compare/")
    expect(page.locator("#own")).to_be_hidden()
