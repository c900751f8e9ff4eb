"""Formats and flags: the page holds all that the registries hold, and is found from Data and Methodology."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import published_flags
from bench.cli import main
from bench.importers import flags as imported_flags
from bench.importers import formats
from bench.measure import flags as measured_flags
from guide import paths
from guide.context import Context
from guide.pages.formats import PAGE
from guide.show.markup import escape

FLAGS = [measured_flags, imported_flags, published_flags]


@pytest.fixture(scope="module")
def page() -> str:
    return page_of(PAGE)


def read(page: str) -> str:
    """The page as a reader sees it."""
    return html.unescape(re.sub("<[^>]*>", "", page))


def page_of(page) -> str:
    from bench.catalog import Catalog
    from bench.catalog.prices import PriceBook
    from guide.decide.scenarios import load_scenarios
    from guide.evidence import analyse

    example = Path(__file__).parents[1] / "example"
    settings = load_scenarios(example / "scenarios.toml")
    evidence = analyse(rows=[], catalog=Catalog({}), book=PriceBook([]), settings=settings)
    return next(f.content for f in page.render(Context(evidence)) if f.path == paths.FORMATS).decode()


def test_every_format_version_and_correction_is_told(page: str) -> None:
    found = formats()
    assert len(found) > 8
    for entry in found:
        assert f"### {escape(entry['title'])} {{ #{entry['format']} }}" in page
        texts = [*entry["forms"], *entry["versions"], entry["lacks"]]
        texts += [c[key] for c in entry["corrections"] for key in ("fault", "remedy")]
        assert [text for text in texts if text not in read(page)] == []


def test_every_flag_says_what_it_means_and_what_to_do(page: str) -> None:
    told = re.findall(r'<th scope="row"[^>]*><code id="flag-([a-z-]+)">([a-z-]+)</code></th>', page)
    assert [code for code, _ in told] == [code for _, code in told]
    assert [code for code, _ in told] == [flag for registry in FLAGS for flag in registry.FLAGS]
    for registry in FLAGS:
        for flag, meaning in registry.FLAGS.items():
            assert meaning[1:] in read(page), flag
            assert registry.ADVICE[flag] in read(page), flag


def test_the_flag_of_a_correction_leads_to_its_meaning(page: str) -> None:
    linked = set(re.findall(r'href="[^"]*#flag-([a-z-]+)"', page))
    assert linked == {c["flag"] for entry in formats() for c in entry["corrections"] if c["flag"]}
    assert linked <= set(re.findall(r'id="flag-([a-z-]+)"', page))


@pytest.mark.parametrize("other", ["data", "methodology"])
def test_it_is_linked_from(built_site: Path, other: str) -> None:
    text = (built_site / other / "index.html").read_text("utf-8")
    assert re.search(r'href="\.\./formats/[^"]*"', text)
    assert (built_site / "formats" / "index.html").is_file()


def test_the_command_prints_the_same() -> None:
    done = CliRunner().invoke(main, ["import", "--formats", "--json"])
    assert done.exit_code == 0
    assert json.loads(done.output) == formats()
    plain = CliRunner().invoke(main, ["import", "--formats"]).output
    for entry in formats():
        assert all(text in plain for text in [entry["title"], *entry["versions"]])
        assert all(f"{c['fault']}: {c['remedy']}" in plain for c in entry["corrections"])
