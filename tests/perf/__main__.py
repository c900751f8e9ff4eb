"""Measures what the project's own code costs, and prints it as a Markdown table.

    python tests/perf                    everything but what takes long
    python tests/perf startup build      some of it
    python tests/perf peer               what takes long runs by its name only
    python tests/perf --list             what there is
    python tests/perf --quick bias       the fewest rounds, to see that it runs: the figures say little

Not part of the tests: no figure here passes or fails. Every file ``measure_<name>.py`` beside this one is a
measurement; it defines ``measure(quick) -> Iterator[Figure | Missing]``, and its docstring's first line says
what it is. One that takes long says how long in ``ON_REQUEST``.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, Missing, line, table

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Measurement:
    """What a file says of itself; ``on_request`` is what it takes when it is too much for every time."""

    what: str
    on_request: str


def measurements() -> dict[str, Measurement]:
    """Name -> what it measures, read without importing."""
    found = {}
    for path in sorted(HERE.glob("measure_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        values = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        what = (ast.get_docstring(tree) or "").partition("\n")[0]
        found[path.stem.removeprefix("measure_")] = Measurement(what, values.get("ON_REQUEST", ""))
    return found


def main() -> None:
    known = measurements()
    usual = [name for name, one in known.items() if not one.on_request]
    parser = argparse.ArgumentParser(prog="tests/perf", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of: {', '.join(known)} (default: {', '.join(usual)})"
    )
    parser.add_argument("--list", action="store_true", help="say what each measures")
    parser.add_argument("--quick", action="store_true", help="fewest rounds, to see that it runs")
    options = parser.parse_args()
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    if options.list:
        for name, one in known.items():
            print(f"{name}: {one.what}{f' Only by its name: {one.on_request}.' if one.on_request else ''}")
        return
    figures: list[Figure | Missing] = []
    for name in options.names or usual:
        print(f"measuring {name}: {known[name].what}", file=sys.stderr, flush=True)
        for figure in importlib.import_module(f"measure_{name}").measure(options.quick):
            figures.append(figure)
            print(
                f"  {line(figure)}", file=sys.stderr, flush=True
            )  # a run that is broken off has told so much
    print(table(figures))
    print(f"\n{platform.system()} {platform.machine()}, Python {platform.python_version()}. {Figure.READING}")
    if not options.names:
        left = [name for name in known if name not in usual]
        print(f"Not measured, since they take long: {', '.join(f'`{name}`' for name in left)}.")


if __name__ == "__main__":
    main()
