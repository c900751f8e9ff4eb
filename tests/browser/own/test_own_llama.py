"""A file of llama-bench means in the browser what it means to the importer, and matches the published table
of the very same test alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from bench.catalog import Catalog
from bench.errors import BenchError
from bench.importers.service import Options, open_import
from bench.schema import Row
from guide.analysis.tiers import band_of
from guide.views import llama_tests

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 6, 1, tzinfo=UTC)

WRITES = {"n_prompt": 0, "n_gen": 128, "seconds": (4, 4.01, 4.02)}
SLOWLY = {"seconds": (4, 4.01, 4.02)}


def model(printed: str, size: int, params: int) -> dict[str, Any]:
    """What is changed for another model."""
    return {"model_type": printed, "model_size": size, "model_n_params": params}


#: name -> what is changed in an entry. Together they reach every branch of what a test asked for.
VARIANTS: dict[str, Mapping[str, Any]] = {
    "prompt": {},
    "generation": WRITES,
    "both": {"n_gen": 128},
    "behind a context": WRITES | {"n_depth": 4096},
    "flash attention": {"flash_attn": True},
    "flash attention by number": {"flash_attn": 1},
    "flash attention automatic": {"flash_attn": -1},
    "other batch": {"n_ubatch": 2048},
    "other batch, generation": WRITES | {"n_ubatch": 2048},
    "small batch": {"n_batch": 128},
    "cache": {"type_k": "q8_0", "type_v": "q8_0"},
    "old cache": {"type_k": None, "type_v": None, "f16_kv": False},
    "half of the layers": {"n_gpu_layers": 16},
    "no layers": {"n_gpu_layers": 0},
    "automatic layers": {"n_gpu_layers": -1},
    "experts on the CPU": {"n_cpu_moe": 8},
    "tensors placed": {"tensor_buft_overrides": "ffn.*=CPU"},
    "no offload": {"no_kv_offload": True},
    "two cards": {"gpu_info": "NVIDIA L4, NVIDIA L4"},
    "two cards, by rows": {"gpu_info": "NVIDIA L4, NVIDIA L4", "split_mode": "row"},
    "one of two cards": {"gpu_info": "NVIDIA L4, NVIDIA L4", "split_mode": "none"},
    "the picked card": {"gpu_info": "NVIDIA L4, NVIDIA GeForce RTX 4090", "devices": "CUDA1"},
    "old list of cards": {"gpu_info": "NVIDIA L4/NVIDIA L4"},
    "Metal": {"gpu_info": "Apple M4", "cpu_info": "Accelerate, Apple M4", "backends": "MTL,BLAS"} | SLOWLY,
    "Metal, not named": {"gpu_info": "", "cpu_info": "Apple M4", "backends": "Metal"} | SLOWLY,
    "ROCm": {"gpu_info": "AMD Radeon RX 7900 XTX", "backends": "ROCm"},
    "Vulkan": {"gpu_info": "AMD Radeon RX 7900 XTX", "backends": "Vulkan"},
    "no GPU found": {"gpu_info": ""},
    "CPU": {"gpu_info": "", "backends": "CPU"},
    "backends of 2023": {"backends": None, "cuda": True, "gpu_blas": True, "blas": True},
    "build without a number": {"build_number": 0},
    "unknown build": {"build_commit": "unknown", "build_number": 0},
    "Q4_0": model("llama 7B mostly Q4_0", 3_825_065_984, 6_738_415_616),
    "F16": {"model_type": "llama 8B F16", "model_size": 16_060_522_496},
    "all F32": model("llama 1B all F32", 4_400_000_000, 1_100_048_384),
    "mixture": model("qwen3moe 30B.A3B Q8_0", 32_440_000_000, 30_532_122_624),
    "mislabelled": model("gpt-oss 20B F16", 13_800_000_000, 20_914_757_184),
    "MXFP4": model("gpt-oss 20B MXFP4 MoE", 12_109_566_560, 20_914_757_184),
    "size from parameters": model("llama ?B Q4_K - Medium", 105_000_000, 134_515_008),
    "guessed": {"model_type": "llama 8B Q4_K - Medium (guessed)"},
    "no size": {"model_size": None},
    "numbers as text": {"n_prompt": "512", "n_gen": "0", "flash_attn": "0", "model_n_params": "8030261248"},
    "too fast": WRITES | {"gpu_info": "NVIDIA L4", "seconds": (0.5, 0.501, 0.502)},
    "too fast a prompt": {"gpu_info": "NVIDIA L4", "seconds": (0.001, 0.00101, 0.00102)},
    "one repetition": {"seconds": (0.4,)},
    "ten repetitions": {"seconds": tuple(0.4 + n / 1000 for n in range(10))},
    "nothing": {"avg_ts": 0},
}  # fmt: skip

#: name -> what is changed so that an entry contradicts itself or is of the wrong type.
BROKEN: dict[str, Mapping[str, Any]] = {
    "rate": {"avg_ts": 9000.1},
    "time": {"avg_ns": 65_000_000},
    "tokens": {"n_prompt": 513},
    "repetitions": {"samples_ns": [1, 2, 3]},
    "rates": {"samples_ts": [1.0, 2.0, 3.0]},
    "text": {"avg_ts": "fast"},
    "negative": {"avg_ts": -5},
    "no tokens": {"n_prompt": 0},
    "half a token": {"n_prompt": 512.5},
    "object": {"gpu_info": {"a": 1}},
    "words": {"flash_attn": "perhaps"},
    "no mean": {"avg_ns": None},
    "time of zero": {"samples_ns": [0, 1, 2]},
    "year": {"test_time": "1969-05-02T09:00:00Z"},
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.load(ROOT / "data" / "devices.csv")


def imported(path: Path, catalog: Catalog) -> Row:
    (row,) = open_import(path, catalog, Options(), now=NOW).rows()
    return row


READ = """async ([entry, ceilings]) => {
  const at = (name) => import(new URL(`js/own/${name}.js`, hwguideOwn.root));
  const [{ readEntry }, { impossible }, { combine }, { index }] = await Promise.all(
    ["llama", "gate", "rows", "match"].map(at));
  const guide = { ...(await index(hwguideOwn.root)), ...ceilings };
  const row = readEntry(entry, "Test 1", guide.quantiles);
  const taken = { ...row, kind: "stated", origin: "published", flags: [], time: 0, run: "", cell: "" };
  const ok = row.status === "ok";
  const broken = impossible(row, guide).broken;
  return { ...row, broken, values: ok ? combine([taken], guide).values : null };
}"""


@pytest.fixture(scope="module")
def ceilings(catalog: Catalog) -> dict[str, Any]:
    """The whole catalog's: the example has a few devices only."""
    from guide.views.own import _ceilings

    return {"ceilings": _ceilings(catalog)}


