"""List workloads, suites and devices, with what each would run.

With --suite, every cell of that suite with the memory it needs. Works without torch.
"""

from __future__ import annotations

from typing import Any

import click

from bench.cli._options import as_json


@click.command(help=__doc__)
@click.option("--suite", metavar="NAME", help="Every cell of this suite.")
@click.option("--device", metavar="KIND", help="As on this kind of device. [default: the one found here]")
@as_json
def command(suite: str | None, device: str | None, as_json: bool) -> None:
    from bench import devices
    from bench.cli._tables import print_json, print_table
    from bench.errors import unknown
    from bench.suites import SUITES, get_suite
    from bench.text import nbytes
    from bench.workloads import WORKLOADS

    if device is not None and device not in devices.KINDS:
        raise unknown("device", device, devices.KINDS)
    if suite is not None:
        get_suite(suite)
    found = devices.available()
    kind = device or next((k for k in devices.PREFERENCE if found.get(k) is None), "cpu")
    if suite is not None:
        cells = [(w, cell) for w in WORKLOADS.values() for cell in w.cells(suite, kind)]
        rows = [
            cell.columns() | {"label": cell.label, "memory_bytes": w.need(cell).memory_bytes}
            for w, cell in cells
        ]
        if as_json:
            print_json(rows)
        else:
            print_table(("cell", "needs"), [(row["label"], nbytes(row["memory_bytes"])) for row in rows])
        return
    suites = [s for s in SUITES.values() if not s.hidden]
    counts = {name: {s.name: len(w.cells(s.name, kind)) for s in suites} for name, w in WORKLOADS.items()}
    if as_json:
        print_json(_document(suites, counts, found, kind))
        return
    print_table(
        ("workload", *(s.name for s in suites), "what"),
        [(name, *counts[name].values(), w.what) for name, w in WORKLOADS.items()],
        title=f"Workloads, and how many cells each suite runs on {kind}",
    )
    click.echo()
    print_table(
        ("suite", "interval", "cells", "what"),
        [(s.name, f"±{s.target:.0%}", sum(c[s.name] for c in counts.values()), s.what) for s in suites],
        title="Suites",
    )
    click.echo()
    print_table(
        ("device", "usable", "why not"),
        [(k, "no" if reason else "yes", reason or "") for k, reason in found.items()],
        title="Devices",
    )


def _document(suites: list[Any], counts: dict[str, dict[str, int]], found: dict, kind: str) -> dict[str, Any]:
    from bench.workloads import WORKLOADS

    return {
        "cells_on": kind,
        "workloads": [
            {
                "workload": name,
                "title": w.title,
                "what": w.what,
                "why": w.why,
                "rate_unit": w.rate_unit,
                "cells": counts[name],
            }
            for name, w in WORKLOADS.items()
        ],
        "suites": [
            {"suite": s.name, "what": s.what, "target": s.target, "cell_budget_s": s.cell_budget_s}
            for s in suites
        ],
        "devices": [{"device": k, "usable": reason is None, "reason": reason} for k, reason in found.items()],
    }
