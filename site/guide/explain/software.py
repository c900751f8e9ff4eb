"""What other ways of running are worth on one device."""

from __future__ import annotations

from collections.abc import Sequence

from bench.compare.verdicts import CANNOT_TELL, FASTER, SLOWER, TIED
from guide.evidence import Evidence
from guide.explain import effects
from guide.explain.claims import Section, unknown
from guide.show.blanks import STATUS_WORDS

EXECUTION_COMMAND = "bench collect --suite standard --execution eager,compiled,cuda-graph"


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
    told = {m.effect.verdict.word for m in found if m.effect.clean and m.effect.verdict}
    if told == {FASTER}:
        return "Software alone made every one of these cells faster on the same device."
    if told == {SLOWER}:
        return "On these cells it made things worse."
    if told == {TIED}:
        return "On these cells it makes no difference that could be told."
    return "It depends on the cell." if told - {CANNOT_TELL} else ""


def _tried(found: Sequence[effects.Measured]) -> str:
    """Why tried cells gave nothing."""
    outcomes = sorted({STATUS_WORDS.get(o, o) for m in found for o in m.effect.outcomes if o != "ok"})
    if found and outcomes:
        return f"It was tried: {'; '.join(outcomes)}."
    return "What was run differs in other conditions as well." if found else ""
