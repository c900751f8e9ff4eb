"""What is measured: each file of this folder that defines a ``Workload`` subclass adds it to ``WORKLOADS``.

Files whose names begin with an underscore need torch and are imported when a cell is prepared.
"""

from __future__ import annotations

import importlib
import pkgutil

from bench.workloads.base import Workload

__all__ = ["WORKLOADS", "Workload"]


def _discover() -> dict[str, Workload]:
    """One instance of every workload by name; the probe first, since the others are held against it."""
    found: dict[str, Workload] = {}
    for module_info in pkgutil.iter_modules(__path__):
        if module_info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and issubclass(value, Workload) and "name" in vars(value):
                found[value.name] = value()
    return dict(sorted(found.items(), key=lambda item: (item[0] != "probe", item[0])))


#: name -> workload. Importing it needs no torch.
WORKLOADS: dict[str, Workload] = _discover()
