"""The command line: help, laziness, errors, and what the commands print."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bench import schema, store
from bench.cells import Cell
from bench.cli import main

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def row(run_id: str = "20261201T000000Z-aaaa", **values):
    cell = Cell("encode", model="bert-base-uncased", batch=values.pop("batch", 1), input_tokens=128)
    base = {
        "run_id": run_id,
        "origin": "measured",
        "source_id": "hwguide",
        "recorded_at": NOW,
        "device_name": "Test GPU",
        "status": "ok",
        "rate": 100.0,
        "rate_low": 99.0,
        "rate_high": 101.0,
        "rate_unit": "sequences/s",
        "host_id": "h",
    }
    return schema.make_row(**base | cell.columns() | values)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    runs = tmp_path / "data" / "runs"
    one, two = "20261201T000000Z-aaaa", "20261201T000001Z-bbbb"
    store.write_run(store.run_path(runs, one, NOW), [row(one), row(one, batch=8)], {})
    hostile = row(two, device_name="=cmd|'\x1b[31mred", status="oom", rate=None, status_detail="too big")
    store.write_run(store.run_path(runs, two, NOW), [hostile | {"rate_low": None, "rate_high": None}], {})
    return tmp_path / "data"


def bench(*args: object, code: int = 0):
    result = CliRunner().invoke(main, [str(a) for a in args])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def commands(group: click.Group = main, path: tuple[str, ...] = ()):
    """Every command of ``bench`` itself, groups included, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if group is main and name not in main.files:
            continue
        command = group.get_command(context, name)
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize(
    ("words", "command"), list(commands()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_command_and_option_has_help(words, command):
    assert command.help, words
    undocumented = [p.name for p in command.params if isinstance(p, click.Option) and not p.help]
    assert undocumented == []
    for flag in ("-h", "--help"):
        assert command.help.splitlines()[0][:60] in bench(*words, flag).output


def test_every_data_command_speaks_json():
    named = {words[0] for words, command in commands() if any(p.name == "as_json" for p in command.params)}
    assert named == {
        "collect", "show", "list", "doctor", "store", "import", "verify", "compare", "devices", "prices",
    }  # fmt: skip


def test_the_list_of_commands_is_their_own_help():
    listed = bench("--help").output
    for name in main.files:
        command = main.get_command(click.Context(main), name)
        assert f"{name} " in listed
        assert command.help.splitlines()[0][:40] in listed


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from bench.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = {'torch', 'duckdb', 'rich', 'transformers', 'psutil', 'mkdocs', 'numpy', 'guide'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "loaded: []"
    assert "collect" in result.stdout


def test_light_commands_do_not_import_torch(data):
    code = (
        "import sys; from bench.cli import main\n"
        f"try: main(['show', '--data', {str(data)!r}])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "assert not {'torch', 'transformers', 'numpy'} & set(sys.modules), sorted(sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_commands_of_other_packages_join_in():
    assert "site" in bench("--help").output


def test_version():
    from bench import __version__

    assert bench("--version").output.strip() == f"bench {__version__}"


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["colect"], 2, ["colect", "Did you mean 'collect'?"]),
        (["collect", "--device", "cudo"], 2, ["Unknown device 'cudo'", "Did you mean 'cuda'?"]),
        (["collect", "--device", "cuda:x"], 2, ["'cuda:x' is not a device"]),
        (["collect", "--device", "cpu:²"], 2, ["'cpu:²' is not a device"]),
        (["collect", "--device", "cpu:" + "9" * 5000], 2, ["is not a device"]),
        (["collect", "--suite", "quik"], 2, ["Unknown suite 'quik'", "Did you mean 'quick'?"]),
        (["collect", "--workload", "decod"], 2, ["Unknown workload 'decod'", "Did you mean 'decode'?"]),
        (["collect", "--budget", "soon"], 2, ["'soon' is not a time", "10m"]),
        (["collect", "--budget", "0"], 2, ["is not a time"]),
        (["collect", "--resume"], 2, ["no unfinished run of this machine"]),
        (["collect", "--resume", "2026"], 2, ["Unknown run '2026'"]),
        (["collect", "--resume", "--suite", "full"], 2, ["leave out --suite"]),
        (["collect", "--weights", "none"], 2, ["'none' is not one of"]),
        (["show", "--data", "nowhere"], 2, ["No data folder at 'nowhere'"]),
        (["show", "--json", "--csv"], 2, ["exclude each other"]),
        (["list", "--suite", "quik"], 2, ["Unknown suite"]),
        (["store", "export", "rows.txt"], 2, ["--format"]),
    ],
)
def test_mistakes_get_one_clear_message(args, code, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HWGUIDE_STATE", str(tmp_path / "state"))
    result = bench(*args, code=code)
    assert isinstance(result.exception, SystemExit)
    for word in words:
        assert word in result.stderr


def test_a_store_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    result = bench("collect", "--out", tmp_path / "file" / "data", code=1)
    assert "Cannot make the folder" in result.stderr
    assert "--out" in result.stderr


def test_rows_without_a_plan_cannot_be_resumed(data):
    """As imported and merged files have none."""
    path = data / "runs" / "20260101" / "merged.parquet"
    store.write_run(path, [], {"runs": {}})
    result = bench("collect", "--resume", "merged", "--out", data, "--json", code=2)
    assert "'merged' holds no plan" in result.stderr


@pytest.mark.parametrize("plan", [5, [1], [{"wrkload": "encode"}]])
def test_a_run_whose_plan_is_damaged_cannot_be_resumed(data, plan):
    path = data / "runs" / "20260101" / "damaged.parquet"
    meta = {"plan": plan, "device": "cpu", "device_index": 0, "suite": "quick", "seed": 1}
    row = store.read_store(data / "runs").rows[0] | {"run_id": "damaged", "status": "interrupted"}
    store.write_run(path, [row], meta)
    result = bench("collect", "--resume", "damaged", "--out", data, "--json", code=1)
    assert "plan of run damaged cannot be read" in result.stderr
    assert "leave --resume out" in result.stderr


def test_show_prints_a_table_json_and_csv(data):
    table = bench("show", "--data", data).output
    assert "encode bert-base-uncased fp32 b8 128" in table
    assert "100 sequences/s" in table
    assert "\x1b" not in table

    rows = json.loads(bench("show", "--data", data, "--json").output)
    assert len(rows) == 3
    assert list(rows[0]) == list(schema.NAMES)

    read = list(csv.DictReader(io.StringIO(bench("show", "--data", data, "--csv").output)))
    assert list(read[0]) == list(schema.NAMES)
    assert {r["device_name"] for r in read} == {"Test GPU", "'=cmd|'red"}


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--workload", "encode"], 3),
        (["--workload", "decode"], 0),
        (["--device", "test gpu"], 2),
        (["--status", "oom"], 1),
        (["--run", "20261201T000000Z"], 2),
        (["--run", "20261201T000000Z", "--status", "oom"], 0),
    ],
)
def test_show_filters(data, options, count):
    assert len(json.loads(bench("show", "--data", data, *options, "--json").stdout)) == count


def test_show_names_a_damaged_file_and_shows_the_rest(data):
    [damaged, kept] = sorted(data.glob("runs/*/*.parquet"))
    damaged.write_bytes(damaged.read_bytes()[:100])
    result = bench("show", "--data", data, "--json")
    assert damaged.name in result.stderr
    assert len(json.loads(result.stdout)) == 1
    kept.write_bytes(b"PAR1")
    assert kept.name in bench("show", "--data", data, code=1).stderr


def test_show_names_what_was_withdrawn_and_shows_it(data):
    (data / "withdrawn.csv").write_text(
        "run_id,cell_id,withdrawn_on,reason\n20261201T000000Z-aaaa,,2026-12-02,a fan\x1b[31m had stopped\n"
    )
    result = bench("show", "--data", data, "--json")
    said = "Withdrawn, and shown all the same: 2 rows of 20261201T000000Z-aaaa: a fan had stopped"
    assert result.stderr.splitlines() == [said]
    assert len(json.loads(result.stdout)) == 3
    assert bench("show", "--data", data, "--run", "20261201T000001Z").stderr == ""


def test_verify_names_what_is_wrong(data):
    assert bench("store", "verify", "--data", data).output.count(" ok") == 2
    [first, _] = sorted(data.glob("runs/*/*.parquet"))
    first.rename(first.with_name("renamed.parquet"))
    result = bench("store", "verify", "--data", data, code=1)
    assert "renamed.parquet" in result.output
    assert "which its name does not say" in result.output


def test_verify_refuses_a_newer_version(data, monkeypatch):
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 0)
    found = json.loads(bench("store", "verify", "--data", data, "--json", code=1).output)
    assert all("newer version" in f["problem"] for f in found)


