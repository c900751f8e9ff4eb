"""Which times can be those of a measurement or a price: none from before there was such hardware, and none
later than a day from now, which leaves room for every time zone and a clock that is a little fast."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
MARGIN = timedelta(days=1)


def why_not(moment: datetime, now: datetime) -> str | None:
    """Why nothing can have been recorded at ``moment``, as seen ``now``; None when it can."""
    if moment < EARLIEST:
        return f"{moment:%Y-%m-%d}, before {EARLIEST:%Y}"
    if moment - now > MARGIN:
        return f"{moment:%Y-%m-%d}, more than a day after {now:%Y-%m-%d}, the day of this machine's clock"
    return None


def latest_day(now: datetime | None = None) -> date:
    """The last day of which there can be a record or a price: tomorrow, in UTC."""
    return ((now or datetime.now(UTC)).astimezone(UTC) + MARGIN).date()
