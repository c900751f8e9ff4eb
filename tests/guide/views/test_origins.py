"""An origin's page: the days of what its source published."""

from __future__ import annotations

from datetime import UTC, datetime

from guide.views.families import groups
from guide.views.origins import group_view


def days(made, *moments: datetime) -> str:
    published = {"origin": "published", "value_kind": "stated", "source_id": "bench", "protocol": "bench/v1"}
    rows = [
        made.row(name, 5.0, recorded_at=moment, **published)
        for name, moment in zip("ab", moments, strict=True)
    ]
    evidence = made.evidence(rows, [])
    (group,) = groups(evidence.tasks, {})
    return group_view(evidence, "decode", group).days.replace("\xa0", " ")


def test_a_source_of_two_rounds_has_both_days_and_one_of_one_round_its_own(made) -> None:
    first, second = datetime(2024, 8, 28, tzinfo=UTC), datetime(2025, 9, 9, tzinfo=UTC)
    assert days(made, first, second) == "28 Aug 2024 to 9 Sep 2025"
    assert days(made, second, second) == "9 Sep 2025"
