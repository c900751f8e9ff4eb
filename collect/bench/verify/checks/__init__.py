"""The checks, one file each. Adding one is a file here and a line in ``CHECKS``."""

from __future__ import annotations

from bench.verify.base import Check
from bench.verify.checks.arithmetic import Arithmetic
from bench.verify.checks.bandwidth import Bandwidth
from bench.verify.checks.capacity import Capacity
from bench.verify.checks.contract import Contract
from bench.verify.checks.figures import Figures
from bench.verify.checks.power import Power
from bench.verify.checks.probe import Probe
from bench.verify.checks.task import Task
from bench.verify.checks.time import Time
from bench.verify.checks.unit import Unit

#: name -> check, in the order in which findings are told. The others read rows that fit the schema.
CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        Contract(),
        Task(),
        Unit(),
        Time(),
        Figures(),
        Probe(),
        Arithmetic(),
        Bandwidth(),
        Capacity(),
        Power(),
    )
}

PHYSICS: tuple[Check, ...] = tuple(check for check in CHECKS.values() if check.physics)
