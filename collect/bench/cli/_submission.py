"""What ``bench verify --submission`` prints: for each file accepted or not, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from bench.catalog import Catalog
from bench.cli._tables import print_json
from bench.errors import UsageError
from bench.project import DataDir, find_data
from bench.text import one_path, plain
from bench.verify.submission import check_submissions


def judge(paths: Sequence[Path], folder: DataDir, *, as_json: bool) -> int:
    """Print the verdicts; returns the exit code, 1 when a file is not accepted. Raises ``UsageError``."""
    if not paths:
        raise UsageError("--submission needs the run files that are offered.")
    missing = [path for path in paths if not path.is_file()]
    if missing:
        raise UsageError(f"There is no file at '{missing[0]}'.")
    devices = next((d.devices for d in (folder, find_data()) if d.devices.is_file()), None)
    if devices is None:
        raise UsageError(
            "There is no devices.csv here.", hint="Run this in the project's folder, or use --data."
        )
    found = check_submissions(paths, Catalog.load(devices), folder.runs)
    if as_json:
        print_json(
            [
                {"path": str(s.path), "accepted": s.accepted, "rows": s.rows, "ok_rows": s.ok_rows}
                | {"findings": [finding.as_json() for finding in s.findings]}
                for s in found
            ]
        )
        return int(not all(s.accepted for s in found))
    for s in found:
        counted = f": {s.rows} rows, {s.ok_rows} of them measured" if s.rows else ""
        click.echo(plain(f"{one_path(s.path)}: {'accepted' if s.accepted else 'not accepted'}{counted}"))
        for finding in s.findings:
            text = finding.sentence().replace(finding.path, "", 1).lstrip(" ,:")
            click.echo(plain(f"  {finding.severity}: {text}"))
    return int(not all(s.accepted for s in found))
