"""Whether random weights tell the truth: the same cells with random and with pretrained ones."""

from __future__ import annotations

from bench.compare.verdicts import TIED
from guide import paths
from guide.evidence import Evidence
from guide.explain import effects
from guide.explain.claims import Claim, Section, Topic, claim, unknown
from guide.show import figures

COMMAND = "bench collect --suite quick --weights both"


def topic(evidence: Evidence) -> Topic:
    """The page's content."""
    found = effects.weights(evidence)
    clean = [m for m in found if m.effect.clean]
    told = [c for c in (effects.summary(found, "Random over pretrained weights"),) if c]
    if not told:
        told = [
            unknown(
                "Not measured yet: no row of the store ran the same cell with random and with real weights."
            )
        ]
    worst = [m for m in clean if m.effect.verdict and m.effect.verdict.word != TIED]
    for one in sorted(worst, key=lambda m: (-abs((m.effect.ratio or 1) - 1), m.system.key, m.label))[:4]:
        told.append(
            claim(
                "{task} on {system}: random weights run at {ratio} the rate of real ones ({verdict}).",
                task=one.label, system=one.system.label, ratio=one.ratio, verdict=effects.verdicts([one]),
            )
        )  # fmt: skip
    table = [
        effects.table(found, "Pretrained", ("random",), "The same cells with both kinds of weights")
    ] if found else []  # fmt: skip
    return Topic(
        key="weights",
        path=paths.WHY_WEIGHTS,
        nav="Random weights",
        title="Do random weights run as fast as real ones?",
        description="Models are measured with random weights so that nothing is downloaded: what that does "
        "to the rates, measured on the same cells with both.",
        answer=_answer(clean),
        facts=[("Random over real weights", f"{effects.middle(clean).text} in the median")] if clean else (),
        sections=[
            Section(
                heading="Measured with both",
                anchor="measured",
                intro="By default a model is built from its published architecture with seeded random "
                "weights: the same shapes, the same arithmetic, the same memory traffic, and no download. "
                "What can still differ is what depends on the numbers themselves: a device’s power draw, "
                "and so its clocks, with the bits that flip; and the length of an answer, which is "
                "therefore fixed.",
                claims=told,
                tables=table,
                command=COMMAND,
                command_for="The same cells with both kinds of weights (downloads the models)",
                links=[("How models are built and timed", paths.METHODOLOGY)],
            )
        ],
    )


def _answer(clean: list[effects.Measured]) -> Claim:
    if not clean:
        return unknown(
            "We do not know yet by measurement: no cell of the store was run with both kinds of weights."
        )
    off = [m for m in clean if m.effect.verdict and m.effect.verdict.word != TIED]
    middle = effects.middle(clean)
    cells = figures.plural(len(clean), "cell")
    if not off:
        return claim(
            "Yes, as far as was measured: over {cells} run with both, the two are tied (median {middle}).",
            cells=cells, middle=middle,
        )  # fmt: skip
    return claim(
        "Not always: of {cells} run with both, {off} differ beyond a tie (median of all {middle}).",
        cells=cells, off=len(off), middle=middle,
    )  # fmt: skip
