"""llama-bench's other forms with its log among them."""

from __future__ import annotations

import pytest

from bench.errors import BenchError

LOG = """ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
load_backend: loaded CUDA backend from /usr/lib/libggml-cuda.so
"""


@pytest.fixture
def text(opened):
    return lambda name: opened(name).source.path.read_text("utf-8")


@pytest.mark.parametrize("name", ["llama_2025.json", "llama_2025.jsonl", "llama_2023.csv", "llama_2023.sql"])
def test_the_log_before_and_after(rows, text, tmp_path, name):
    path = tmp_path / "out.log"
    path.write_text(LOG + text(name) + "llama_perf: done\nggml_metal_free: deallocating\n", encoding="utf-8")
    kept = ("rate", "task_key", "device_name", "sample_count")
    assert [[r[k] for k in kept] for r in rows(path)] == [[r[k] for k in kept] for r in rows(name)]


def test_the_log_between_entries_and_their_lines(rows, text, tmp_path):
    path = tmp_path / "out.json"
    lines = text("llama_2025.json").splitlines()
    path.write_text("\n".join(f"{line}\nllama_context: n_ctx = 512" for line in lines), encoding="utf-8")
    found = rows(path)
    assert [r["rate"] for r in found] == [r["rate"] for r in rows("llama_2025.json")]
    assert all(r["source_locator"].startswith("out.json, line ") for r in found)


def test_an_open_list_with_a_log_is_marked(opened, text, tmp_path):
    path = tmp_path / "out.json"
    path.write_text(LOG + text("llama_2025.json").rstrip().removesuffix("]") + "\n", encoding="utf-8")
    work = opened(path)
    assert len(list(work.rows())) == 2
    assert work.source.cut_off


def test_other_lines_stay_a_fault(rows, text, tmp_path):
    path = tmp_path / "out.json"
    path.write_text(
        LOG + text("llama_2025.json").replace("},", "},\nSegmentation fault\n", 1), encoding="utf-8"
    )
    with pytest.raises(BenchError, match="line"):
        rows(path)


def test_two_lists_in_one_file(rows, text, tmp_path):
    path = tmp_path / "out.json"
    path.write_text(text("llama_2025.json") + "\n" + text("llama_2025.json"), encoding="utf-8")
    assert [r["rate"] for r in rows(path)] == 2 * [r["rate"] for r in rows("llama_2025.json")]
    path.write_text(text("llama_2025.json") + "\n[]\n", encoding="utf-8")
    assert len(rows(path)) == 2


def test_two_builds_in_one_csv(rows, text, tmp_path):
    path = tmp_path / "out.csv"
    old = text("llama_2023.csv")
    header, *lines = old.splitlines()
    newer = "\n".join([header + ",n_depth", *(f'{line},"4096"' for line in lines)])
    path.write_text(old.rstrip() + "\n" + newer + "\n", encoding="utf-8")
    assert [r["context_depth"] for r in rows(path)] == [0, 0, 4096, 4096]


def test_a_text_about_the_forms_is_read_by_its_tables(rows, text, tmp_path):
    path = tmp_path / "README.md"
    path.write_text(f"{text('llama_bare.md')}\n```sql\n{text('llama_2023.sql')}\n```\n", encoding="utf-8")
    assert [r["rate"] for r in rows(path)] == [r["rate"] for r in rows("llama_bare.md")]


def test_statements_after_a_comment(rows, text, tmp_path):
    path = tmp_path / "dump.sql"
    path.write_text("-- made today\nBEGIN TRANSACTION;\n" + text("llama_2023.sql"), encoding="utf-8")
    assert len(rows(path)) == len(rows("llama_2023.sql"))
