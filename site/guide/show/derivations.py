"""The rules by which a figure of the guide follows from others, in words: name -> rule.

A figure that is no row's own names one of these, and the records that go in (``show.tables.Provenance``).
The arithmetic is in ``analysis.ratios``, ``decide.cost``, ``decide.fit`` and ``analysis.tiers``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """``rule`` is one sentence part; ``parts`` name what goes in, in order (the last name holds for more)."""

    title: str
    rule: str
    parts: tuple[str, ...]


RULES: dict[str, Rule] = {
    "ratio": Rule(
        "Ratio",
        "the rate ÷ the rate of the reference; its interval follows from both",
        ("The rate", "The reference"),
    ),
    "gain": Rule(
        "Gain of several devices",
        "the rate of several devices ÷ the rate of one",
        ("Several devices", "One alone"),
    ),
    "tier": Rule(
        "Tier",
        "systems whose bands overlap the band of the tier's best are tied with it",
        ("The figure", "The best of its tier"),
    ),
    "possible": Rule(
        "Share of what is possible",
        "what the rate moves or computes ÷ what the device can at most",
        ("The rate", "The device"),
    ),
    "per-speedup": Rule(
        "USD for each 1×",
        "the price ÷ (the rate ÷ the rate of the reference)",
        ("The price", "The rate", "The reference"),
    ),
    "month": Rule(
        "USD a month",
        "the purchase less resale over its months, and electricity; or the rented hours",
        ("The price", "The assumptions", "The device"),
    ),
    "your-month": Rule(
        "USD a month",
        "the purchase less resale over its months, and electricity; or the rented hours: with the numbers "
        "that stand in the form above",
        ("The price", "The device"),
    ),
    "your-score": Rule(
        "What the answer is decided by",
        "the scenario's objective, from the figures below and the numbers that stand in the form above",
        ("The rate", "The price", "The device"),
    ),
    "your-hours": Rule(
        "Hours a day from which owning wins",
        "the hours of use at which a month owned costs what the rented hours cost, with the numbers that "
        "stand in the form above",
        ("The price", "The rent", "The device"),
    ),
    "per-work": Rule(
        "USD for the work",
        "what a month costs ÷ the work done in its hours of use",
        ("The price", "The rate", "The assumptions", "The device"),
    ),
    "break-even": Rule(
        "Hours a day from which owning wins",
        "the hours of use at which a month owned costs what the rented hours cost",
        ("The price", "The rent", "The assumptions", "The device"),
    ),
    "machine": Rule(
        "Whole machine",
        "the price of the devices + the guide's allowance for the computer around them",
        ("The price", "The assumptions"),
    ),
    "machine-per-rate": Rule(
        "USD for each unit of the rate",
        "the price of the whole machine ÷ the rate",
        ("The price", "The rate", "The assumptions"),
    ),
    "rated-energy": Rule(
        "Energy at rated power",
        "the maker's rated power ÷ the rate: not a measurement",
        ("The rate", "The device"),
    ),
    "answer": Rule(
        "The answer",
        "what fits, then the tiers of speed, then money, by the rules of the Methodology page",
        ("The rate", "The price", "The assumptions", "The reference"),
    ),
    "grid": Rule(
        "Share of the grid",
        "how many of all combinations of plausible prices, electricity and hours it wins, all counted alike, "
        "by deciding again at each",
        ("The pick", "Its price", "The assumptions"),
    ),
    "flip": Rule(
        "Where the answer changes",
        "the nearest value of this one number at which another wins, all else as assumed, by deciding again",
        ("The pick", "Its price", "The assumptions", "Who wins then", "Its price"),
    ),
    "total": Rule(
        "What a budget is held against",
        "the purchase and the computer around it, or all the rent over the years",
        ("The price", "The assumptions"),
    ),
    "score": Rule(
        "What the answer is decided by",
        "the scenario's objective, from the figures below",
        ("The rate", "The price", "The assumptions", "The device"),
    ),
    "fit": Rule(
        "Does it fit?",
        "what the model needs, from its architecture, against the memory that can be used; a row that ran "
        "it, or ran out of memory, overrules the estimate",
        ("The device", "The row"),
    ),
    "usable": Rule(
        "Usable memory", "the memory of the devices less what the system keeps", ("The device", "A row")
    ),
    "best": Rule("Best place", "the best of the device's tiers on tasks that three systems or more ran",
                 ("The figure", "The best of its tier")),
    "pair": Rule("Two prices", "each as it was seen", ("The first", "The second")),
    "batch": Rule(
        "Gain of batching",
        "the rate with several sequences together ÷ the rate with one",
        ("Together", "One at a time"),
    ),
    "choice": Rule(
        "What one choice is worth",
        "the rate with it ÷ the rate without it, all else being equal; its interval follows from both",
        ("With it", "Without it"),
    ),
    "distance": Rule(
        "How a distance changes",
        "the ratio of two devices on one task ÷ their ratio on another",
        ("A device", "A device"),
    ),
    "least": Rule(
        "Least time",
        "arithmetic ÷ peak rate or traffic ÷ memory rate, whichever is longer",
        ("The device",),
    ),
    "energy": Rule(
        "Ratio of energies",
        "the joules of the one ÷ the joules of the other, for a unit of the same work",
        ("The one", "The other"),
    ),
    "wall": Rule("Joules at most", "the highest power at the wall ÷ the rate", ("The rate",)),
    "reached": Rule(
        "FLOP/s reached",
        "the arithmetic of one unit of work × the rate, in the middle of the two",
        ("The first", "The second"),
    ),
    "ends": Rule("How cells ended", "the rows of the tasks, counted by how they ended", ("A row",)),
}  # fmt: skip
