"""Building: seeded, tied, finite, in the right type, and never two copies."""

import pytest
import torch

from bench.devices import open_device
from bench.errors import BenchError, UsageError
from bench.models import SHAPES
from bench.models.build import BLOCK, _tile, build, random_block

pytestmark = pytest.mark.torch
TINY = sorted(name for name in SHAPES if name.startswith("tiny-"))
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


@pytest.fixture(scope="module")
def cpu():
    return open_device("cpu")


def run(model, ids):
    extra = {"decoder_input_ids": ids} if model.config.is_encoder_decoder else {}
    with torch.inference_mode():
        return model(input_ids=ids, **extra)[0]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", TINY)
def test_weights_are_of_the_type_and_outputs_finite(cpu, name, dtype):
    built = build(name, dtype, cpu)
    parameters = list(built.model.parameters())
    assert {p.dtype for p in parameters} == {TYPES[dtype]}
    assert sum(p.numel() for p in parameters) == built.shape.params
    tiny = torch.finfo(TYPES[dtype]).tiny
    assert all(((p == 0) | (p.abs() >= tiny)).all() for p in parameters), "denormal weights"
    output = run(built.model, torch.arange(10, 42).view(2, 16)).float()
    assert output.isfinite().all()
    assert 0.01 < output.std() < 100, "activations neither vanish nor explode"


@pytest.mark.parametrize("name", TINY)
def test_the_same_seed_gives_the_same_model(cpu, name):
    ids = torch.arange(10, 42).view(2, 16)
    first, second = (run(build(name, "fp32", cpu).model, ids) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first[0], first[1]), "the output depends on the input"


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-t5"])
def test_tied_weights_are_one_tensor(cpu, name):
    model = build(name, "bf16", cpu).model
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_untied_head_is_its_own_tensor(cpu):
    model = build("tiny-qwen", "fp32", cpu).model
    assert not torch.equal(model.get_output_embeddings().weight, model.get_input_embeddings().weight)


@pytest.mark.parametrize("name", TINY)
def test_buffers_hold_what_transformers_computes(cpu, name):
    import transformers

    built = build(name, "fp32", cpu)
    config = getattr(transformers, built.shape.config_class)(**built.shape.config())
    usual = dict(getattr(transformers, built.shape.model_class)(config).named_buffers())
    ours = dict(built.model.named_buffers())
    assert ours.keys() == usual.keys()
    assert all(torch.equal(ours[key], usual[key]) for key in usual)


def test_no_parameter_of_the_layout_had_memory(cpu, monkeypatch):
    """Every parameter is allocated once, at its final size and type: nothing is copied or converted."""
    from bench.models import build as module

    seen = []
    fill = module.fill

    def spy(model, dtype, target):
        seen.extend(p.device.type for p in model.parameters())
        fill(model, dtype, target)

    monkeypatch.setattr(module, "fill", spy)
    build("tiny-llama", "bf16", cpu)
    assert set(seen) == {"meta"}


def test_end_of_sequence_is_disabled(cpu):
    for name in ("tiny-llama", "tiny-t5"):
        model = build(name, "fp32", cpu).model
        assert model.config.eos_token_id is None
        assert model.generation_config.eos_token_id is None


def test_tiling_goes_on_where_it_ended():
    block = random_block()
    flat = torch.empty(BLOCK + 10)
    assert _tile(flat, block, BLOCK - 3) == 7
    assert torch.equal(flat[:3], block[-3:])
    assert torch.equal(flat[3 : 3 + BLOCK], block)


def test_the_block_has_no_values_near_zero():
    block = random_block()
    assert block.abs().min() >= 1 / 64
    assert abs(block.std() - 1) < 0.01
    assert abs(block.mean()) < 0.01


def test_unknown_type_is_a_usage_error(cpu):
    with pytest.raises(UsageError, match="Unknown weights type 'int3'"):
        build("tiny-bert", "int3", cpu)


def test_a_made_up_shape_has_no_pretrained_weights(cpu):
    with pytest.raises(UsageError, match="made-up shape"):
        build("tiny-bert", "fp32", cpu, weights="pretrained")


def test_pretrained_without_network_says_what_to_do(cpu, tmp_path, monkeypatch):
    import huggingface_hub.constants
    import transformers

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    load = transformers.BertModel.from_pretrained
    monkeypatch.setattr(
        transformers.BertModel, "from_pretrained", lambda *a, **k: load(*a, cache_dir=tmp_path, **k)
    )
    with pytest.raises(BenchError, match=r"cannot be loaded") as caught:
        build("bert-base-uncased", "fp32", cpu, weights="pretrained")
    assert "--weights random" in caught.value.message
    assert "hf download google-bert/bert-base-uncased" in caught.value.message


def test_pretrained_weights_load_from_safetensors(cpu, tmp_path, monkeypatch):
    """A saved tiny model stands in for the hub: the same loading path, without a network."""
    import dataclasses

    from bench import models

    source = build("tiny-bert", "fp32", cpu)
    source.model.save_pretrained(tmp_path / "hub")
    local = dataclasses.replace(source.shape, hub_id=str(tmp_path / "hub"))
    monkeypatch.setitem(models.SHAPES, "tiny-bert", local)
    loaded = build("tiny-bert", "fp32", cpu, weights="pretrained").model
    ids = torch.arange(10, 42).view(2, 16)
    assert torch.equal(run(loaded, ids), run(source.model, ids))


def test_a_repository_of_another_size_is_refused(cpu, tmp_path, monkeypatch):
    import dataclasses

    from bench import models

    source = build("tiny-bert", "fp32", cpu)
    source.model.save_pretrained(tmp_path / "hub")
    wrong = dataclasses.replace(source.shape, hub_id=str(tmp_path / "hub"), layers=3)
    monkeypatch.setitem(models.SHAPES, "tiny-bert", wrong)
    with pytest.raises(BenchError, match="parameters"):
        build("tiny-bert", "fp32", cpu, weights="pretrained")
