"""The fine-tuning data: 7,613 short texts by length alone, since only lengths cost time.

The first article's data set (tweets about disasters, 7,613 of them) may not be redistributed, so texts are
drawn with its size and with lengths like those of short social-media posts in word pieces. We take a
lognormal distribution: lengths are positive and skewed, most posts run to a sentence or two, and a web
address at the end breaks into many pieces. Median 31 and sigma 0.4 give a mean of about 33; lengths are
clipped to 5 (a word or two with the two markers) and 84 (the limit of 140 characters at fewer than two
characters a piece). This is an assumption, not the data set's histogram.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass

TEXTS, TRAIN_SHARE, EPOCHS = 7_613, 0.8, 5
MEDIAN, SIGMA, SHORTEST, LONGEST = 31, 0.4, 5, 84
SEED = 7_613


def split(texts: int) -> tuple[int, int]:
    """(training texts, held-out texts): 6,090 and 1,523 of 7,613."""
    train = int(texts * TRAIN_SHARE)
    return train, texts - train


@functools.cache
def lengths(texts: int = TEXTS) -> tuple[int, ...]:
    """Tokens of each text, markers included. The same everywhere."""
    rng = random.Random(SEED)
    drawn = (round(MEDIAN * rng.lognormvariate(0, SIGMA)) for _ in range(texts))
    return tuple(min(LONGEST, max(SHORTEST, n)) for n in drawn)


@dataclass(frozen=True)
class BatchLengths:
    """What padding makes of the texts: means over an epoch's batches, and the longest of all."""

    tokens: float  # padded tokens of a batch
    square: float  # batch x padded length squared: query-key pairs
    longest: int


@functools.cache
def batch_lengths(batch: int, texts: int = TEXTS) -> BatchLengths:
    """Batches are shuffled, and padded to their longest text: the mean over ten seeded epochs."""
    train = list(lengths(texts)[: split(texts)[0]])
    rng = random.Random(SEED)
    tops: list[int] = []
    for _ in range(10):
        rng.shuffle(train)
        tops += [max(train[i : i + batch]) for i in range(0, len(train) - batch + 1, batch)]
    mean = sum(tops) / len(tops)
    return BatchLengths(batch * mean, batch * sum(n * n for n in tops) / len(tops), max(train))
