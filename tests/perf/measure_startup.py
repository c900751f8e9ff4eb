"""How fast ``bench --help`` starts, against a bare click program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from figures import Figure, by_turns, compared, seconds

ROUNDS, QUICK_ROUNDS = 25, 3
BARE = "import click\n@click.command()\ndef main(): 'Nothing.'\nmain(['--help'])"
OURS = {
    "bench --help": "from bench.cli import main; main(['--help'])",
    "bench --version": "from bench.cli import main; main(['--version'])",
}


def measure(quick: bool = False) -> Iterator[Figure]:
    rounds = QUICK_ROUNDS if quick else ROUNDS
    for name, code in OURS.items():
        pairs = by_turns(lambda code=code: start(code), lambda: start(BARE), rounds)
        yield compared(f"`{name}`, whole process", "a click program of one command, `--help`", pairs)


def start(code: str) -> float:
    """Seconds from starting Python to its end."""
    return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True))
