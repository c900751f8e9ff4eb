"""Published sizes: the parameter counts, by formula and as transformers builds them."""

import random

import pytest

from bench.errors import UsageError
from bench.models import SHAPES, shape
from bench.models.base import causal_pairs, rows_read

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


def test_a_table_is_read_by_the_row_and_each_row_once():
    draw = random.Random(5).randrange
    for lookups, rows in ((1, 500), (300, 500), (2_000, 500)):
        drawn = [len({draw(rows) for _ in range(lookups)}) for _ in range(200)]
        assert rows_read(lookups, rows) == pytest.approx(sum(drawn) / len(drawn), rel=0.02)
    assert rows_read(1, 30_522) == pytest.approx(1)
    assert rows_read(10**9, 30_522) == pytest.approx(30_522), "no table is read more than whole"


def test_an_encoder_reads_the_positions_that_it_has_and_no_others():
    bert = shape("bert-base-uncased")
    tables = (30_522 + 512 + 2) * 768
    short, long = (bert.pass_bytes(1, n, 4) for n in (32, 512))
    rows = [rows_read(n, 30_522) + n + 1 for n in (32, 512)]
    assert [short, long] == [round(4 * (bert.params - tables + n * 768)) for n in rows]
    assert bert.pass_bytes(10**6, 512, 4) < bert.weight_bytes(4), "never more than every weight once"
    assert shape("distilbert-base-uncased").pass_bytes(10**6, 512, 4) == 4 * 66_955_010


@pytest.mark.parametrize("name", ["Llama-3.1-8B", "Qwen2.5-14B"])
def test_a_long_prompt_reads_no_embedding_twice(name):
    model = shape(name)
    cache = model.cache_bytes(64, 8_192, 2)
    assert model.pass_bytes(64, 8_192, 0, 2, 2) - cache <= model.weight_bytes(2)
