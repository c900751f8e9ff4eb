"""What the usual table shows of rows, and what a run says of what disturbed it."""

from __future__ import annotations

import pytest

from bench import schema
from bench.cells import Cell
from bench.cli._collect import _tell_disturbances
from bench.cli._tables import interval, print_usual
from bench.measure.flags import ADVICE


def row(workload: str = "finetune", **values):
    asked = {"batch": values.pop("batch", 8), "model": values.pop("model", "distilbert-base-uncased")}
    base = {
        "run_id": "r", "origin": "measured", "source_id": "hwguide", "device_name": "d", "status": "ok",
        "rate": 16.0, "rate_unit": "samples/s",
    }  # fmt: skip
    return schema.make_row(**base | Cell(workload, **asked).columns() | values)


def table(capsys, *rows) -> list[str]:
    """The lines of the printed table, the header first."""
    print_usual(rows)
    text = capsys.readouterr().out
    return [line for line in text.splitlines() if line.strip()]


def test_a_training_run_says_what_a_step_an_epoch_and_the_job_take(capsys):
    header, line, *_ = table(capsys, row(job_s=1903.125), row("probe", model=None, rate_unit="B/s"))
    assert header.split()[:9] == [
        "cell", "device", "status", "rate", "interval", "s/step", "s/epoch", "s/job", "memory",
    ]  # fmt: skip
    assert line.split()[-3:] == ["0.5", "381", "1,900"], "to three digits"


def test_energy_is_told_gross_and_above_rest(capsys):
    metered = {
        "energy_j": 300.0,
        "idle_power_w": 20.0,
        "samples_s": [2.0, 3.0],
        "energy_validity": "measured",
    }
    header, line, other = table(capsys, row(**metered), row(batch=32))
    assert "gross J" in header and "net J" in header
    assert line.split()[-2:] == ["300", "200"], "20 W over 5 s are not the work's"
    assert "300" not in other


def test_a_summary_says_what_an_article_takes(capsys):
    header, line = table(
        capsys, row("summarize", model="t5-large", rate=1.25, rate_unit="articles/s", job_s=80.0)
    )
    assert "s/article" in header and "s/job" in header
    assert "1.25 articles/s" in line
    assert line.split()[-2:] == ["0.8", "80.0"]


@pytest.mark.parametrize(
    ("workload", "column", "header"),
    [("prefill", "first_token_ms", "TTFT ms"), ("decode", "inter_token_p50_ms", "ITL ms")],
)
def test_language_models_say_how_long_a_token_takes(capsys, workload, column, header):
    found, line = table(capsys, row(workload, model="Llama-3.2-1B", rate_unit="tokens/s", **{column: 12.5}))
    assert header in found
    assert line.split()[-1] == "12.5"


def test_rows_of_several_workloads_and_rows_without_a_rate_have_no_such_columns(capsys):
    both = table(capsys, row(job_s=9.0), row("encode", model="bert-base-uncased"))
    assert "s/step" not in both[0]
    header, line = table(capsys, row(status="oom", rate=None))
    assert "s/step" not in header
    assert "oom" in line


def test_an_interval_that_says_nothing_is_no_row_of_digits():
    wide = {"rate": 2.0, "rate_low": 1.99, "rate_high": 2e9}
    assert interval(wide | {"rate_high": 2.02}) == "−0.5% +1.0%"
    assert interval(wide) == "−0.5% over +1000%"
    assert interval(wide | {"rate_low": None}) == ""


def test_a_run_names_what_disturbed_it_and_what_to_do(capsys):
    rows = [row(flags=["contended", "few-samples"]), row(flags=["contended"]), row(flags=["on-battery"])]
    _tell_disturbances(rows)
    text = capsys.readouterr().out
    assert f"contended, 2 of 3 cells: other programs took processor time. {ADVICE['contended']}" in text
    assert "on-battery, 1 of 3 cells" in text
    assert "few-samples" not in text
    _tell_disturbances([row()])
    assert capsys.readouterr().out == ""


def test_the_guides_own_server_is_named_as_a_disturbance():
    assert "mkdocs serve" in ADVICE["contended"]
