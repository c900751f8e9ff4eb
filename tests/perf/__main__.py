"""Measures what the project's own code costs, and prints it as a Markdown table.

    python tests/perf                    everything
    python tests/perf startup build      some of it
    python tests/perf --list             what there is

Not part of the tests: no figure here passes or fails. Every file ``measure_<name>.py`` beside this one is a
measurement; it defines ``measure() -> Iterator[Figure]``, and its docstring's first line says what it is.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import platform
from pathlib import Path

from figures import Figure, table

HERE = Path(__file__).parent


def measurements() -> dict[str, str]:
    """Name -> what it measures, read without importing."""
    found = {}
    for path in sorted(HERE.glob("measure_*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        found[path.stem.removeprefix("measure_")] = docstring.partition("\n")[0]
    return found


def main() -> None:
    known = measurements()
    parser = argparse.ArgumentParser(prog="tests/perf", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(known)} (default: all)")
    parser.add_argument("--list", action="store_true", help="say what each measures")
    options = parser.parse_args()
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    if options.list:
        print("\n".join(f"{name}: {what}" for name, what in known.items()))
        return
    figures: list[Figure] = []
    for name in options.names or known:
        print(f"measuring {name}: {known[name]}", flush=True)
        figures += importlib.import_module(f"measure_{name}").measure()
    print()
    print(table(figures))
    print(f"\n{platform.system()} {platform.machine()}, Python {platform.python_version()}. {Figure.READING}")


if __name__ == "__main__":
    main()
