"""FLOP formulas against torch's own counter.

The counter sees matrix products. It does not know the CPU's fused attention, so models run with the
plain one here, and it counts masked pairs too: the causal formulas are compared with all pairs, and the
pairs themselves are counted in ``tests/bench/models``. Equality is exact.
"""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from bench.cells import Cell
from bench.devices import open_device
from bench.models.base import causal_pairs, full_pairs
from bench.models.build import build
from bench.workloads import WORKLOADS, _training
from bench.workloads.decode import fill_cache, greedy, new_cache

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def cpu():
    return open_device("cpu")


def eager(name, device):
    built = build(name, "fp32", device)
    built.model.set_attn_implementation("eager")
    return built


def flops(call):
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


def ids(batch, length):
    return torch.arange(10, 10 + batch * length).view(batch, length)


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-distilbert"])
@pytest.mark.parametrize(("batch", "length"), [(1, 7), (3, 20)])
def test_encoder_forward(cpu, name, batch, length):
    built = eager(name, cpu)
    with torch.inference_mode():
        assert flops(lambda: built.model(input_ids=ids(batch, length))) == built.shape.forward_flops(
            batch, length
        )


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-qwen"])
@pytest.mark.parametrize(("batch", "length"), [(1, 7), (3, 20)])
def test_prompt(cpu, name, batch, length):
    built = eager(name, cpu)
    with torch.inference_mode():
        counted = flops(lambda: built.model(input_ids=ids(batch, length), logits_to_keep=1))
    assert counted == built.shape.forward_flops(batch, length, pairs=full_pairs(length))
    cell = Cell("prefill", model=name, batch=batch, input_tokens=length, output_tokens=1)
    masked = full_pairs(length) - causal_pairs(length)
    assert WORKLOADS["prefill"].need(cell).flops_per_sample == counted - 4 * batch * masked * 2 * 64


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-qwen"])
def test_generation(cpu, name):
    """The static cache is attended to over its whole length, the unwritten end included."""
    batch, depth, new = 3, 20, 4
    built = eager(name, cpu)
    cache = new_cache(built.model, depth + new)
    fill_cache(built.model, cache, batch, depth, seed=1)
    counted = flops(lambda: greedy(built.model, cpu, cache, ids(batch, 1), new))
    assert counted == new * built.shape.forward_flops(batch, 1, pairs=depth + new)
    cell = Cell("decode", model=name, batch=batch, context_depth=depth, output_tokens=new)
    unwritten = sum(depth + new - (depth + t) for t in range(1, new + 1))
    assert WORKLOADS["decode"].need(cell).flops_per_sample == counted - 4 * batch * unwritten * 2 * 64


@pytest.mark.parametrize("cell", WORKLOADS["summarize"].cells("tiny", "cpu"), ids=str)
def test_beam_search(cpu, cell):
    built = eager(cell.model, cpu)
    prepared = WORKLOADS["summarize"].prepare(cell, cpu, {cell.group: built})
    assert flops(prepared.step) == WORKLOADS["summarize"].need(cell).flops_per_sample


def test_beam_search_reads_these_weights(cpu):
    """Each call of a layer reads its weights once; the shared table is read as the head, its rows hardly."""
    (cell, *_) = WORKLOADS["summarize"].cells("tiny", "cpu")
    built = eager(cell.model, cpu)
    prepared = WORKLOADS["summarize"].prepare(cell, cpu, {cell.group: built})
    read = []

    def note(module, *_):
        read.append(sum(p.numel() for p in module.parameters(recurse=False)))

    for name, module in built.model.named_modules():
        if "embed_tokens" not in name and name != "shared":
            module.register_forward_hook(note)
    prepared.step()
    shape, rows, new = built.shape, cell.batch * cell.beams, cell.output_tokens
    cached = cell.input_tokens * (1 + new) + causal_pairs(new) + new
    traffic = 4 * (sum(read) + rows * 2 * shape.layers * shape.inner * cached)
    assert WORKLOADS["summarize"].need(cell).bytes_per_sample == traffic


def test_training_step(cpu):
    batch, length = 4, 20
    built = eager("tiny-distilbert", cpu)
    built.model.train()

    def step():
        built.model(input_ids=ids(batch, length), labels=torch.tensor([0, 1, 0, 1])).loss.backward()

    assert flops(step) == 3 * built.shape.forward_flops(batch, length)


def test_training_need_is_the_mean_over_real_batches(cpu):
    """The need's mean padded length against the batches that the collator makes of the real data."""
    (cell,) = WORKLOADS["finetune"].cells("quick", "cpu")
    data = _training.training_set(cell, 512).shuffle(seed=3)
    widths = [
        _training.pad([data[i] for i in range(start, start + cell.batch)])["input_ids"].shape[1]
        for start in range(0, 200 * cell.batch, cell.batch)
    ]
    from bench.models import shape

    model = shape(cell.model)
    mean = sum(3 * model.forward_flops(cell.batch, width) for width in widths) / len(widths)
    assert WORKLOADS["finetune"].need(cell).flops_per_sample == pytest.approx(mean, rel=0.03)


def test_matrix_product(cpu):
    (cell,) = [c for c in WORKLOADS["probe"].cells("tiny", "cpu") if c.settings["operation"] == "matmul"]
    prepared = WORKLOADS["probe"].prepare(cell, cpu, {})
    assert flops(prepared.step) == prepared.need.flops_per_sample
