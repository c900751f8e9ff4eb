"""Power of a device's own counter, against its limit."""

from __future__ import annotations

from collections.abc import Iterator

from bench.text import significant
from bench.verify.base import Context, Problem, Row

#: Short peaks above the limit are usual; a mean over a cell of twice the limit is a wrong counter.
MOST_OVER_LIMIT = 2.0
#: Relative difference of energy over time and the stated mean power.
AGREEMENT = 0.10


class Power:
    name = "power"
    what = "A device's mean power is below twice its limit, and agrees with its energy over the time."
    why = "Energy counters are reset, stuck or of another device more often than they say."
    severity = "wrong"
    physics = False

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        power = row["mean_power_w"]
        device = context.device(row)
        limit = row["power_limit_w"] or (device.tdp_w if device is not None else None)
        cpu = device is not None and device.device_class == "cpu"
        if power and limit and row["energy_scope"] == "device" and not cpu:
            most = limit * MOST_OVER_LIMIT * row["device_count"]
            if power > most:
                yield Problem(
                    f"a mean power of {significant(power)} W is more than twice the device's limit of "
                    f"{significant(limit)} W: the counter is wrong, or is not this device's.",
                    power, most, "W",
                )  # fmt: skip
        samples, energy = row["samples_s"], row["energy_j"]
        if power and energy and samples:
            implied = energy / sum(samples)
            if abs(implied - power) > AGREEMENT * max(implied, power):
                yield Problem(
                    f"{significant(energy)} J over {significant(sum(samples))} s is "
                    f"{significant(implied)} W, but mean_power_w is {significant(power)}: the two "
                    "cover different times.",
                    implied, power, "W", severity="note",
                )  # fmt: skip
