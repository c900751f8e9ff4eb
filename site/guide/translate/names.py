"""The names in the evidence: they are the same in every language."""

from __future__ import annotations

from collections.abc import Iterator

from guide.analysis.labels import model_words
from guide.evidence import Evidence


def of(evidence: Evidence) -> Iterator[str]:
    """Devices, models, tasks and sources, as pages call them."""
    for system in evidence.systems.values():
        yield system.label
        yield system.name
    for device in evidence.catalog:
        yield device.name
    for task in evidence.tasks:
        model = dict(task.columns).get("model")
        if model:
            yield from (str(model), model_words(str(model)))
    for source in evidence.sources.values():
        yield source.title
