"""One run of optimum-benchmark: its configuration file, the command, the figure out of its report."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from peer.environment import Peer
from peer.processes import Done, run

#: As pip resolves 0.6.0 alone it fails at import: it needs transformers 4, which needs datasets 4.
PEER = Peer("optimum-benchmark", "0.6.0", needs=("transformers<5", "datasets>=4,<5"), shared=("torch",))
#: Everything not said here is its default: ten warm-ups, at least ten repetitions and ten seconds.
CONFIG = """defaults:
  - benchmark
  - scenario: inference
  - launcher: {launcher}
  - backend: pytorch
  - _self_
name: peer
launcher: {{start_method: spawn}}
backend:
  device: cpu
  no_weights: true
  model: {model}
  task: {task}
  library: transformers
  model_type: {kind}
scenario: {{input_shapes: {{batch_size: 1, sequence_length: {tokens}}}{more}}}
hydra: {{run: {{dir: .}}, output_subdir: null}}
"""
QUICK = ", iterations: 2, duration: 0, warmup_runs: 1"
GENERATE = ", generate_kwargs: {{max_new_tokens: {new}, min_new_tokens: {new}}}"


def measure(
    program: str,
    folder: Path,
    launcher: str,
    model: str,
    config: dict[str, Any],
    tokens: int,
    new: int,
    hub: str,
    quick: bool,
) -> tuple[float, Done]:
    """Median seconds of a forward pass, or of ``new`` - 1 decode steps where ``new`` is given, and the run.

    Raises ``CannotRun`` when there is no report. An exit status other than 0 with a whole report is in the
    ``Done``: that happens (the report is written before the step that fails).
    """
    folder.mkdir(parents=True)
    task = "text-generation" if new else "feature-extraction"
    text = CONFIG.format(
        launcher=launcher,
        model=model,
        task=task,
        kind=config["model_type"],
        tokens=tokens,
        more=(GENERATE.format(new=new) if new else "") + (QUICK if quick else ""),
    )
    if launcher == "inline":
        text = text.replace("launcher: {start_method: spawn}\n", "")
    (folder / "peer.yaml").write_text(text, encoding="utf-8")
    # Its folders inside the run's own: nothing of the user's is read or written, nothing but the hub reached.
    own = {
        "HF_ENDPOINT": hub,
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_XET": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    command = [program, "--config-dir", str(folder), "--config-name", "peer"]
    done = run(command, cwd=folder, env=os.environ | own)
    report = folder / "benchmark_report.json"
    if not report.is_file():
        raise done.error()
    part = json.loads(report.read_text("utf-8"))["decode" if new else "forward"]
    return part["latency"]["p50"], done
