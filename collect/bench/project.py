"""Where things are: the ``data`` folder of a project, and the parts inside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bench.errors import UsageError


@dataclass(frozen=True)
class DataDir:
    """The ``data`` folder: runs, published tables, catalog, prices, scenarios."""

    root: Path

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    @property
    def withdrawn(self) -> Path:
        return self.root / "withdrawn.csv"

    @property
    def published(self) -> Path:
        return self.root / "published"

    @property
    def devices(self) -> Path:
        return self.root / "devices.csv"

    @property
    def prices(self) -> Path:
        return self.root / "prices.csv"

    @property
    def electricity(self) -> Path:
        return self.root / "electricity.csv"

    @property
    def scenarios(self) -> Path:
        return self.root / "scenarios.toml"


def find_data(explicit: str | os.PathLike[str] | None = None) -> DataDir:
    """The data folder to use: ``explicit``, else the nearest ``data`` beside a ``mkdocs.yml`` or holding
    ``devices.csv`` in the working folder or above it, else ``./data``.

    Raises ``UsageError`` when an explicit folder does not exist.
    """
    if explicit is not None:
        root = Path(explicit)
        if not root.is_dir():
            raise UsageError(
                f"No data folder at '{root}'.",
                hint="Name a folder that holds runs/, or leave the option out to use ./data.",
            )
        return DataDir(root)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "data" / "devices.csv").is_file():
            return DataDir(folder / "data")
    return DataDir(here / "data")
