"""What software is worth on one device: other ways of running, and versions over time."""

from __future__ import annotations

from collections.abc import Sequence

from guide.evidence import Evidence
from guide.explain import effects
from guide.explain.claims import Claim, Section, claim, unknown
from guide.show.blanks import STATUS_WORDS

EXECUTION_COMMAND = "bench collect --suite standard --execution eager,compiled,cuda-graph"
VERSION_COMMAND = "bench collect --suite standard"


def executions_section(evidence: Evidence) -> Section:
    """Compiled and captured runs over eager ones."""
    found = effects.executions(evidence)
    told = []
    for way, words_for in (
        ("compiled", "Compiled by torch.compile"),
        ("cuda-graph", "Replayed as a CUDA graph"),
    ):
        chosen = [m for m in found if m.effect.names[1] == way]
        done = effects.summary(chosen, f"{words_for}, over running it eagerly", why=_worth(chosen))
        told.append(
            done or unknown(f"{words_for}: not measured yet on equal conditions. {_tried(chosen)}".strip())
        )
    return Section(
        heading="The same cell run in other ways",
        anchor="execution",
        intro="Eager running launches one operation after another. torch.compile fuses them, a CUDA graph "
        "launches all of them at once. Where a card waits for launches, this is what better software gives "
        "back.",
        claims=told,
        tables=[
            effects.table(found, "Eager", ("compiled", "cuda-graph"), "The same cells run in other ways")
        ] if found else [],
        command=EXECUTION_COMMAND,
        command_for="The same cells eager, compiled, and as CUDA graphs",
    )  # fmt: skip


def _worth(found: Sequence[effects.Measured]) -> str:
    """What the ratios mean, while they do."""
    values = [m.effect.ratio for m in found if m.effect.clean and m.effect.ratio]
    if not values:
        return ""
    if min(values) > 1:
        return "Software alone made every one of these cells faster on the same device."
    if max(values) < 1:
        return "On these cells it made things worse."
    return "It depends on the cell."


def _tried(found: Sequence[effects.Measured]) -> str:
    """Why tried cells gave nothing."""
    outcomes = sorted({STATUS_WORDS.get(o, o) for m in found for o in m.effect.outcomes if o != "ok"})
    if found and outcomes:
        return f"It was tried: {'; '.join(outcomes)}."
    return "What was run differs in other conditions as well." if found else ""


def versions_section(evidence: Evidence) -> Section:
    """One device over versions of its software."""
    found = effects.histories(evidence)
    told: list[Claim] = []
    for past in found[:3]:
        one = past.change
        told.append(
            claim(
                "{task} on {system}: {ratio} with {new} over {old} ({verdict}).",
                task=one.label, system=one.system.label, ratio=one.ratio, new=one.effect.names[1],
                old=one.effect.names[0], verdict=effects.verdicts([one]),
                why="" if past.history.one_host else "The rows do not say that one machine ran both.",
            )
        )  # fmt: skip
    if not found:
        told.append(
            unknown(
                "Not measured yet: no device of the store ran the same work with two versions of its "
                "software while "
                "all else stayed equal."
            )
        )
    return Section(
        heading="The same card over versions of its software",
        anchor="versions",
        intro="Only rows of one device, equal in everything but engine, libraries, driver and system, are "
        "put in a row here.",
        claims=told,
        tables=[effects.versions_table(found)] if found else [],
        command=VERSION_COMMAND,
        command_for="The same suite again after an update of driver or libraries: both runs stay in the "
        "store",
    )
