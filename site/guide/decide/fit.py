"""Does a model fit? From its architecture against usable memory; what was measured overrules the estimate.

need = weights + key-value cache + activations
    weights      parameters x bytes of the stored type (for llama.cpp's types, file size over parameters)
    cache        2 x layers x key-value heads x head size x tokens x sequences x 2 bytes (16-bit cache)
    activations  of one pass over a block of tokens (``activation_bytes`` in ``bench.models.decoder``)
usable = memory, less what the system keeps (constants below)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bench.models import SHAPES
from bench.models.decoder import DecoderShape
from bench.schema import Row
from guide.analysis.labels import dtype_words, model_words
from guide.model import Fit, Price, System
from guide.show.figures import gibibytes, gigabytes, percent

#: Bytes of one weight in each stored type. llama.cpp's mixed types: size of the LLaMA 3 70B file over its
#: 70.55e9 parameters, as listed in the README of XiongjieDai/GPU-Benchmarks-on-LLM-Inference @aa72e0ec;
#: Q4_0 and Q8_0 from their block layout (32 weights and one 16-bit scale).
WEIGHT_BYTES: dict[str, float] = {
    "fp32": 4, "tf32": 4, "f32": 4, "bf16": 2, "fp16": 2, "f16": 2, "int8": 1, "int4": 0.5,
    "q2_k": 0.374, "q3_k_m": 0.486, "q4_0": 0.5625, "q4_k_s": 0.572, "q4_k_m": 0.603, "q5_k_m": 0.708,
    "q6_k": 0.820, "q8_0": 1.0625,
}  # fmt: skip
CACHE_BYTES = 2.0
#: Tokens that engines push through in one pass of a long prompt; it bounds the activations.
PASS_TOKENS = 512
#: What each discrete device loses to its context and libraries, in bytes.
DEVICE_OVERHEAD_BYTES = 600_000_000
#: Share of the memory of several devices that whole layers cannot fill.
SPLIT_LOSS = 0.03
#: Share of unified memory that the graphics side may take, up to and above 16 GiB (Metal's working set).
UNIFIED_SHARE = (0.70, 0.75)
#: Share of a processor's main memory that one program can count on.
HOST_SHARE = 0.85
#: Less room than this share of the usable memory is called tight.
TIGHT = 0.10

#: Other names of the same sizes. LLaMA 3 and 3.1 differ in training and positions, not in memory.
SAME_SHAPE: dict[str, str] = {
    "llama 3 8b": "Llama-3.1-8B",
    "llama 3 70b": "Llama-3.1-70B",
    "llama 3.1 8b": "Llama-3.1-8B",
    "llama 3.1 70b": "Llama-3.1-70B",
    "llama 3.2 1b": "Llama-3.2-1B",
    "llama 3.1 405b": "Llama-3.1-405B",
    "llama 3.2 3b": "Llama-3.2-3B",
}
#: Models that the collector does not run, but that a reader may want to hold. Sizes from each one's published
#: ``config.json``: Qwen2.5-32B (arXiv:2412.15115), Llama 3.1 405B (arXiv:2407.21783).
ONLY_HELD: tuple[DecoderShape, ...] = (
    DecoderShape(
        "Qwen2.5-32B", "Qwen/Qwen2.5-32B", vocab=152_064, hidden=5_120, layers=64, heads=40, head_dim=128,
        intermediate=27_648, qkv_bias=True,
    ),
    DecoderShape(
        "Llama-3.1-405B", "meta-llama/Llama-3.1-405B", hidden=16_384, layers=126, heads=128, head_dim=128,
        intermediate=53_248,
    ),
)  # fmt: skip
#: Name -> shape of every language model whose memory can be worked out.
DECODERS: dict[str, DecoderShape] = {
    shape.name: shape for shape in (*SHAPES.values(), *ONLY_HELD) if isinstance(shape, DecoderShape)
}


@dataclass(frozen=True)
class Requirement:
    """What must fit: ``context`` tokens for each of ``batch`` sequences, weights stored as ``dtype``."""

    model: str
    dtype: str
    context: int
    batch: int = 1

    @property
    def label(self) -> str:
        """``Llama 3 8B, Q4_K_M, 8,192 tokens of context``."""
        many = f", {self.batch} sequences" if self.batch > 1 else ""
        return (
            f"{model_words(self.model)}, {dtype_words(self.dtype)}, {self.context:,} tokens of context{many}"
        )


def known_shape(model: str) -> DecoderShape | None:
    """The published decoder shape behind a model's name in any of its spellings; None when unknown."""
    plain = model.lower().replace("-", " ").replace("_", " ").strip()
    plain = plain.removeprefix("meta ").removesuffix(" instruct")
    return DECODERS.get(SAME_SHAPE.get(plain, model))


