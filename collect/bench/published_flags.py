"""Every flag that a row of a published table can carry: what it means, and what to do."""

from __future__ import annotations

#: code -> what it means, one line.
FLAGS: dict[str, str] = {
    "within-run-interval": "the interval covers the repetitions of one run, not the spread between runs",
    "source-anomaly": "the source's own table contradicts the figure; no conclusion should rest on it",
    "source-conflict": "two places of the source print different values",
    "no-log": "the source's log holds no line for the figure",
    "garbled-in-source": "the printed figure cannot be what the source calls it",
    "inferred-by-us": "not printed; follows from what the source states",
    "extrapolated-by-source": "the source ran a part and scaled it up",
    "second-hand": "read from transcriptions of the source, not from the source itself",
    "single-transcription": "only one transcription was found",
    "newer-build": "measured with a newer build than the rest of its table",
    "build-unverified": "asked to use the table's reference build; not verified",
    "device-family": "the source names a family of devices, not one",
    "derived-per-device": "our division of a system's result by its devices",
    "wall-peak-power": "power is the whole system's peak at the wall, not a mean of the device",
    "median-of-uploads": "the median over several uploads of one device",
    "unit-corrected": "the source printed another unit than it measured",
    "mixture-of-experts": "speed follows the active parameters, not all of them",
    "mixed-tokens": "counts prompt and generated tokens together: neither a prefill nor a decode rate",
    "proxy-device": "a stand-in was measured in place of the chip that is named",
    "median-of-configurations": "the median over the source's configurations (parallelism, batch)",
    "reused-run": "the same run was submitted to more than one round",
}

#: code -> what to do about it, one line.
ADVICE: dict[str, str] = {
    "within-run-interval": "Take differences of a few percent for ties: another run may differ by more.",
    "source-anomaly": "Look for the same device in another source, or measure it.",
    "source-conflict": "Take the difference between the two values for the least uncertainty.",
    "no-log": "Trust it as far as the source's table, not as far as its logs.",
    "garbled-in-source": "Use the figure that was inferred instead, where there is one.",
    "inferred-by-us": "Follow the reasoning in the row's detail before you quote it.",
    "extrapolated-by-source": "Take it for an estimate; a whole run may be slower.",
    "second-hand": "Check the source itself before you quote the figure.",
    "single-transcription": "Check the source itself before you quote the figure.",
    "newer-build": "Compare it with rows of its own build, which it is a task with.",
    "build-unverified": "Allow for a difference between builds.",
    "device-family": "Do not take it for one particular device of the family.",
    "derived-per-device": "Take the whole system's figure where you buy a system.",
    "wall-peak-power": "Do not work out energy from it: it is a peak, and of the whole machine.",
    "median-of-uploads": "Look at the number of uploads: few of them may be one machine.",
    "unit-corrected": "Nothing; do not quote the printed unit.",
    "mixture-of-experts": "Compare with models of as many active parameters; memory follows all of them.",
    "mixed-tokens": "Compare it with the same mixture of lengths alone.",
    "proxy-device": "Wait for a figure of the chip itself before you rely on it.",
    "median-of-configurations": "A good configuration may be faster: look at the source's own list.",
    "reused-run": "Count it once.",
}
