"""Is a result possible, and does it say the same thing throughout? Checks of rows and files, each explained.

``verify(paths, catalog)`` reports on files; ``gate.gated(rows, context)`` keeps impossible rows from a page;
``CHECKS`` lists what is checked. Nothing here imports torch.
"""

from __future__ import annotations

from bench.verify.base import SEVERITIES, Check, Context, Finding, Problem
from bench.verify.checks import CHECKS

__all__ = ["CHECKS", "SEVERITIES", "Check", "Context", "Finding", "Problem", "rules"]


def rules() -> list[dict[str, str]]:
    """One entry a check, for the documentation: name, severity, what it asks and why."""
    return [{"check": c.name, "severity": c.severity, "what": c.what, "why": c.why} for c in CHECKS.values()]
