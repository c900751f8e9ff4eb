"""Token generation of decoder-only language models, one token at a time at a given context depth.

The loop is written by hand around ``model()``: it measures the model and the framework under it, not
``generate()``'s own bookkeeping. Each token is picked greedily and waited for, as a server that streams
to a person does, so that every inter-token time is real; the wait costs a device little against a
forward pass, and nothing on a CPU.

The key-value cache is transformers' ``StaticCache``, allocated once at depth + output tokens and written
in place. The dynamic one copies the whole cache for every token, which would measure the copy. Its first
``context_depth`` positions are filled with seeded normal values: what they hold changes neither arithmetic
nor traffic, and filling them by a real prompt could take longer than the measurement. Before each
repetition it is rewound, outside the timed part.
"""

from __future__ import annotations

import inspect
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench.cells import DTYPE_BYTES, Cell, Need
from bench.models import shape
from bench.models.decoder import DecoderShape
from bench.workloads._execution import ALL, CUDA_GRAPH, Passes
from bench.workloads.base import Prepared, Unsupported, Workload
from bench.workloads.common import built_model, cell_seed, require, token_ids
from bench.workloads.grids import llm_grid

if TYPE_CHECKING:
    import torch

    from bench.devices.base import Device
    from bench.measure.harness import Harness

#: Tokens of one repetition.
OUTPUT_TOKENS = {"tiny": 4, "quick": 8, "standard": 32, "full": 64}
#: Tokens that a CUDA graph must write as the eager pass does before it is timed.
COMPARED = 4


class Decode(Workload):
    """One repetition generates ``output_tokens`` tokens for each sequence, after ``context_depth``."""

    name = "decode"
    title = "LLM token generation"
    what = "A language model writes its answer one token at a time, behind a context of a given depth."
    why = "It sets how fast text appears, and how many readers one device serves."
    rate_unit = "tokens/s"
    executions = ALL

    def cells(self, suite: str, device_kind: str) -> list[Cell]:
        """Model x type x batch x context depth, see ``bench.workloads.grids``."""
        return [
            point.cell(
                self.name,
                output_tokens=OUTPUT_TOKENS[suite],
                context_depth=point.length,
                settings={"cache": "static"},
            )
            for point in llm_grid(suite, device_kind)
        ]

    def need(self, cell: Cell) -> Need:
        """Each token reads the weights and the cache so far (formulas: ``DecoderShape``)."""
        model: DecoderShape = shape(cell.model)
        element = DTYPE_BYTES[cell.weights_dtype]
        batch, depths = cell.batch, range(cell.context_depth, cell.context_depth + cell.output_tokens)
        weights = model.weight_bytes(element)
        cache = model.cache_bytes(batch, cell.context_depth + cell.output_tokens, element)
        return Need(
            memory_bytes=weights + cache + model.activation_bytes(batch, 1, element),
            flops_per_sample=sum(model.forward_flops(batch, 1, depth) for depth in depths),
            bytes_per_sample=sum(model.pass_bytes(batch, 1, depth, element, element) for depth in depths),
            work_per_sample=batch * cell.output_tokens,
            working_set_bytes=weights + cache,
            params=model.params,
            active_params=model.params,
        )

    def times(self, row: Mapping[str, Any]) -> dict[str, float]:
        """The median inter-token latency in milliseconds."""
        return {"ITL ms": row["inter_token_p50_ms"]} if row["inter_token_p50_ms"] else {}

    def prepare(self, cell: Cell, device: Device, models: dict[str, Any]) -> Prepared:
        require(device, cell.weights_dtype, cell.compute_dtype)
        model, load_s = built_model(cell, device, models)
        first = token_ids(cell, model.config.vocab_size, cell.batch, 1).to(device.torch_device)
        cache = new_cache(model, cell.context_depth + cell.output_tokens)
        fill_cache(model, cache, cell.batch, cell.context_depth, cell_seed(cell))
        return DecodePrepared(Passes(model, cell, device), cache, first, cell, load_s)


