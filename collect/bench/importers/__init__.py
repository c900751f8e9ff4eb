"""Results that other tools measured, brought into the store. One file a format; adding one is one file here.

``IMPORTERS`` holds them by name, in the order in which a file is offered to them. ``formats()`` is the table
of what is read and corrected, from which the documentation is made.
"""

from __future__ import annotations

from typing import Any

from bench.importers.base import Importer
from bench.importers.generic_csv import GenericCsv
from bench.importers.inferencex import InferenceX
from bench.importers.llama_bench import LlamaBench
from bench.importers.localscore import LocalScore
from bench.importers.mlperf import MlperfLoadgen
from bench.importers.optimum import OptimumBenchmark
from bench.importers.sglang import SglangServing
from bench.importers.vllm_ci import VllmNightly
from bench.importers.vllm_offline import VllmLatency, VllmThroughput
from bench.importers.vllm_pytorch import VllmPytorch
from bench.importers.vllm_serve import VllmServe

#: More particular formats come before those that they resemble.
IMPORTERS: dict[str, Importer] = {
    importer.name: importer
    for importer in (
        LlamaBench(),
        OptimumBenchmark(),
        SglangServing(),
        VllmServe(),
        VllmLatency(),
        VllmThroughput(),
        VllmPytorch(),
        VllmNightly(),
        InferenceX(),
        MlperfLoadgen(),
        LocalScore(),
        GenericCsv(),
    )
}


def formats() -> list[dict[str, Any]]:
    """One entry a format: its name, forms, versions, corrections (fault, remedy, flag) and what it lacks."""
    return [
        {
            "format": i.name,
            "title": i.title,
            "forms": list(i.forms),
            "versions": list(i.versions),
            "corrections": [{"fault": c.fault, "remedy": c.remedy, "flag": c.flag} for c in i.corrections],
            "lacks": i.lacks,
        }
        for i in IMPORTERS.values()
    ]