def test_compact_keeps_every_row_and_deletes_only_when_told(data):
    before = json.loads(bench("show", "--data", data, "--json").output)
    bench("store", "compact", "--data", data)
    assert len(list(data.glob("runs/*/*.parquet"))) == 3
    assert json.loads(bench("show", "--data", data, "--json").output) == before
    bench("store", "compact", "--data", data, "--delete")
    [merged] = data.glob("runs/*/*.parquet")
    assert json.loads(bench("show", "--data", data, "--json").output) == before
    assert set(store.read_meta(merged)["runs"]) == {r["run_id"] for r in before}
    bench("store", "verify", "--data", data)


def test_a_compaction_without_room_does_not_speak_of_collecting(data, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    told = bench("store", "compact", "--data", data, code=1).stderr
    assert "the disk is full" in told and "give the command again" in told and "--resume" not in told
    assert len(list(data.glob("runs/*/*.parquet"))) == 2


def test_export_writes_all_rows(data, tmp_path):
    bench("store", "export", tmp_path / "rows.csv", "--data", data)
    with (tmp_path / "rows.csv").open(newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 3
    bench("store", "export", tmp_path / "rows.parquet", "--data", data)
    assert len(store.read_run(tmp_path / "rows.parquet")) == 3
    assert "--force" in bench("store", "export", tmp_path / "rows.csv", "--data", data, code=2).stderr
    assert "run_id,cell_id" in bench("store", "export", "-", "--data", data).stdout


def test_list_counts_the_cells_of_each_suite():
    from bench.workloads import WORKLOADS

    found = json.loads(bench("list", "--device", "cuda", "--json").output)
    assert [w["workload"] for w in found["workloads"]] == list(WORKLOADS)
    for w in found["workloads"]:
        for suite, count in w["cells"].items():
            assert count == len(WORKLOADS[w["workload"]].cells(suite, "cuda"))
    assert "tiny" not in {s["suite"] for s in found["suites"]}
    assert "bert-base-uncased" in bench("list", "--suite", "quick", "--device", "cpu").output


def test_doctor_without_torch(tmp_path, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n, *a: None if n == "torch" else real(n, *a))
    found = json.loads(bench("doctor", "--data", tmp_path, "--json", code=1).output)
    assert found["can_measure"] is False
    torch = next(c for c in found["checks"] if c["name"] == "torch")
    assert torch["state"] == "missing"
    assert torch["fix"] == "pip install 'hwguide[collect]'"


@pytest.mark.torch
def test_doctor_finds_the_cpu(tmp_path):
    found = json.loads(bench("doctor", "--data", tmp_path, "--json").output)
    assert found["can_measure"] is True
    assert next(c for c in found["checks"] if c["name"] == "cpu")["state"] == "ok"