def test_every_variant_means_what_it_means_to_the_importer(
    visit, files, llama, catalog, ceilings, until
) -> None:
    page = visit().open("compare/")
    until(page, "window.hwguideOwn")
    different = {}
    impossible = set()
    for name, changes in VARIANTS.items():
        entry = llama(**changes)
        row = imported(files.json([entry]), catalog)
        found = page.evaluate(READ, [entry, ceilings])
        asked = llama_tests.asked(row | {"protocol": llama_tests.IMPORTED})
        if row["status"] == "impossible":
            impossible.add(name)
            assert found["broken"], name
            continue
        seen = [found["asked"], found["status"], found["device"]["count"], found["version"], found["unit"]]
        wanted = [asked, row["status"], row["device_count"], row["engine_version"], row["rate_unit"]]
        if seen != wanted or found["broken"]:
            different[name] = (seen, wanted, found["broken"])
        if row["status"] == "ok":
            band = band_of(row)
            ends = [row["rate"], row["rate_low"], row["rate_high"], band.low, band.high]
            assert found["values"] == [v if v is None else pytest.approx(v, rel=1e-9) for v in ends], name
        assert row["device_name"].startswith(found["device"]["name"]), name
    assert different == {}
    assert impossible == {"too fast", "too fast a prompt"}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_importer_refuses_is_refused(visit, panel, files, llama, catalog, name) -> None:
    path = files.json([llama() | BROKEN[name]])
    with pytest.raises(BenchError):
        imported(path, catalog)
    own = panel(visit())
    own.choose(path)
    expect(own.refusal).to_contain_text("Test 1")
    assert own.page.evaluate("hwguideOwn.machine") is None


