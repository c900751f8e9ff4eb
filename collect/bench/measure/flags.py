"""Every flag that a measured row can carry: what it means, and what to do. Docs are made from this."""

from __future__ import annotations

from collections.abc import Iterable

#: code -> what it means, one line.
FLAGS: dict[str, str] = {
    "extrapolated": "a part of the job was timed and scaled up (see measured_fraction)",
    "few-samples": "fewer than 6 repetitions: the interval leans on an assumed shape of the noise",
    "wide-interval": "the 95 % interval stayed wider than the target: time ended before, or processes differ",
    "not-warm": "the budget ended before two windows of warm-up agreed: early, slower repetitions may count",
    "drifting": "the times moved during the cell, so one figure and its interval do not describe it",
    "contended": "other programs, or the host of a virtual machine, took processor time during the cell",
    "device-shared": "another process was using the device",
    "throttled": "the device or processor lowered its clocks because it was too hot or its supply too weak",
    "power-limited": "the power limit held the clocks down, as it does on many cards at full load",
    "clocks-held": "the card held its clocks down, and does not tell whether for heat or for power",
    "not-sustained": "the last third of a long cell was slower than its first, beyond both intervals",
    "sync-unproven": "the machine was too busy for the self-test to show that times hold all the work",
    "processes-differ": "processes that ran the same cell differ by more than their own intervals",
    "anchor-drift": "the same small product, timed again during the run, changed by more than the target",
    "on-battery": "the machine ran on its battery, where most machines hold clocks down",
    "low-power-mode": "the system's low-power mode was on",
    "swapping": "memory was written to the disk during the cell",
    "slow-for-hardware": "under 25 % of what this machine's own ceilings allow",
}

#: Flags that say that a figure is not the machine's own -> the word that stands beside such a figure. The
#: row gives way to any row without one. Something else had part of the machine (contended, device-shared,
#: swapping), nobody knows whether the times hold all the work (sync-unproven), or the power supply chose the
#: speed (on-battery, low-power-mode). The others are no reason to pass a row over: what a card does when it
#: is hot or at its power limit is what it does (throttled, power-limited, clocks-held, not-sustained); what
#: is unsteady is in the interval (wide-interval, drifting, processes-differ); and anchor-drift stands in
#: every row of its run, disturbed or not.
DISTURBED: dict[str, str] = {
    "contended": "contended",
    "device-shared": "device shared",
    "swapping": "swapping",
    "sync-unproven": "timing unproven",
    "on-battery": "on battery",
    "low-power-mode": "low-power mode",
}

#: code -> what to do about it, one line.
ADVICE: dict[str, str] = {
    "extrapolated": "Run the whole job: bench collect --suite article.",
    "few-samples": "Give the cell more time: bench collect --budget, or a larger suite.",
    "wide-interval": "Close other programs and give the cell more time with --budget.",
    "not-warm": "Give the cell more time with --budget.",
    "drifting": "Let the machine settle, see whether other flags name a cause, and run the cell again.",
    "contended": "Close other programs (mkdocs serve is one: it builds anew at every new row) or stop other "
    "virtual machines, and run the cell again.",
    "device-shared": "End the other process (nvidia-smi lists them), and run the cell again.",
    "throttled": "Improve cooling or power supply; what the machine sustains is a figure of its own.",
    "power-limited": "Compare cards at their stated limits; raise the limit only if it was lowered.",
    "clocks-held": "See whether the temperature is high; many AMD cards show this at full load.",
    "not-sustained": "For long jobs take sustained_rate; better cooling holds the rate of the first third.",
    "sync-unproven": "Close other programs and run again: the self-test then passes or names the fault.",
    "processes-differ": "Look at each process's part of samples_s; a run gets one of these speeds by chance.",
    "anchor-drift": "Let the machine settle and run again: within this run, later rows met another machine.",
    "on-battery": "Plug the machine in, unless figures on battery are what you want.",
    "low-power-mode": "Turn low-power mode off, unless its figures are what you want.",
    "swapping": "Close other programs, or choose smaller batches and models.",
    "slow-for-hardware": "Look at the other flags and the bound: overhead, not hardware, limits small work.",
}


def disturbances(flags: Iterable[str]) -> tuple[str, ...]:
    """The words of ``DISTURBED`` for these flags, in order; none where the figure is the machine's own."""
    found = DISTURBED.keys() & flags
    return tuple(word for flag, word in DISTURBED.items() if flag in found) if found else ()
