"""Published sizes: the parameter counts, by formula and as transformers builds them."""

import pytest

from bench.errors import UsageError
from bench.models import SHAPES, shape
from bench.models.base import causal_pairs

PUBLISHED = {
    "t5-large": 737_668_096,
    "distilbert-base-uncased": 66_955_010,
    "bert-base-uncased": 109_482_240,
    "Llama-3.2-1B": 1_235_814_400,
    "Llama-3.2-3B": 3_212_749_824,
    "Llama-3.1-8B": 8_030_261_248,
    "Qwen2.5-14B": 14_770_033_664,
    "Llama-3.1-70B": 70_553_706_496,
}


@pytest.mark.parametrize(("name", "params"), PUBLISHED.items())
def test_published_parameter_counts(name, params):
    assert shape(name).params == params


def test_every_shape_is_published_or_tiny():
    assert {name for name in SHAPES if not name.startswith("tiny-")} == set(PUBLISHED)


@pytest.mark.torch
@pytest.mark.parametrize("name", SHAPES)
def test_transformers_builds_as_many_parameters(name):
    import torch
    import transformers

    wanted = shape(name)
    config = getattr(transformers, wanted.config_class)(**wanted.config())
    with torch.device("meta"):
        model = getattr(transformers, wanted.model_class)(config)
    assert sum(p.numel() for p in model.parameters()) == wanted.params


def test_unknown_model_names_the_nearest():
    with pytest.raises(UsageError, match=r"Did you mean 'Llama-3.2-1B'"):
        shape("Llama-3.2-1")


def test_causal_pairs_count_what_the_mask_leaves():
    depth, queries = 5, 4
    visible = sum(1 for i in range(queries) for j in range(depth + queries) if j <= depth + i)
    assert causal_pairs(queries, depth) == visible