def need_bytes(need: Requirement) -> int | None:
    """Memory that the requirement takes; None when the model's shape or the type is not known."""
    shape, element = known_shape(need.model), WEIGHT_BYTES.get(need.dtype.lower())
    if shape is None or element is None:
        return None
    cache = shape.cache_bytes(need.batch, need.context, CACHE_BYTES)
    activations = shape.activation_bytes(need.batch, min(need.context, PASS_TOKENS), CACHE_BYTES)
    return shape.weight_bytes(element) + cache + activations


def usable_bytes(system: System) -> int | None:
    """Memory of the system that a model can fill; None when its memory is not known."""
    if system.memory_bytes is None:
        return None
    if system.device_class == "cpu":
        return round(system.memory_bytes * HOST_SHARE)
    if system.unified_memory:
        small = system.memory_bytes / system.count <= 16 * 2**30
        return round(system.memory_bytes * UNIFIED_SHARE[0 if small else 1])
    split = 1 - SPLIT_LOSS if system.count > 1 else 1
    return round(system.memory_bytes * split - DEVICE_OVERHEAD_BYTES * system.count)


def assumed_words(system: System) -> str:
    """That the memory is only the least that the system's name may mean; "" where it is known."""
    if not system.memory_assumed or system.sold_gib is None:
        return ""
    return f" ({gigabytes(system.sold_gib * 2**30)} assumed: the name does not tell)"


def fit(need: Requirement, system: System, rows: Iterable[Row]) -> Fit:
    """Whether the requirement fits the system. ``rows`` are all rows of the system; those of the same model
    and type that ran it, or ran out of memory on it or less, overrule the estimate (the newest decides)."""
    wanted, usable = need_bytes(need), usable_bytes(system)
    told = _measured(need, rows)
    if told is not None:
        sentence = f"{need.label}: {_told(told)} (measured)."
        return Fit("fits" if told.ran else "no", "measured", sentence, wanted, usable)
    if wanted is None:
        return Fit("unknown", "computed", f"{need.label}: the model's sizes are not known here.")
    if usable is None:
        return Fit("unknown", "computed", f"{need.label}: the memory of {system.label} is not known.", wanted)
    figures = f"needs {gibibytes(wanted)}, usable {gibibytes(usable)}{assumed_words(system)}"
    if wanted > usable:
        return Fit("no", "computed", f"{need.label}: {figures}.", wanted, usable)
    verdict = "tight" if usable - wanted < TIGHT * usable else "fits"
    return Fit(verdict, "computed", f"{need.label}: {figures}.", wanted, usable)


def fit_all(needs: Iterable[Requirement], system: System, rows: Iterable[Row]) -> Fit | None:
    """The worst of several requirements; None when nothing must fit."""
    order = {"no": 0, "unknown": 1, "tight": 2, "fits": 3}
    rows = list(rows)
    return min((fit(need, system, rows) for need in needs), key=lambda f: order[f.verdict], default=None)


def least_system(system: System, price: Price | None) -> System | None:
    """The smallest system that the price may buy, where it may be of one with less memory; its memory is
    None where no smaller size is known. None where the price surely buys this system."""
    if price is None or not price.any_size:
        return None
    if price.least_gib is None:
        return replace(system, memory_bytes=None, memory_assumed=False)
    least = round(price.least_gib * 2**30)
    if system.memory_bytes is not None and system.memory_bytes <= least:
        return None
    return replace(system, memory_bytes=least, memory_assumed=False)


