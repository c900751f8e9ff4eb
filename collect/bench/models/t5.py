"""T5, the encoder-decoder of Raffel et al. 2019 (arXiv:1910.10683)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.models.base import Shape, causal_pairs, full_pairs


@dataclass(frozen=True)
class T5Shape(Shape):
    """First-generation T5: ReLU MLP, relative positions in the first layer, head tied to the embedding.

    ``layers`` counts the encoder's; the decoder has as many.
    """

    vocab: int = 32_128
    hidden: int = 1_024
    layers: int = 24
    heads: int = 16
    head_dim: int = 64
    intermediate: int = 4_096
    buckets: int = 32

    @property
    def inner(self) -> int:
        """Width of queries, keys and values together over all heads."""
        return self.heads * self.head_dim

    @property
    def attention_params(self) -> int:
        """Elements of one attention block: query, key, value and output, without biases."""
        return 4 * self.hidden * self.inner

    @property
    def mlp_params(self) -> int:
        """Elements of one MLP's two matrices."""
        return 2 * self.hidden * self.intermediate

    @property
    def encoder_params(self) -> int:
        """Elements of the encoder's matrices and norms, the shared embedding left out."""
        layer = self.attention_params + self.mlp_params + 2 * self.hidden
        return self.layers * layer + self.hidden + self.buckets * self.heads

    @property
    def decoder_params(self) -> int:
        """Elements of the decoder's matrices and norms, the shared embedding left out."""
        layer = 2 * self.attention_params + self.mlp_params + 3 * self.hidden
        return self.layers * layer + self.hidden + self.buckets * self.heads

    @property
    def params(self) -> int:
        return self.vocab * self.hidden + self.encoder_params + self.decoder_params

    def config(self) -> dict[str, Any]:
        return {
            "vocab_size": self.vocab,
            "d_model": self.hidden,
            "d_kv": self.head_dim,
            "d_ff": self.intermediate,
            "num_layers": self.layers,
            "num_decoder_layers": self.layers,
            "num_heads": self.heads,
            "relative_attention_num_buckets": self.buckets,
            "feed_forward_proj": "relu",
            "tie_word_embeddings": True,
            "decoder_start_token_id": 0,
            "pad_token_id": 0,
            "eos_token_id": None,
        }

    def encode_flops(self, articles: int, length: int) -> int:
        """FLOPs of the encoder: linear layers 2 x tokens x elements, attention 4 x pairs x inner width."""
        linear = 2 * articles * length * (self.attention_params + self.mlp_params)
        attention = 4 * articles * full_pairs(length) * self.inner
        return self.layers * (linear + attention)

    def decode_flops(self, rows: int, length: int, new: int) -> int:
        """FLOPs of ``new`` cached decoder steps for ``rows`` beams over an input of ``length`` tokens.

        Step t computes one token a row: self-attention and MLP matrices, query and output of the
        cross-attention, t cached keys, ``length`` encoder keys, and the head. Keys and values of the
        encoder's output are projected once a row, at the first step (transformers repeats the encoder's
        output for each beam before the decoder runs, so it is once a beam, not once an article).
        """
        step = self.attention_params + self.attention_params // 2 + self.mlp_params
        linear = 2 * rows * new * self.layers * step
        cross_keys = 2 * rows * length * self.layers * self.attention_params // 2
        pairs = causal_pairs(new) + new * length
        attention = 4 * rows * pairs * self.layers * self.inner
        head = 2 * rows * new * self.vocab * self.hidden
        return linear + cross_keys + attention + head

    def generate_bytes(self, articles: int, length: int, new: int, beams: int, element: float) -> int:
        """Least memory traffic of one beam search.

        The encoder's weights once; at each step the decoder's weights, the head, the encoder keys and
        values of every row, and the self-attention cache; the cache is written once a token and, from
        the second step on, reordered (read and written) when beams change. Only the reads that no
        implementation can avoid are counted: the weights that make keys and values of the encoder's output
        once, and neither reordering nor activations.
        """
        rows, per_token = articles * beams, 2 * self.layers * self.inner
        only_first = self.layers * self.attention_params // 2
        step = self.decoder_params - only_first + self.vocab * self.hidden
        weights = self.encoder_params + only_first + new * step
        cross = rows * length * per_token * (1 + new)
        own = rows * per_token * (causal_pairs(new) + new)
        return round((weights + cross + own) * element)

    def cache_bytes(self, rows: int, length: int, new: int, element: float) -> int:
        """Bytes of keys and values of ``new`` own tokens and ``length`` encoder tokens for each beam."""
        return round(2 * self.layers * self.inner * rows * (length + new) * element)

    def memory_bytes(self, articles: int, length: int, new: int, beams: int, element: float) -> int:
        """Most memory resident: weights, both caches (twice the self-attention one: beams are reordered
        into a copy), the encoder's widest activations with its attention scores, and the logits in 32 bits
        with the copies that scoring makes of them (4)."""
        rows = articles * beams
        caches = self.cache_bytes(rows, length, 2 * new, element)
        tokens = articles * length
        activations = tokens * (6 * self.hidden + 2 * self.intermediate)
        scores = 3 * articles * self.heads * full_pairs(length)
        logits = 4 * rows * self.vocab * 4
        return round((self.params + activations + scores) * element) + caches + logits


T5_LARGE = T5Shape(
    "t5-large", "google-t5/t5-large", model_class="T5ForConditionalGeneration", config_class="T5Config"
)
TINY_T5 = T5Shape(
    "tiny-t5", "", model_class="T5ForConditionalGeneration", config_class="T5Config",
    vocab=512, hidden=64, layers=2, heads=4, head_dim=16, intermediate=192,
)  # fmt: skip

SHAPES = (T5_LARGE, TINY_T5)
