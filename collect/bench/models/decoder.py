"""Decoder-only language models of the Llama kind.

Sizes from each model's published ``config.json``: Llama 3.2 1B and 3B, Llama 3.1 8B and 70B
(Grattafiori et al. 2024, arXiv:2407.21783), Qwen2.5-14B (Qwen Team 2024, arXiv:2412.15115).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.models.base import Shape, causal_pairs, rows_read

#: How Llama 3.1 stretches its rotary positions (its published config); it changes angles, not work.
LLAMA31_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8_192,
}
LLAMA32_ROPE = LLAMA31_ROPE | {"factor": 32.0}


@dataclass(frozen=True)
class DecoderShape(Shape):
    """A pre-norm decoder with rotary positions, grouped key-value heads and a gated MLP.

    ``tied`` shares the output head with the embedding; ``qkv_bias`` adds biases to query, key and value.
    """

    vocab: int = 128_256
    hidden: int = 2_048
    layers: int = 16
    heads: int = 32
    kv_heads: int = 8
    head_dim: int = 64
    intermediate: int = 8_192
    positions: int = 131_072
    tied: bool = False
    qkv_bias: bool = False
    rope: tuple[tuple[str, Any], ...] = ()

    @property
    def linear_params(self) -> int:
        """Elements of one layer's weight matrices: query and output, key and value, and the MLP's three."""
        attention = 2 * self.hidden * self.head_dim * (self.heads + self.kv_heads)
        return attention + 3 * self.hidden * self.intermediate

    @property
    def params(self) -> int:
        biases = self.head_dim * (self.heads + 2 * self.kv_heads) * self.qkv_bias
        layer = self.linear_params + biases + 2 * self.hidden
        embeddings = self.vocab * self.hidden * (1 if self.tied else 2)
        return embeddings + self.layers * layer + self.hidden

    def config(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            "vocab_size": self.vocab,
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "intermediate_size": self.intermediate,
            "max_position_embeddings": self.positions,
            "tie_word_embeddings": self.tied,
            "rope_parameters": dict(self.rope),
            "use_cache": True,
            "bos_token_id": None,
            "eos_token_id": None,
            "pad_token_id": None,
        }
        # Qwen2 derives the head's size and its biases; Llama takes the size.
        return values if self.qkv_bias else values | {"head_dim": self.head_dim}

    def forward_flops(
        self, batch: int, new: int, depth: int = 0, *, logits: int = 1, pairs: int | None = None
    ) -> int:
        """FLOPs of one forward pass of ``new`` tokens a sequence behind ``depth`` cached ones.

        ``logits`` positions a sequence go through the output head. Linear layers 2 x tokens x elements;
        attention 2 products of 2 x pairs x heads x head size (Kaplan et al. 2020, arXiv:2001.08361,
        table 1) over ``pairs`` query-key pairs, by default those that the causal mask leaves.
        """
        seen = causal_pairs(new, depth) if pairs is None else pairs
        linear = 2 * batch * new * self.layers * self.linear_params
        attention = 4 * batch * seen * self.layers * self.heads * self.head_dim
        head = 2 * batch * logits * self.vocab * self.hidden
        return linear + attention + head

    def cache_bytes(self, batch: int, tokens: int, element_bytes: float) -> int:
        """Bytes of the key-value cache: 2 x layers x key-value heads x head size for each token."""
        return round(2 * self.layers * self.kv_heads * self.head_dim * batch * tokens * element_bytes)

    def pass_bytes(
        self, batch: int, new: int, depth: int, weight_element: float, cache_element: float
    ) -> int:
        """Least memory traffic of one forward pass.

        Every weight once (of the embedding only the rows looked up, each once, unless it is also the head),
        the cached keys and values read once, the new ones written. Activations between kernels are left
        out: they may stay in cache.
        """
        read = float(self.params)
        if not self.tied:
            read -= (self.vocab - rows_read(batch * new, self.vocab)) * self.hidden
        return round(read * weight_element) + self.cache_bytes(batch, depth + new, cache_element)

    def activation_bytes(self, batch: int, new: int, element_bytes: float) -> int:
        """Most activation memory of a forward pass without gradients.

        Per token: residual and its norm, queries and attention output (4 x heads x head size at most),
        keys and values, and the MLP's gate, up and product (3 x intermediate); per sequence one row of
        logits, once in the model's type and once in 32 bits.
        """
        width = 2 * self.hidden + 2 * self.head_dim * (self.heads + self.kv_heads) + 3 * self.intermediate
        return round(batch * new * width * element_bytes + batch * self.vocab * (element_bytes + 4))


def _llama(name: str, hub_id: str, rope: dict[str, Any], **sizes: Any) -> DecoderShape:
    return DecoderShape(
        name, hub_id, model_class="LlamaForCausalLM", config_class="LlamaConfig",
        rope=tuple(rope.items()), **sizes,
    )  # fmt: skip


LLAMA_1B = _llama("Llama-3.2-1B", "meta-llama/Llama-3.2-1B", LLAMA32_ROPE, tied=True)
LLAMA_3B = _llama(
    "Llama-3.2-3B", "meta-llama/Llama-3.2-3B", LLAMA32_ROPE, tied=True,
    hidden=3_072, layers=28, heads=24, head_dim=128,
)  # fmt: skip
LLAMA_8B = _llama(
    "Llama-3.1-8B", "meta-llama/Llama-3.1-8B", LLAMA31_ROPE,
    hidden=4_096, layers=32, head_dim=128, intermediate=14_336,
)  # fmt: skip
QWEN_14B = DecoderShape(
    "Qwen2.5-14B", "Qwen/Qwen2.5-14B", model_class="Qwen2ForCausalLM", config_class="Qwen2Config",
    vocab=152_064, hidden=5_120, layers=48, heads=40, head_dim=128, intermediate=13_824, qkv_bias=True,
    rope=(("rope_type", "default"), ("rope_theta", 1_000_000.0)),
)  # fmt: skip
LLAMA_70B = _llama(
    "Llama-3.1-70B", "meta-llama/Llama-3.1-70B", LLAMA31_ROPE,
    hidden=8_192, layers=80, heads=64, head_dim=128, intermediate=28_672,
)  # fmt: skip
TINY_LLAMA = _llama(
    "tiny-llama", "", {"rope_type": "default", "rope_theta": 10_000.0}, tied=True,
    vocab=512, hidden=64, layers=2, heads=4, kv_heads=2, head_dim=16, intermediate=192, positions=512,
)  # fmt: skip
TINY_QWEN = DecoderShape(
    "tiny-qwen", "", model_class="Qwen2ForCausalLM", config_class="Qwen2Config",
    vocab=512, hidden=64, layers=2, heads=4, kv_heads=2, head_dim=16, intermediate=192, positions=512,
    qkv_bias=True, rope=(("rope_type", "default"), ("rope_theta", 10_000.0)),
)  # fmt: skip

SHAPES = (LLAMA_1B, LLAMA_3B, LLAMA_8B, QWEN_14B, LLAMA_70B, TINY_LLAMA, TINY_QWEN)
