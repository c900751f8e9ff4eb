"""What every device's answer depends on: versions of the libraries in the loop."""

from __future__ import annotations

import importlib.metadata
from typing import Any

LIBRARIES = ("torch", "transformers", "accelerate", "datasets", "numpy", "triton")


def common_conditions() -> dict[str, Any]:
    """Library versions and fp32 settings; a library that is not installed is left out."""
    from bench.devices.precision import precision_conditions

    found: dict[str, Any] = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found | precision_conditions()
