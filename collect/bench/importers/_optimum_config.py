"""What an optimum-benchmark configuration says about the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.importers.fields import Fields, clean

#: Schemes that names of models tell, and their bits.
_SCHEME = re.compile(
    r"(?<![a-z])(awq|gptq|aqlm|vptq|hqq|eetq|quip|exl2|exl3|bnb|nf4|fp8|int8|int4|w4a16|w8a8|w8a16|mxfp4|nvfp4)"
    r"(?![a-z])"
)
_BITS = re.compile(r"(?<!\d)(\d)[-_ ]?bits?(?![a-z])|int[-_]?(\d)(?!\d)")


@dataclass(frozen=True)
class Job:
    """What the configuration says about the run."""

    columns: Mapping[str, Any]
    settings: Mapping[str, Any]
    conditions: Mapping[str, Any]
    environment: Mapping[str, Any]
    batch: int | None
    length: int | None
    new_tokens: int | None
    step_samples: int | None
    iterations: int | None


def job_of(config: dict[str, Any] | None) -> tuple[Job, Fields | None]:
    if config is None:
        return Job({}, {}, {}, {}, None, None, None, None, None), None
    root = Fields(config, "the configuration")
    backend, scenario = root.under("backend"), root.under("scenario" if "scenario" in config else "benchmark")
    environment = root.under("environment")
    shapes, generate = scenario.under("input_shapes"), scenario.under("generate_kwargs")
    training, data = scenario.under("training_arguments"), scenario.under("dataset_shapes")
    model = backend.model_name("model") or root.model_name("model")
    dtype = backend.text("torch_dtype") or backend.text("dtype")
    quantised = backend.text("quantization_scheme") or backend.text("quantization_strategy")
    per_device = training.count("per_device_train_batch_size", 1)
    steps = training.count("gradient_accumulation_steps", 1) or 1
    engine, version = backend.text("name"), backend.text("version")
    tool = environment.text("optimum_benchmark_version")
    settings = {
        "attention": backend.text("attn_implementation"),
        "quantisation": quantised,
        "adapter": backend.text("peft_type") or backend.text("peft_strategy"),
        "task": backend.text("task") or root.text("task"),
        "cache": backend.text("cache_implementation") or generate.text("cache_implementation"),
        "better_transformer": backend.switch("to_bettertransformer") or None,
        "engine": None if engine in (None, "pytorch") else engine,
        "provider": backend.text("provider"),
        "optimisation": backend.text("auto_optimization"),
        "auto_quantisation": backend.text("auto_quantization"),
        "autocast": backend.text("autocast_dtype") if backend.switch("autocast_enabled") else None,
    }
    compiled = backend.switch("torch_compile")
    columns = {
        "model": model,
        "weights_dtype": _dtype(backend, quantised, dtype, model),
        "compute_dtype": {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}.get(dtype or ""),
        "weights": "random" if backend.switch("no_weights") else "pretrained",
        "engine": f"{engine} (optimum-benchmark)" if engine else "optimum-benchmark",
        "engine_version": version,
        "execution": "compiled" if compiled else "eager" if engine == "pytorch" else None,
        "beams": generate.count("num_beams", 1),
    }
    conditions = {
        "transformers": environment.text("transformers_version"),
        "optimum_benchmark": tool,
        "threads": backend.count("intra_op_num_threads", 1),
    }
    surroundings = {
        "cpu": (environment.text("cpu") or "").strip() or None,
        "system": environment.text("system"),
        "python": environment.text("python_version"),
    }
    stated = lambda values: {k: v for k, v in values.items() if v is not None}  # noqa: E731
    return (
        Job(
            columns=stated(columns),
            settings=stated(settings),
            conditions=stated(conditions),
            environment=stated(surroundings),
            batch=shapes.count("batch_size", 1),
            length=shapes.count("sequence_length", 1) or data.count("sequence_length", 1),
            new_tokens=generate.count("max_new_tokens", 1) or scenario.count("new_tokens", 1),
            step_samples=None if per_device is None else per_device * steps,
            iterations=scenario.count("iterations", 1),
        ),
        root,
    )


def _dtype(backend: Fields, quantised: str | None, dtype: str | None, model: str | None) -> str | None:
    """What the weights are kept in: the scheme with its bits, also where only the model's name tells of it
    (then ``torch_dtype`` is what is computed in)."""
    if quantised:
        config = backend.under("quantization_config")
        bits = config.count("bits", 1, 32) or (4 if config.switch("load_in_4bit") else None)
        kind = config.values.get("quant_type")
        if bits or not isinstance(kind, str):
            return f"{quantised}-int{bits}" if bits else quantised
        return f"{quantised}-{clean(kind, 60)}"
    scheme = _SCHEME.search((model or "").lower())
    if scheme:
        bits = _BITS.search((model or "").lower())
        known = next(filter(None, bits.groups())) if bits else "4" if scheme[1] in ("awq", "gptq") else None
        return f"{scheme[1]}-int{known}" if known and "int" not in scheme[1] else scheme[1]
    return {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}.get(dtype or "", dtype)
