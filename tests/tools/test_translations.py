"""Nothing that pages and scripts say lacks a translation, with the project's data and the example's."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("translations", ROOT / "tools" / "translations.py")
assert _spec
assert _spec.loader
translations = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(translations)


@pytest.mark.parametrize("folder", translations.SOURCES, ids=lambda folder: folder.parent.name)
def test_every_sentence_has_a_translation(folder: Path) -> None:
    for tag, lacking in translations.missing(folder).items():
        assert not lacking, f"python tools/translations.py --update adds to {tag}.po: " + "; ".join(lacking)
