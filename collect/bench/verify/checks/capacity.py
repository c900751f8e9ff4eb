"""Weights that do not fit the memory of the devices that are said to have run them."""

from __future__ import annotations

from collections.abc import Iterator

from bench.catalog import CatalogDevice
from bench.text import nbytes
from bench.text import rate as shown
from bench.verify.base import Context, Problem, Row
from bench.verify.needs import guesses_ahead, resident_bytes

#: Engines that keep all weights on the device: without room they do not start.
ALL_ON_DEVICE = ("vllm", "sglang", "tensorrt", "torch")

#: How fast weights that do not fit may come from elsewhere at most: a host's memory (two sockets of twelve
#: DDR5-6400 channels) for a card, a disk (four PCIe 5 drives) where device and host share their memory.
HOST_BYTES_PER_S = 1.23e12
DISK_BYTES_PER_S = 6e10


class Capacity:
    name = "capacity"
    what = "A model's weights fit the devices' memory, or the rate leaves time to read the rest elsewhere."
    why = "A model that cannot be loaded cannot be fast: such rates come from runs that failed silently."
    severity = "impossible"
    physics = True

    def problems(self, row: Row, context: Context) -> Iterator[Problem]:
        device = context.device(row)
        memory = memory_bytes(row, device)
        if memory is None or row["status"] != "ok" or row["workload"] == "probe":
            return
        needed = resident_bytes(row)
        if needed is None or needed <= memory:
            return
        one = "device has" if row["device_count"] == 1 else f"{row['device_count']} devices have"
        fits_not = f"the weights take at least {nbytes(needed)}, the {one} {nbytes(memory)}"
        engine = (row["engine"] or "").lower()
        if engine.startswith(ALL_ON_DEVICE):
            yield Problem(
                f"{fits_not}, and {row['engine']} keeps all of them there: it cannot have run.",
                needed, memory, "B",
            )  # fmt: skip
            return
        yield self._beyond(row, device, needed - memory, fits_not) or Problem(
            f"{fits_not}: a part must have been elsewhere (processor or disk), so the figure is not the "
            "device's alone.",
            needed, memory, "B", severity="note",
        )  # fmt: skip

    def _beyond(self, row: Row, device: CatalogDevice | None, rest: float, fits_not: str) -> Problem | None:
        """A problem when even the fastest way to what does not fit is too slow for the rate."""
        mixture = (row["active_params"] or 0) < (row["params"] or 0) and row["active_params"]
        tokens = {"decode": row["batch"], "prefill": (row["batch"] or 0) * (row["input_tokens"] or 0)}
        at_once = tokens.get(row["workload"])
        if mixture or not at_once or row["rate_unit"] != "tokens/s" or guesses_ahead(row):
            return None
        shared = device is not None and device.memory_unified
        most = (DISK_BYTES_PER_S if shared else HOST_BYTES_PER_S) * row["device_count"]
        needed = row["rate"] / at_once * rest
        if needed <= most * 1.05:
            return None
        where = "disks" if shared else "the host's memory"
        return Problem(
            f"{fits_not}; at this rate the rest would have to come from {where} at {shown(needed, 'B/s')}, "
            f"beyond any ({shown(most, 'B/s')}): it cannot have run.",
            needed,
            most,
            "B/s",
        )


def memory_bytes(row: Row, device: CatalogDevice | None) -> float | None:
    """Bytes of all devices of the row together, the larger of what the row and the catalog say."""
    stated = [
        row["device_memory_bytes"],
        *((device.memory_gib and device.memory_gib * 2**30,) if device else ()),
    ]
    known = [value for value in stated if value]
    return max(known) * row["device_count"] if known else None
