"""From a shape to a model on a device: published architecture, seeded random weights or the real ones.

Random weights have the same shapes, arithmetic and memory traffic as trained ones, need no download,
and are the same on every machine. A model is laid out without memory first (torch's ``meta`` device),
then each parameter is allocated on the device in its final type and filled there: at no time do two
copies of the weights exist, nor a copy in another type.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.errors import BenchError, UsageError, unknown
from bench.models import shape
from bench.models.base import Shape

if TYPE_CHECKING:
    import torch

    from bench.devices.base import Device

#: Length of the random block that all weights are cut from. A prime: no matrix width divides it, so no
#: two rows of a matrix are equal and no two logits tie.
BLOCK = 1_048_583
WEIGHTS_SEED = 20_250_605


@dataclass(frozen=True)
class Built:
    """A model ready for inference on its device, and the seconds it took to get it there."""

    model: Any
    shape: Shape
    load_s: float


def torch_dtype(name: str) -> torch.dtype:
    """torch's type for weights of that name. Raises ``UsageError`` for one that models are not built in."""
    import torch

    types = {
        "fp32": torch.float32,
        "tf32": torch.float32,
        "bf16": torch.bfloat16,
        "fp16": torch.float16,
    }
    if name not in types:
        raise unknown("weights type", name, types)
    return types[name]


def build(name: str, dtype: str, device: Device, *, weights: str = "random") -> Built:
    """The model of that name on the device, in ``dtype``, in evaluation mode.

    ``weights`` is ``random`` or ``pretrained``. Raises ``UsageError`` for an unknown name or type,
    ``BenchError`` when pretrained weights cannot be had.
    """
    import accelerate  # noqa: F401 (imported before the clock starts)
    import transformers

    wanted, kind = shape(name), torch_dtype(dtype)
    getattr(transformers, wanted.model_class)  # imported on first use
    device.synchronize()
    start = time.perf_counter()
    make = _pretrained if weights == "pretrained" else _random
    model = make(wanted, kind, device.torch_device)
    _never_stop_early(model)
    model.eval()
    device.synchronize()
    return Built(model, wanted, time.perf_counter() - start)


def _random(wanted: Shape, dtype: torch.dtype, target: torch.device) -> Any:
    import torch
    import transformers
    from accelerate import init_empty_weights

    config = getattr(transformers, wanted.config_class)(**wanted.config())
    before = torch.get_default_dtype()
    # Parameters stay without memory; buffers (rotary angles, position ids) are small and get their values.
    torch.set_default_dtype(dtype)
    try:
        with init_empty_weights(include_buffers=False):
            model = getattr(transformers, wanted.model_class)(config)
    finally:
        torch.set_default_dtype(before)
    # Laying out without memory parts what is tied; tied again, it is filled once and stays one tensor.
    model.tie_weights()
    fill(model, dtype, target)
    for module in model.modules():
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = buffer.to(target)
    return model


def fill(model: torch.nn.Module, dtype: torch.dtype, target: torch.device) -> None:
    """Allocate every parameter on ``target`` in ``dtype`` and fill it; tied ones once.

    Norm weights are 1, biases 0. Matrices are stretches of one seeded block of normal values, scaled so
    that activations keep their size through the layers (standard deviation 1/sqrt(inputs)): no
    overflow in 16 bits, no NaN, no denormals. Copying a block is bound by memory; drawing 8 billion
    normal values takes minutes.
    """
    import torch

    block = random_block().to(dtype).to(target)
    made: dict[int, torch.nn.Parameter] = {}
    offset = 0
    for module_name, module in model.named_modules():
        for name, old in list(module._parameters.items()):
            if old is None:
                continue
            if id(old) not in made:
                data = torch.empty(old.shape, dtype=dtype, device=target)
                scale = _scale(model, module_name, module, name)
                if scale is None:
                    data.fill_(0.0 if name == "bias" else 1.0)
                else:
                    offset = _tile(data.view(-1), block * scale, offset)
                made[id(old)] = torch.nn.Parameter(data, requires_grad=old.requires_grad)
                made[id(made[id(old)])] = made[id(old)]
            module._parameters[name] = made[id(old)]


def random_block() -> torch.Tensor:
    """(BLOCK,) normal values in 32 bits on the CPU, the same everywhere, none closer to 0 than 1/64:
    scaled by the smallest scale in use they are still normal numbers in 16 bits."""
    import torch

    values = torch.randn(BLOCK, generator=torch.Generator().manual_seed(WEIGHTS_SEED))
    return torch.where(values < 0, values.clamp(max=-1 / 64), values.clamp(min=1 / 64))


def _tile(flat: torch.Tensor, block: torch.Tensor, offset: int) -> int:
    """Fill ``flat`` with the block over and over, beginning at ``offset``; returns where it ended."""
    done, total = 0, flat.numel()
    while done < total:
        count = min(BLOCK - offset, total - done)
        flat[done : done + count].copy_(block[offset : offset + count])
        done, offset = done + count, (offset + count) % BLOCK
    return offset


def _scale(model: Any, module_name: str, module: torch.nn.Module, name: str) -> float | None:
    """Standard deviation of a parameter; None for norms and biases.

    Embeddings get 0.02 as in BERT and Llama. T5 does not divide attention scores by the head's size
    and divides the head's input by the width, so its query weights are smaller by sqrt(head size) and its
    shared embedding is 1 (Raffel et al. 2019, as initialised in transformers).
    """
    import torch

    t5 = model.config.model_type == "t5"
    if isinstance(module, torch.nn.Embedding):
        if module_name.endswith("relative_attention_bias"):
            return model.config.d_model**-0.5
        return 1.0 if t5 else 0.02
    if isinstance(module, torch.nn.Linear) and name == "weight":
        query = t5 and module_name.endswith(".q")
        return 1 / math.sqrt(module.in_features * (model.config.d_kv if query else 1))
    return None


def _pretrained(wanted: Shape, dtype: torch.dtype, target: torch.device) -> Any:
    import transformers

    if not wanted.hub_id:
        raise UsageError(
            f"{wanted.name} is a made-up shape without pretrained weights.", hint="Use '--weights random'."
        )
    try:
        model = getattr(transformers, wanted.model_class).from_pretrained(
            wanted.hub_id, dtype=dtype, use_safetensors=True, trust_remote_code=False, device_map=target
        )
    except (OSError, ValueError) as error:
        raise BenchError(
            f"The pretrained weights of {wanted.name} ({wanted.hub_id}) cannot be loaded: "
            f"{_first_line(error)}",
            hint="They come from huggingface.co: check the network and, for a gated model, accept its "
            f"licence there and run 'hf auth login'; or fetch them ahead with 'hf download {wanted.hub_id}'. "
            "Without them, '--weights random' measures the same architecture and needs no download.",
        ) from error
    count = sum(p.numel() for p in model.parameters())
    if count != wanted.params:
        raise BenchError(
            f"{wanted.hub_id} has {count:,} parameters, the published {wanted.name} has {wanted.params:,}.",
            hint="The repository changed; measure with '--weights random' and report it.",
        )
    return model


def _never_stop_early(model: Any) -> None:
    """Disable end-of-sequence, so that output length depends on the cell alone."""
    model.config.eos_token_id = None
    if getattr(model, "generation_config", None) is not None:
        model.generation_config.eos_token_id = None


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
