"""What the tests of explanations share: the sentences of a topic, and rows of the first article's kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from guide.explain.claims import Section, Topic


@pytest.fixture
def told() -> Callable[[Topic], str]:
    """All sentences of a topic, as a reader sees them, a line each."""

    def sentences(topic: Topic) -> str:
        claims = [topic.answer, *(claim for section in topic.sections for claim in section.claims)]
        return "\n".join(f"{claim.text} {claim.why}".replace("\u00a0", " ") for claim in claims)

    return sentences


@pytest.fixture
def section() -> Callable[[Topic, str], Section]:
    """The section of a topic with that anchor."""
    return lambda topic, anchor: next(s for s in topic.sections if s.anchor == anchor)


@pytest.fixture
def article() -> Mapping[str, Any]:
    """One article at a time through T5-large in 32 bits, as the first article ran it."""
    return {
        "workload": "summarize",
        "model": "t5-large",
        "weights_dtype": "fp32",
        "compute_dtype": "fp32",
        "output_tokens": None,
        "origin": "published",
        "value_kind": "stated",
        "source_id": "paper",
        "protocol": "paper",
        "rate_unit": "articles/s",
        "host_id": None,
    }


@pytest.fixture
def cards(made) -> list:
    """A large card with three times the memory rate of a small one, and less arithmetic."""
    return [
        made.device(
            "small", bandwidth_gb_s=1000.0, fp32_tflops=80.0, fp16_dense_tflops=100.0, released="2022-10"
        ),
        made.device(
            "large", bandwidth_gb_s=3000.0, fp32_tflops=60.0, fp16_dense_tflops=300.0, released="2023-03"
        ),
    ]
