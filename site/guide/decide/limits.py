"""The bounds of the numbers that a decision takes, whether a file or a reader gives them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """The bounds of one number that a reader may set, and its letter in a page's address."""

    letter: str
    low: float
    high: float


#: Fields of ``Assumptions``. Wide enough for any real case, narrow enough to catch a slip of the keys.
LIMITS: dict[str, Limit] = {
    "budget_usd": Limit("b", 1, 1e8),
    "hours_per_day": Limit("h", 0.1, 24),
    "years": Limit("y", 0.25, 20),
    "usd_per_kwh": Limit("e", 0, 10),
    "resale_share": Limit("r", 0, 0.95),
    "on_hours_per_day": Limit("o", 0, 24),
    "load_share": Limit("l", 0, 2),
    "idle_share": Limit("i", 0, 1),
    "host_usd": Limit("c", 0, 1e6),
    "host_extra_card_usd": Limit("x", 0, 1e6),
    "host_power_w": Limit("p", 0, 1e5),
}
CONTEXT = Limit("t", 1, 10_000_000)
#: Least usable speeds; their place among the question's floors follows the letter: ``s0``, ``s1`` …
FLOOR = Limit("s", 0, 1e9)
