"""Numbers as a reader sees them: three significant digits, units, intervals. Nothing here knows HTML."""

from __future__ import annotations

import math
from datetime import date, datetime

NBSP = "\u00a0"
MINUS = "\u2212"
GIB = 2**30


def decimals(value: float, digits: int = 3) -> int:
    """Decimal places that show ``digits`` significant digits of ``value``; never negative."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be shown: a missing figure is a blank with a reason")
    if value == 0:
        return 0
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    return max(0, digits - 1 - exponent)


def number(value: float, digits: int = 3) -> str:
    """``1234567 -> 1,234,567``, ``0.012345 -> 0.0123``, ``12.345 -> 12.3``. Whole numbers stay whole."""
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 10**digits):
        return _signed(f"{int(value):,}")
    return _signed(f"{value:,.{decimals(value, digits)}f}")


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


class Span(str):
    """An interval as it is shown, which still knows its ends: pages place the text, their twins the ends."""

    low: float
    high: float

    def __new__(cls, text: str, low: float, high: float) -> Span:
        made = super().__new__(cls, text)
        made.low, made.high = low, high
        return made


def span(low: float, high: float, digits: int = 3) -> Span:
    """An interval with as many decimals as its greater end needs: ``1.19–1.27``. Where that shows the ends as
    one number, the lesser end decides: ``0.997–1.000``."""
    least, most = sorted((abs(low), abs(high)))
    places = decimals(most, digits)
    if f"{low:.{places}f}" == f"{high:.{places}f}":
        places = decimals(least, digits)
    return Span(f"{_signed(f'{low:,.{places}f}')}–{_signed(f'{high:,.{places}f}')}", low, high)


def ratio(value: float) -> str:
    """``×1.10``, ``×22.9``, ``×200``."""
    return f"×{value:,.{decimals(value)}f}"


def usd(amount: float) -> str:
    """``$1,820``, ``$35.40``, ``$0.124``: whole dollars from 100 on, cents below, three digits under 1."""
    if amount == 0:
        return "$0"
    magnitude = abs(amount)
    places = 0 if magnitude >= 100 else 2 if magnitude >= 1 else decimals(magnitude)
    return f"{MINUS if amount < 0 else ''}${magnitude:,.{places}f}"


_TIMES = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def duration(seconds: float) -> str:
    """A time in the largest unit that leaves at least 1: ``1.23 s``, ``2.5 min``, ``840 µs``."""
    for size, unit in _TIMES:
        if seconds >= size:
            return f"{number(seconds / size)}{NBSP}{unit}"
    return f"{number(seconds / 1e-9)}{NBSP}ns"


_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def si(value: float, unit: str) -> str:
    """A value with a decimal prefix: ``si(1.6e13, "FLOP/s") -> 16.0 TFLOP/s``."""
    for size, prefix in _PREFIXES:
        if abs(value) >= size:
            return f"{number(value / size)}{NBSP}{prefix}{unit}"
    return f"{number(value)}{NBSP}{unit}"


def gibibytes(size_bytes: float) -> str:
    """What memory holds: ``25769803776 -> 24 GiB``. The unit is the one that makers of memory mean by GB,
    so that what is needed can be held against what is sold."""
    return f"{number(size_bytes / GIB)}{NBSP}GiB"


def gigabytes(sold_bytes: float) -> str:
    """Memory as its maker prints it, where a GB is a GiB: ``25769803776 -> 24 GB``."""
    return f"{number(sold_bytes / GIB)}{NBSP}GB"


def percent(fraction: float) -> str:
    """``0.834 -> 83 %``; one decimal under 10 %, unless it is 0."""
    value = fraction * 100
    shown = f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}".removesuffix(".0")
    return f"{_signed(shown)}{NBSP}%"


def day(moment: date | datetime) -> str:
    """``1 Dec 2026``, without the platform's locale."""
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return f"{moment.day}{NBSP}{months[moment.month - 1]}{NBSP}{moment.year}"


def written_day(text: str) -> str:
    """A day as it stands in a file, for readers: ``2026-12-01 -> 1 Dec 2026``; a year or month stays."""
    try:
        return day(date.fromisoformat(text))
    except ValueError:
        return text


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 device``, ``1,204 devices``."""
    return f"{count:,}{NBSP}{one if count == 1 else many or one + 's'}"
