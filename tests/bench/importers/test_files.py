"""Damaged, cut-off, hostile and foreign files end in one message that names the place."""

from __future__ import annotations

import json

import pytest

from bench.errors import BenchError, UsageError
from bench.importers import IMPORTERS, formats
from bench.importers.files import Fault, Source
from bench.importers.flags import ADVICE, FLAGS
from bench.importers.rows import parse_given
from bench.importers.service import detect


def write(tmp_path, content, name="file.json"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("end", ["", ",", ",\n", "\n"])
def test_a_list_left_open_between_entries_is_taken(rows, opened, tmp_path, end):
    text = opened("llama_2025.json").source.path.read_text("utf-8")
    path = write(tmp_path, text.rstrip().removesuffix("]").rstrip() + end)
    assert len(rows(path)) == 2


def test_an_open_list_is_marked_in_the_store(opened, tmp_path):
    from bench import store
    from bench.importers.service import write as store_file

    text = opened("llama_2025.json").source.path.read_text("utf-8")
    work = store_file(opened(write(tmp_path, text.rstrip().removesuffix("]"))), tmp_path / "runs")
    assert any("file-cut-off" in row["flags"] for row in store.read_run(work.path))


def test_an_entry_that_breaks_off_is_a_fault(rows, opened, tmp_path):
    text = opened("llama_2025.json").source.path.read_text("utf-8")
    path = write(tmp_path, text[: text.rindex('"samples_ns"')])
    with pytest.raises(BenchError, match="the file ends within an entry") as caught:
        rows(path)
    assert "--partial" in caught.value.message
    assert [row["workload"] for row in rows(path, partial=True)] == ["prefill"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"a": 1, "a": 2}', "stands twice"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 1' + "0" * 5000 + "}", "not JSON that can be taken over"),
        ('[{"a": 1} {"a": 2}]', "expected a comma"),
        ('[{"a": 1}] x', "after the end"),
        ('{"a": tru}', "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8 text"),
    ],
)
def test_json_that_cannot_be_read(tmp_path, content, why):
    with pytest.raises(Fault, match=why):
        list(Source(write(tmp_path, content)).entries())


def test_utf_16_as_a_redirect_in_powershell_writes_it(rows, opened, tmp_path):
    text = opened("llama_log.md").source.path.read_text("utf-8")
    assert len(rows(write(tmp_path, text.encode("utf-16"), "log.txt"))) == 3


def test_a_list_is_read_an_entry_at_a_time(tmp_path):
    path = write(tmp_path, "[" + ",\n".join(json.dumps({"n": n}) for n in range(5000)) + "]")
    entries = list(Source(path).entries())
    assert [entry.value["n"] for entry in entries] == list(range(5000))
    assert entries[4321].where == "line 4322"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "is empty"),
        ("hello", "in no format that can be imported"),
        ('{"a": 1}', "with the keys a"),
        (b"PAR1" + b"\0" * 20, "binary"),
    ],
)
def test_a_foreign_file(tmp_path, content, why):
    with pytest.raises(BenchError, match=why):
        detect(Source(write(tmp_path, content)))


def test_an_unknown_format_suggests_the_nearest(tmp_path):
    with pytest.raises(UsageError, match="llama-bench"):
        detect(Source(write(tmp_path, "x")), "llamabench")


def test_hostile_text_is_made_harmless(rows, changed):
    def hostile(value):
        value[0].update(gpu_info="NVIDIA \x1b[2JL4\u202e", model_type="a\nb\x00", cpu_info="/home/user/x/y")

    row = rows(changed("llama_2025.json", hostile))[0]
    assert row["device_name"] == "NVIDIA L4"
    assert row["model"] == "a b"
    assert "/home" not in row["environment"]


@pytest.mark.parametrize("pair", ["batch", "rate=3", "batch=0", "batch=x", "recorded_at=then", "weights=odd"])
def test_settings_that_cannot_be_given(pair):
    with pytest.raises(UsageError):
        parse_given((pair,))


def test_a_setting_that_contradicts_the_file(rows):
    with pytest.raises(UsageError, match="states batch as 1"):
        rows("llama_2025.json", "batch=8")


def test_every_flag_says_what_to_do():
    from bench import published_flags

    assert ADVICE.keys() == FLAGS.keys()
    assert published_flags.ADVICE.keys() == published_flags.FLAGS.keys()
    for text in (*FLAGS.values(), *ADVICE.values(), *published_flags.ADVICE.values()):
        assert text.strip() and "\n" not in text


def test_every_flag_of_a_correction_is_explained():
    from bench.measure.flags import FLAGS as MEASURED
    from bench.published_flags import FLAGS as PUBLISHED

    listed = [c["flag"] for entry in formats() for c in entry["corrections"] if c["flag"]]
    assert set(listed) <= set(FLAGS) | set(PUBLISHED)
    assert not set(FLAGS) & (set(PUBLISHED) | set(MEASURED))
    assert [entry["format"] for entry in formats()] == list(IMPORTERS)
    assert all(entry["versions"] and entry["corrections"] for entry in formats())
