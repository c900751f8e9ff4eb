"""Files of a reader's own machine: runs as the collector writes them, and tests of llama-bench."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bench import store
from bench.project import DataDir
from bench.schema import Row
from guide.evidence import Evidence, load_evidence

DEVICE = "NVIDIA GeForce RTX 3070"
#: Columns that another machine's row does not share with the one that it is made from.
NOT_SHARED = ("samples_s", "sample_count", "achieved_flops", "probe_flops", "job_s")


@pytest.fixture(scope="session")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


def own_rows(rows: Sequence[Row], factor: float = 20.0, **changes: Any) -> list[Row]:
    """The collector's rows that ended well, one a task, as those of another machine that is ``factor`` times
    as fast."""
    found: dict[str, Row] = {}
    for place, row in enumerate(rows):
        if row["protocol"] != "hwguide" or row["status"] != "ok" or row["workload"] == "probe":
            continue
        scaled = {n: row[n] * factor for n in ("rate", "rate_low", "rate_high") if row[n] is not None}
        own = {"device_name": DEVICE, "device_id": "nvidia-rtx-3070", "host_id": "mine", "device_count": 1}
        own |= {"run_id": "mine", "cell_id": f"cell-{place}"}
        found[row["task_key"]] = row | dict.fromkeys(NOT_SHARED) | scaled | own | changes
    return list(found.values())


@pytest.fixture
def mine(evidence: Evidence) -> list[Row]:
    """Rows of a machine of one's own."""
    return own_rows(evidence.rows)


def entry(seconds: Sequence[float] = (0.4, 0.401, 0.402), **changes: Any) -> dict[str, Any]:
    """One test as ``llama-bench -o json`` prints it: Llama 3 8B Q4_K_M reads a prompt of 512 tokens, by
    default. Its figures follow from ``seconds``, unless a change says otherwise."""
    given: dict[str, Any] = {
        "build_commit": "0a1b2c3d", "build_number": 5200, "cpu_info": "AMD Ryzen 7 5800X 8-Core Processor",
        "gpu_info": DEVICE, "backends": "CUDA", "model_filename": "models/llama-3-8b.Q4_K_M.gguf",
        "model_type": "llama 8B Q4_K - Medium", "model_size": 4_912_898_048, "model_n_params": 8_030_261_248,
        "n_batch": 2048, "n_ubatch": 512, "n_threads": 8, "type_k": "f16", "type_v": "f16",
        "n_gpu_layers": 99, "split_mode": "layer", "main_gpu": 0, "no_kv_offload": False, "flash_attn": False,
        "use_mmap": True, "embeddings": False, "n_prompt": 512, "n_gen": 0, "n_depth": 0,
        "test_time": "2026-05-02T09:00:00Z",
    }  # fmt: skip
    tokens = sum(int((given | changes)[name] or 0) for name in ("n_prompt", "n_gen"))
    nanoseconds = [round(s * 1e9) for s in seconds]
    rates = [tokens * 1e9 / ns for ns in nanoseconds]
    given |= {
        "avg_ns": round(_mean(nanoseconds)), "stddev_ns": round(_deviation(nanoseconds)),
        "avg_ts": round(_mean(rates), 6), "stddev_ts": round(_deviation(rates), 6),
        "samples_ns": nanoseconds, "samples_ts": [round(rate, 4) for rate in rates],
    }  # fmt: skip
    return given | changes


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _deviation(values: Sequence[float]) -> float:
    middle = _mean(values)
    return (sum((v - middle) ** 2 for v in values) / max(1, len(values) - 1)) ** 0.5


@pytest.fixture
def llama() -> Callable[..., dict[str, Any]]:
    return entry


@pytest.fixture
def files(tmp_path: Path) -> SimpleNamespace:
    """``parquet(rows)``, ``json(value)``, ``lines(values)`` and ``raw(content)`` write a file."""

    def raw(content: bytes, name: str = "mine.json") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    def parquet(rows: Sequence[Row]) -> Path:
        store.write_run(tmp_path / "mine.parquet", rows, {"suite": "quick"})
        return tmp_path / "mine.parquet"

    def as_json(value: Any) -> Path:
        return raw(json.dumps(value, indent=1, default=lambda moment: moment.isoformat()).encode())

    def lines(values: Sequence[Any]) -> Path:
        text = "\n".join(json.dumps(v, default=lambda moment: moment.isoformat()) for v in values)
        return raw(text.encode(), "mine.jsonl")

    return SimpleNamespace(raw=raw, parquet=parquet, json=as_json, lines=lines, own_rows=own_rows)


class Panel:
    """The Compare page's place for a file, in one window."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.machine: Locator = page.locator(".own__machine .own__head")
        self.said: Locator = page.locator(".own__said")
        self.refusal: Locator = page.locator(".own__said.is-bad")

    def choose(self, path: Path) -> None:
        """Pick the file with the button."""
        expect(self.page.locator("#own")).to_be_visible()
        self.page.locator(".own__file").set_input_files(path)

    def drop(self, path: Path) -> None:
        """Drop the file on the page, beside the box."""
        expect(self.page.locator("#own")).to_be_visible()
        content = base64.b64encode(path.read_bytes()).decode()
        self.page.evaluate(
            """([name, content]) => {
              const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
              const dataTransfer = new DataTransfer();
              dataTransfer.items.add(new File([bytes], name));
              for (const kind of ["dragover", "drop"])
                document.querySelector("article").dispatchEvent(
                  new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
            }""",
            [path.name, content],
        )

    def count(self) -> int:
        """Figures of the machine that is kept."""
        return self.page.evaluate("hwguideOwn.machine.figures.length")


@pytest.fixture
def panel() -> Callable[[Any], Panel]:
    """``panel(visit())`` opens the Compare page."""
    return lambda window: Panel(window.open("compare/"))
