"""No page says None or nan: what is missing is left out of a name, and stands as a reason in a cell."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from bench.project import DataDir
from guide.analysis.labels import weights_words
from guide.build import build
from guide.evidence import Evidence, load_evidence
from guide.site_files import Site
from guide.views.families import extent_label, families

ROOT = Path(__file__).resolve().parents[3]
#: What an unset value becomes when it is written out.
UNSET = re.compile(r"\b(?:None|nan|NaN|NaT|undefined)\b")


@pytest.fixture(scope="module")
def site(example_data: DataDir) -> Site:
    return build(load_evidence(example_data))


@pytest.fixture(scope="module")
def published() -> Evidence:
    """The repository's own data: every published table is in it."""
    return load_evidence(DataDir(ROOT / "data"))


def words(page: str) -> str:
    """A page's text and its attributes, without the marks around them."""
    return html.unescape(re.sub(r"</?[a-z]+|<!--.*?-->", " ", page, flags=re.DOTALL))


def test_no_page_and_no_chart_shows_an_unset_value(site: Site) -> None:
    shown = {p: c.decode() for p, c in site.files.items() if p.endswith(".md") or "assets/charts/" in p}
    assert len(shown) > 10
    for path, content in shown.items():
        found = UNSET.search(words(content))
        assert not found, f"{path}: …{words(content)[max(0, found.start() - 60) : found.end() + 20]}…"


def test_no_name_of_a_published_task_holds_an_unset_value(published: Evidence) -> None:
    names = {label for t in published.tasks for label in (t.label, t.short_label, t.kind, extent_label(t))}
    names |= {weights_words(t.columns) for t in published.tasks}
    names |= {family.label for family in families(published.tasks)}
    names |= {system.label for system in published.systems.values()}
    assert len(names) > 1000
    assert [name for name in sorted(names) if UNSET.search(name)] == []
    assert [name for name in sorted(names) if re.search(r",\s*,|^\s*,|,\s*$", name)] == []


def test_the_search_finds_what_it_looks_for() -> None:
    assert UNSET.search(words('<td data-sort="nan">bert, None</td>'))
    assert not UNSET.search(words("<td>none in common, Nano</td>"))