class DecodePrepared(Prepared):
    """``tokens`` is what the last repetition wrote: (batch, output_tokens) ids."""

    def __init__(self, passes: Passes, cache: Any, first: torch.Tensor, cell: Cell, load_s: float) -> None:
        self.model, self.device, self.cache, self.first = passes.model, passes.device, cache, first
        self.depth, self.count = cell.context_depth, cell.output_tokens
        self.tokens: torch.Tensor | None = None
        self._token_s: list[list[float]] = []
        self._eager = next_token(passes.call, cache, cache_argument(self.model))
        self._next = self._eager
        passes.get_ready(self._one_token)
        if passes.execution == CUDA_GRAPH:
            self._next = self._replayed(passes)
        self.load_s, self.conditions = load_s + passes.setup_s, passes.conditions

    def run(self, harness: Harness) -> None:
        while harness.wants_more():
            rewind(self.cache, self.depth)
            with harness.sample():
                self.tokens, seconds = generate(self._next, self.device, self.first, self.count)
            self._token_s.append(seconds)

    def one_pass(self) -> bool:
        self._one_token()
        return True

    def _one_token(self) -> None:
        import torch

        rewind(self.cache, self.depth)
        with torch.inference_mode():
            self._eager(self.first)

    def _replayed(self, passes: Passes) -> Callable[[torch.Tensor], torch.Tensor]:
        """Token to next token by a graph, which reads its token from one place and writes it to another."""
        token = self.first.clone()

        def step() -> torch.Tensor:
            return self._eager(token)

        # The cache's length is a tensor on the device: the graph moves it on by itself.
        replay = passes.captured(step, before=lambda: rewind(self.cache, self.depth))

        def following(last: torch.Tensor) -> torch.Tensor:
            token.copy_(last)
            return replay().clone()

        self._compare(following)
        return following

    def _compare(self, following: Callable[[torch.Tensor], torch.Tensor]) -> None:
        """Raises ``Unsupported`` unless a replayed graph writes on as the eager pass does: one whose cache
        stands still would give the first token again and again, and be no slower for it."""
        import torch

        answers = []
        for step in (self._eager, following):
            rewind(self.cache, self.depth)
            answers.append(generate(step, self.device, self.first, min(self.count, COMPARED))[0])
        if not torch.equal(*answers):
            raise Unsupported("the captured CUDA graph writes other tokens than the eager run")

    def columns(self, harness: Harness) -> dict[str, Any]:
        """Percentiles of the counted repetitions' tokens; those of the warm-up came before them."""
        return latencies([s for one in self._token_s[-len(harness.samples_s) :] for s in one])


def latencies(token_s: Sequence[float]) -> dict[str, float]:
    """Columns of the times between tokens: their median, and the percentiles that so many tokens can tell.

    Of fewer than 20 the 95th is the slowest one by another name, and so is the 99th of fewer than 100.
    """
    found = {"inter_token_p50_ms": 1e3 * statistics.median(token_s)}
    for percent in (95, 99):
        if len(token_s) >= 100 / (100 - percent):
            cuts = statistics.quantiles(token_s, n=100, method="inclusive")
            found[f"inter_token_p{percent}_ms"] = 1e3 * cuts[percent - 1]
    return found


def greedy(
    model: Any, device: Device, cache: Any, token: torch.Tensor, count: int
) -> tuple[torch.Tensor, list[float]]:
    """Generate ``count`` tokens after ``token`` (batch, 1): ((batch, count) ids, seconds of each)."""
    return generate(next_token(model, cache, cache_argument(model)), device, token, count)


def next_token(call: Callable[..., Any], cache: Any, name: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """One forward pass behind ``cache``, handed over as ``name``: (batch, 1) ids to the likeliest next ones.
    To be called in inference mode, which is not entered here for every token."""

    def step(token: torch.Tensor) -> torch.Tensor:
        logits = call(input_ids=token, use_cache=True, logits_to_keep=1, **{name: cache}).logits
        return logits[:, -1].argmax(-1, keepdim=True)

    return step


def generate(
    step: Callable[[torch.Tensor], torch.Tensor], device: Device, token: torch.Tensor, count: int
) -> tuple[torch.Tensor, list[float]]:
    """``count`` steps from ``token`` on, each waited for: ((batch, count) ids, seconds of each)."""
    import torch

    made, seconds = [], []
    begin = time.perf_counter()
    with torch.inference_mode():
        for _ in range(count):
            token = step(token)
            device.synchronize()
            end = time.perf_counter()
            seconds.append(end - begin)
            begin = end
            made.append(token)
    return torch.cat(made, dim=1), seconds


def cache_argument(model: Any) -> str:
    """What this version of transformers calls the key-value cache in ``forward``."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def new_cache(model: Any, tokens: int) -> Any:
    """An empty cache for ``tokens`` tokens a sequence, written in place."""
    import transformers

    return transformers.StaticCache(config=model.config, max_cache_len=tokens)


def fill_cache(model: Any, cache: Any, batch: int, depth: int, seed: int) -> None:
    """Put ``depth`` tokens of seeded normal values into every layer, the same ones on every machine."""
    import torch

    config = model.config
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    weight = model.get_input_embeddings().weight
    sizes = (2, batch, config.num_key_value_heads, depth, head_dim)
    generator = torch.Generator().manual_seed(seed)
    keys, values = torch.randn(sizes, generator=generator).to(weight.device, weight.dtype)
    for layer in range(config.num_hidden_layers):
        cache.update(keys, values, layer)


def rewind(cache: Any, depth: int) -> None:
    """Forget what was generated beyond ``depth``. Raises ``Unsupported`` if transformers cannot."""
    extra = int(cache.get_seq_length()) - depth
    if extra:
        cache.crop(-extra)
    if int(cache.get_seq_length()) != depth:
        raise Unsupported("this version of transformers cannot rewind a static key-value cache")
