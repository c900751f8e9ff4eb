"""Two runs, devices or queries against each other: which tasks both have, how much faster, and what differs.

``select.side`` turns words into rows, ``compare`` pairs them by task, ``verdicts`` says what may be said. The
guide's ratios, bands and ties are made of the same parts. Nothing here imports torch.
"""

from __future__ import annotations

from bench.compare.comparison import Comparison, Pair, compare
from bench.compare.intervals import Interval, divide

__all__ = ["Comparison", "Interval", "Pair", "compare", "divide"]
