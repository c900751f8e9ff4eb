"""How long ``bench import`` takes for 100,000 llama-bench rows, against DuckDB reading the same JSON."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, by_turns, compared, seconds

ROUNDS, QUICK_ROUNDS = 3, 1
ROWS = 100_000
ROOT = Path(__file__).resolve().parents[2]

IMPORT = "from bench.cli import main; main(['import', {file!r}, '--data', {data!r}, '--replace'])"
DUCKDB = (
    "import duckdb; duckdb.sql(\"CREATE TABLE t AS FROM read_json('{file}', maximum_object_size=100000000)\")"
)
#: What a process took at most, said on its last line of output.
PEAK = "; import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"


def measure(quick: bool = False) -> Iterator[Figure]:
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        file = work / "rows.json"
        write_rows(file)
        size = f"{file.stat().st_size / 1e6:.0f} MB of JSON"
        data = work / "data"
        data.mkdir()
        (data / "devices.csv").write_bytes((ROOT / "data" / "devices.csv").read_bytes())
        ours = (
            IMPORT.format(file=str(file), data=str(data))
            .replace("main([", "main.main([")
            .replace("])", "], standalone_mode=False)")
        )
        other = DUCKDB.format(file=file)
        peaks: dict[str, list[int]] = {"ours": [], "other": []}

        def imported() -> float:
            for path in data.glob("runs/*/*.parquet"):
                path.unlink()
            return timed(ours, peaks["ours"])

        pairs = by_turns(imported, lambda: timed(other, peaks["other"]), rounds)
        note = f"{size}; every row checked and stored as Parquet, against a table in memory"
        what = f"`bench import` of {ROWS:,} llama-bench rows"
        yield compared(f"{what}, whole process", "DuckDB `read_json` of the same file", pairs, note)
        memory = list(zip(peaks["ours"][1:], peaks["other"][1:], strict=True))
        yield compared(
            f"{what}, most memory",
            "DuckDB `read_json` of the same file",
            memory,
            f"{max(peaks['ours']) / 1024:.0f} MiB at most",
        )


def timed(code: str, peaks: list[int]) -> float:
    """Seconds of one process; its most memory (KiB) goes to ``peaks``."""
    out: list[str] = []

    def run() -> None:
        done = subprocess.run(
            [sys.executable, "-c", code + PEAK], cwd=ROOT, check=True, capture_output=True, text=True
        )
        out.append(done.stdout)

    taken = seconds(run)
    peaks.append(int(out[0].split()[-1]))
    return taken


def write_rows(path: Path) -> None:
    """Rows as a build of 2025 prints them, five repetitions each, over models, lengths and depths."""
    generator = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            tokens = generator.choice((128, 512, 1024))
            times = [int(1e9 * generator.uniform(0.4, 0.41)) for _ in range(5)]
            rates = [tokens / ns * 1e9 for ns in times]
            mean_ns, mean = sum(times) / 5, sum(rates) / 5
            deviation = (sum((r - mean) ** 2 for r in rates) / 4) ** 0.5
            deviation_ns = (sum((t - mean_ns) ** 2 for t in times) / 4) ** 0.5
            row = {
                "build_commit": "0a1b2c3d", "build_number": 5000, "cpu_info": "AMD EPYC 7742",
                "gpu_info": "NVIDIA GeForce RTX 4090", "backends": "CUDA", "model_filename": "model.gguf",
                "model_type": "llama 8B Q4_K - Medium", "model_size": 4912898048,
                "model_n_params": 8030261248, "n_batch": 2048, "n_ubatch": 512, "n_threads": 16,
                "cpu_mask": "0x0", "cpu_strict": False,
                "poll": 50, "type_k": "f16", "type_v": "f16", "n_gpu_layers": 99, "split_mode": "layer",
                "main_gpu": 0, "no_kv_offload": False, "flash_attn": True, "tensor_split": "0.00",
                "use_mmap": True, "embeddings": False, "n_prompt": tokens, "n_gen": 0,
                "n_depth": number % 1000, "test_time": "2025-04-24T11:58:50Z", "avg_ns": int(mean_ns),
                "stddev_ns": int(deviation_ns), "avg_ts": round(mean, 6), "stddev_ts": round(deviation, 6),
                "samples_ns": times, "samples_ts": [round(r, 2) for r in rates],
            }  # fmt: skip
            file.write(("[" if number == 0 else ",\n") + json.dumps(row, indent=2))
        file.write("]\n")