def keys(page) -> list[str]:
    return page.evaluate("hwguideOwn.matched().keys")


def test_a_test_of_a_published_table_finds_it_and_no_other(visit, panel, files, llama, evidence) -> None:
    own = panel(visit())
    own.choose(files.json([llama()]))
    expect(own.machine).to_contain_text("NVIDIA GeForce RTX 3070")
    (key,) = keys(own.page)
    columns = evidence.task(key).columns
    assert (columns["model"], columns["weights_dtype"]) == ("Llama-3-8B", "q4_k_m")
    assert (columns["workload"], columns["input_tokens"]) == ("prefill", 512)
    assert columns["protocol"].startswith("llama-bench/")


@pytest.mark.parametrize("form", ["json", "lines"])
def test_both_forms_are_read(visit, panel, files, llama, form) -> None:
    own = panel(visit())
    own.choose(getattr(files, form)([llama(), llama(seconds=(8, 8.1), n_prompt=0, n_gen=512)]))
    expect(own.machine).to_be_visible()
    assert len(keys(own.page)) == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"n_prompt": 513}, "prompt tokens: 513, in the guide 512"),
        ({"model_n_params": 8_030_261_312}, "8,030,261,312, in the guide 8,030,261,248"),
        ({"model_type": "llama 8B Q4_K - Small"}, "the type of the weights"),
        ({"flash_attn": True}, "flash attention: on, in the guide off"),
        ({"flash_attn": -1}, "flash attention was left to the program"),
        ({"n_ubatch": 1024}, "prompt tokens computed at once: 1,024, in the guide 512"),
        ({"type_k": "q8_0"}, "further settings were changed (cache_k:q8_0)"),
        ({"n_gen": 128}, "counts prompt and generated tokens together"),
        ({"model_type": "mamba 3B F16"}, "No published table of the guide is of this model"),
        ({"gpu_info": "", "backends": "CPU"}, "It ran on the processor"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_a_test_without_a_counterpart_says_why(visit, panel, files, llama, changes, reason) -> None:
    own = panel(visit())
    # Beside a test that has one: a file without any is refused as a whole.
    one = [] if "backends" in changes else [llama()]
    own.choose(files.json([*one, llama(**changes)]))
    if not one:
        expect(own.refusal).to_contain_text(reason)
        return
    expect(own.machine).to_be_visible()
    told = own.page.locator(".own__list", has_text="without a counterpart")
    told.locator("summary").click()
    expect(told).to_contain_text(reason)


def test_a_figure_no_such_device_can_have_is_refused(visit, panel, files, llama) -> None:
    fast = llama(seconds=(0.5, 0.501), gpu_info="NVIDIA GeForce RTX 3090", n_prompt=0, n_gen=512)
    sound = llama(gpu_info="NVIDIA GeForce RTX 3090")
    own = panel(visit())
    own.choose(files.json([fast, sound]))
    expect(own.machine).to_be_visible()
    told = own.page.locator(".own__list", has_text="not taken")
    told.locator("summary").click()
    expect(told).to_contain_text("of the memory rate that NVIDIA GeForce RTX 3090 has")
    assert own.count() == 1
    # The name is one of the catalog's, and the guide has figures of that card.
    link = own.page.locator(".own__pages a", has_text="NVIDIA GeForce RTX 3090")
    assert link.get_attribute("href").endswith("/devices/nvidia-rtx-3090/")


def test_a_file_without_a_device_is_refused(visit, panel, files, llama) -> None:
    own = panel(visit())
    own.choose(files.json([llama(gpu_info="", cpu_info="", backends="Vulkan")]))
    expect(own.refusal).to_contain_text("names no device")


def test_imported_rows_in_a_run_ask_the_same(visit, panel, files, llama, catalog, evidence) -> None:
    """The store of somebody who imported the file leads to the same tasks as the file itself."""
    row = imported(files.json([llama()]), catalog)
    own = panel(visit())
    own.choose(files.json([llama()]))
    expect(own.machine).to_be_visible()
    straight = keys(own.page)
    own.choose(files.parquet([row]))
    expect(own.page.locator(".own__note").first).to_contain_text("mine.parquet")
    assert keys(own.page) == straight
    assert json.loads(row["settings"])["parameters"]