def fit_least(needs: Iterable[Requirement], least: System) -> Fit | None:
    """``fit_all`` for a purchase of unknown size, by the smallest it may be: what ran on the largest says
    nothing of it."""
    found = fit_all(needs, least, ())
    if found is None or found.usable_bytes is None or least.memory_bytes is None:
        return found
    words = f"{found.sentence.rstrip('.')} on the smallest size sold, {gigabytes(least.memory_bytes)}."
    return replace(found, sentence=words)


@dataclass(frozen=True)
class Run:
    """A model that ran, or ran out of memory, with ``tokens`` in the cache of each of ``batch`` sequences.
    ``model`` is the published shape's name where it is known, ``dtype`` as ``same_dtype`` gives it."""

    model: str
    dtype: str
    tokens: int
    batch: int
    ran: bool

    def settles(self, need: Requirement) -> bool:
        """Whether it says if ``need``, of the same model and type, fits: it ran more, or failed on less."""
        if self.ran:
            return self.tokens >= need.context and self.batch >= need.batch
        return 0 < self.tokens <= need.context and self.batch <= need.batch


def runs(rows: Iterable[Row]) -> list[Run]:
    """The runs of these rows, oldest first; of one moment failures last, for what did not run cannot be
    promised. The last one that settles a need decides."""
    found = [
        (row["recorded_at"], row["status"] == "oom", row["cell_id"], row)
        for row in rows
        if row["status"] in ("ok", "oom") and row["model"] and row["weights_dtype"]
    ]
    found.sort(key=lambda f: f[:3])
    return [
        Run(
            same_model(row["model"]),
            same_dtype(row["weights_dtype"]),
            _extent(row),
            row["batch"] or 1,
            not oom,
        )
        for _, oom, _, row in found
    ]


def same_model(model: str) -> str:
    """One name for all spellings of a published shape; any other name as it is."""
    shape = known_shape(model)
    return shape.name if shape else model


def same_dtype(dtype: str) -> str:
    """One name for the spellings of a type: ``FP16 -> f16``."""
    return dtype.lower().replace("fp16", "f16")


def _measured(need: Requirement, rows: Iterable[Row]) -> Run | None:
    """The run that settles the question."""
    model, dtype = same_model(need.model), same_dtype(need.dtype)
    wanted = [
        row
        for row in rows
        if row["model"] and row["weights_dtype"] and same_dtype(row["weights_dtype"]) == dtype
    ]
    told = [run for run in runs(wanted) if run.model == model and run.settles(need)]
    return told[-1] if told else None


def _extent(row: Row) -> int:
    """Tokens that a row held in its cache."""
    return sum(row[name] or 0 for name in ("input_tokens", "output_tokens", "context_depth"))


def _told(run: Run) -> str:
    if run.ran:
        return f"ran with {run.tokens:,} tokens"
    many = f" and {run.batch} sequences" if run.batch > 1 else ""
    return f"ran out of memory at {run.tokens:,} tokens{many}"


def rules() -> tuple[str, ...]:
    """How fit is judged, as sentences for the Methodology page, from the constants."""
    low, high = map(percent, UNIFIED_SHARE)
    return (
        "A model fits when weights, key-value cache (16-bit) and activations, from its published sizes, stay "
        "inside the usable memory.",
        f"Usable: on a card all but {gibibytes(DEVICE_OVERHEAD_BYTES)}; of unified memory {low} up to 16 GiB "
        f"and {high} above; of a processor's main memory {percent(HOST_SHARE)}; of several devices the sum, "
        f"less {percent(SPLIT_LOSS)} that whole layers cannot fill.",
        "Memory carries the size it is sold under: the 24 GB of a card are 24 GiB (of 2^30 bytes). What a "
        "model needs and what is usable are given in GiB, to be held against it.",
        "A price that may be of a machine with less memory is judged by the smallest size that a price of "
        "the device names; where none does, it carries no pick of what must fit.",
        f"Less than {percent(TIGHT)} to spare is called tight. A measured run, or a measured out-of-memory, "
        "overrules the estimate.",
    )
