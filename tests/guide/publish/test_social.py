"""Social cards: one for each main page, with the page's own figures, the same bytes each time."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.project import DataDir
from guide import paths
from guide.build import build
from guide.context import Context
from guide.evidence import Evidence, load_evidence
from guide.publish import social
from guide.site_files import Site
from guide.translate.catalogue import LANGUAGES

TAGS = {language.tag for language in LANGUAGES}


@pytest.fixture(scope="module")
def evidence(example_data: DataDir) -> Evidence:
    return load_evidence(example_data)


@pytest.fixture(scope="module")
def site(evidence: Evidence) -> Site:
    return build(evidence)


def test_the_main_pages_have_cards_of_the_right_size(site: Site, evidence: Evidence) -> None:
    scenarios = {paths.scenario(s.key) for s in evidence.settings.scenarios}
    workloads = {paths.workload(task.workload) for task in evidence.tasks if task.standings}
    assert {paths.HOME, paths.SCENARIOS, paths.WORKLOADS, *scenarios, *workloads} <= site.cards.keys()
    assert {paths.WHY, paths.WHY_CLOSE, paths.WHY_NEWER, paths.WHY_SEVERAL} <= site.cards.keys()
    for page, card in site.cards.items():
        content = site.files[card.path]
        assert content.startswith(b"\x89PNG"), page
        assert struct.unpack(">II", content[16:24]) == (social.WIDTH_PX, social.HEIGHT_PX), page
        assert len(content) < 90_000, page
        assert card.alt


def test_a_card_says_what_its_page_says(evidence: Evidence) -> None:
    ctx = Context(evidence)
    cards, _ = social.cards(ctx)
    for answer in ctx.answers:
        if answer.pick:
            assert answer.pick.system.label in cards[paths.scenario(answer.scenario_key)].alt
    for topic in ctx.topics:
        card = cards[topic.path].alt
        assert topic.title.replace("\u00a0", " ").split("?")[0] in card.replace("\u00a0", " ")
        assert all(value in card for _, value in topic.facts[: social.ROWS])
    assert sum(bool(topic.facts) for topic in ctx.topics) >= 3
    leader = max(
        (t for t in evidence.tasks if t.workload == "decode"), key=lambda t: len(t.standings)
    ).standings[0]
    assert leader.result.system.label in cards[paths.workload("decode")].alt


def test_a_card_is_the_same_from_an_empty_cache(
    site: Site, evidence: Evidence, monkeypatch, tmp_path
) -> None:
    monkeypatch.setenv("HWGUIDE_CACHE", str(tmp_path))
    cards, files = social.cards(Context(evidence))
    assert cards == site.cards
    assert [f.path for f in files if site.files[f.path] != f.content] == []
    assert list((tmp_path / "card").iterdir())


def test_text_is_kept_inside_the_card() -> None:
    long = "An uncommonly long name of a device, with & <markup> in it, " * 4
    picture = social.Picture("kicker", long, ((long, long),) * social.ROWS, long)
    root = ET.fromstring(social.svg(picture))
    lines = [(node.text or "", float(node.get("font-size", "0"))) for node in root.iter() if node.text]
    assert len(lines) == 1 + 2 + 2 * social.ROWS + 1
    for text, size in lines:
        assert social.width(text, size) <= social._RIGHT - social._LEFT
    rows = [float(n.get("y", "0")) for n in root.iter() if n.get("y")]
    assert max(rows) < social.HEIGHT_PX


def test_a_short_text_is_not_cut() -> None:
    assert social.fitted("RTX 4090", 28) == "RTX 4090"
    assert social.wrapped("Which hardware should run your AI work?", 56, 2) != []
    assert not any("…" in line for line in social.wrapped("Which hardware should run your AI work?", 56, 2))


def test_built_pages_name_their_card_and_what_they_are(built_site: Path, site: Site, site_port: int) -> None:
    base = f"http://127.0.0.1:{site_port}/"
    for page in sorted(built_site.rglob("index.html")):
        text = page.read_text(encoding="utf-8")
        said = dict(re.findall(r'<meta (?:property|name)="([^"]*)" content="([^"]*)">', text))
        where = page.parent.relative_to(built_site).as_posix()
        address = base if where == "." else f"{base}{where}/"
        assert said["og:url"] == address
        assert said["og:title"]
        assert said["og:title"] == re.search(r"<title>(.*) - ", text)[1]
        assert len(said["description"]) >= (50 if '<html lang="en"' in text else 20), page
        assert said["og:description"] == said["description"]
        assert said["twitter:card"] == "summary_large_image"
        assert said["og:image:alt"]
        assert (built_site / said["og:image"].removeprefix(base)).is_file(), page
    home = (built_site / "index.html").read_text(encoding="utf-8")
    assert site.cards[paths.HOME].path in home
    scenario = next(built_site.glob("scenarios/*/index.html"))
    assert site.cards[paths.HOME].path not in scenario.read_text(encoding="utf-8")


def test_heads_lead_to_twin_feed_and_canonical_address(built_site: Path, site_port: int) -> None:
    base = f"http://127.0.0.1:{site_port}/"
    for page in sorted(built_site.rglob("index.html")):
        text = page.read_text(encoding="utf-8")
        links = dict(re.findall(r'<link rel="alternate[^"]*" type="([^"]*)"[^>]*? href="([^"]*)">', text))
        assert (page.parent / links["application/json"]).resolve().is_file(), page
        assert (page.parent / links["application/atom+xml"]).resolve() == built_site / "feed.xml"
        assert f'<link rel="canonical" href="{base}' in text
        tag = where if (where := page.relative_to(built_site).parts[0]) in TAGS else "en"
        assert f'<html lang="{tag}"' in text
    robots = (built_site / "robots.txt").read_text(encoding="utf-8")
    assert f"Sitemap: {base}sitemap.xml" in robots
