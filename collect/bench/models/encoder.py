"""BERT-like encoders: Devlin et al. 2018 (arXiv:1810.04805), Sanh et al. 2019 (arXiv:1910.01108)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.models.base import Shape, full_pairs, rows_read


@dataclass(frozen=True)
class EncoderShape(Shape):
    """A post-norm transformer encoder with learned positions.

    ``token_types`` is 0 where segments are not embedded (DistilBERT); ``pooler`` is the dense layer on
    the first position (BERT's pooler, DistilBERT's pre-classifier); ``labels`` is the width of the
    classification head, 0 for none.
    """

    vocab: int = 30_522
    hidden: int = 768
    layers: int = 12
    heads: int = 12
    intermediate: int = 3_072
    positions: int = 512
    token_types: int = 2
    pooler: bool = True
    labels: int = 0

    @property
    def linear_params(self) -> int:
        """Elements of the weight matrices of one layer: query, key, value, output, and the two of the MLP."""
        return 4 * self.hidden**2 + 2 * self.hidden * self.intermediate

    @property
    def params(self) -> int:
        hidden = self.hidden
        embeddings = (self.vocab + self.positions + self.token_types) * hidden + 2 * hidden
        biases_and_norms = 4 * hidden + self.intermediate + hidden + 4 * hidden
        head = (hidden * hidden + hidden) * self.pooler + (hidden + 1) * self.labels
        return embeddings + self.layers * (self.linear_params + biases_and_norms) + head

    def config(self) -> dict[str, Any]:
        if self.model_class.startswith("DistilBert"):
            return {
                "vocab_size": self.vocab,
                "dim": self.hidden,
                "n_layers": self.layers,
                "n_heads": self.heads,
                "hidden_dim": self.intermediate,
                "max_position_embeddings": self.positions,
                "num_labels": self.labels,
            }
        return {
            "vocab_size": self.vocab,
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.intermediate,
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.token_types,
        }

    def forward_flops(self, batch: int, length: int) -> int:
        """FLOPs of one forward pass over ``batch`` sequences of ``length`` tokens.

        Linear layers 2 x tokens x elements; attention 2 products of 2 x pairs x hidden (Kaplan et al.
        2020, arXiv:2001.08361, table 1); pooler and head on one position a sequence.
        """
        linear = 2 * batch * length * self.layers * self.linear_params
        attention = 4 * batch * full_pairs(length) * self.layers * self.hidden
        head = 2 * batch * (self.hidden**2 * self.pooler + self.hidden * self.labels)
        return linear + attention + head

    def pass_bytes(self, batch: int, length: int, element_bytes: float) -> int:
        """Least memory traffic of one forward pass: every weight once, but of the three embedding tables only
        the rows looked up: the words drawn, each once, ``length`` positions, and one segment."""
        passed_over = self.vocab - rows_read(batch * length, self.vocab)
        passed_over += self.positions - length + max(0, self.token_types - 1)
        return round((self.params - passed_over * self.hidden) * element_bytes)

    def activation_bytes(self, batch: int, length: int, element_bytes: float) -> int:
        """Most activation memory of a forward pass without gradients.

        Per token: the residual, query, key, value, attention output and its projection (6 x hidden), and
        the MLP's hidden layer before and after its activation (2 x intermediate).
        """
        return round(batch * length * (6 * self.hidden + 2 * self.intermediate) * element_bytes)


BERT_BASE = EncoderShape(
    "bert-base-uncased", "google-bert/bert-base-uncased", model_class="BertModel", config_class="BertConfig"
)
DISTILBERT = EncoderShape(
    "distilbert-base-uncased",
    # The article's starting point: it has the two-label head already.
    "distilbert/distilbert-base-uncased-finetuned-sst-2-english",
    model_class="DistilBertForSequenceClassification",
    config_class="DistilBertConfig",
    layers=6,
    token_types=0,
    labels=2,
)
TINY_BERT = EncoderShape(
    "tiny-bert", "", model_class="BertModel", config_class="BertConfig",
    vocab=512, hidden=64, layers=2, heads=4, intermediate=256, positions=128,
)  # fmt: skip
TINY_DISTILBERT = EncoderShape(
    "tiny-distilbert", "",
    model_class="DistilBertForSequenceClassification", config_class="DistilBertConfig",
    vocab=512, hidden=64, layers=2, heads=4, intermediate=256, positions=128, token_types=0, labels=2,
)  # fmt: skip

SHAPES = (BERT_BASE, DISTILBERT, TINY_BERT, TINY_DISTILBERT)
