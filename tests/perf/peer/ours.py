"""``bench collect`` for one cell, from the command line to the run's file.

    python ours.py CELL_JSON OUT_DIR SUITE probe|no-probe

The plan is narrowed to the one cell; everything else is the command's own: its child process, its sleeping
parent, the self-test, the sampling process, the energy counter, the file on disk. ``no-probe`` leaves out the
ceiling probe and the anchors, which measure other things than the cell. Called with ``--child`` it is the
child process, which knows one shape more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from subjects import add_shapes


def main() -> None:
    add_shapes()
    if sys.argv[1] == "--child":
        from bench.runner import child

        child.run()
    text, out, suite, probe = sys.argv[1:]

    from bench.cells import Cell
    from bench.cli import main as bench
    from bench.runner import process
    from bench.workloads import WORKLOADS

    cell = Cell.from_json(json.loads(text))
    process.COMMAND[:] = [sys.executable, __file__, "--child"]
    WORKLOADS[cell.workload].cells = lambda suite, kind: [cell]
    if probe == "no-probe":
        del WORKLOADS["probe"]
    asked = ["--device", "cpu", "--suite", suite, "--workload", cell.workload, "--out", out, "--json"]
    bench(["collect", *asked])


if __name__ == "__main__":
    main()
