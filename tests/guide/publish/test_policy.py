"""The content-security policy: nothing inline but the theme's own scripts, the same on every page."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

from guide.publish.policy import HEADERS, Policy, digest, inline_scripts, on_disk

ROOT = Path(__file__).parents[3]


def headers_of(file: str) -> dict[str, str]:
    """What a host that reads ``_headers`` sends with every page: names and values."""
    pattern, *lines = file.splitlines()
    assert pattern == "/*"
    assert all(line.startswith("  ") for line in lines)
    return dict(line.strip().split(": ", 1) for line in lines)


def meta_of(page: str) -> str:
    found = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert len(found) == 1
    return html.unescape(found[0])


def test_a_digest_is_the_one_that_browsers_compute() -> None:
    # The example of the specification, "Hash usage for script elements" in CSP level 3.
    assert digest("alert('Hello, world.');") == "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="


def test_only_scripts_that_run_are_counted() -> None:
    page = '<script src="a.js"></script><script>one()</script><script type="application/json">{}</script>'
    assert list(inline_scripts(page)) == ["one()"]


def test_what_a_browser_would_refuse_is_found() -> None:
    policy = Policy.of(["<script>one()</script>"])
    assert policy.faults("<p>fine</p><script>one()</script>") == []
    assert len(policy.faults('<p style="color:red">x</p><style>p{}</style><script>two()</script>')) == 3


def test_the_policy_allows_no_eval_and_nothing_inline_by_name() -> None:
    policy = Policy.of(["<script>one()</script>"])
    for text in (policy.meta, policy.header):
        assert "unsafe" not in text
        assert "http" not in text
        assert "*" not in text
        assert text.startswith("default-src 'none'")
    assert "frame-ancestors" in policy.header
    assert "frame-ancestors" not in policy.meta  # a page cannot state it
    headers = headers_of(policy.headers_file())
    assert headers["Content-Security-Policy"] == policy.header
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_on_a_disk_nothing_is_loaded_from_a_network() -> None:
    text = on_disk(Policy(("sha256-x",)).meta)
    assert "http" not in text
    assert "'sha256-x'" in text
    assert "frame-src 'self' file:" in text


def test_every_built_page_states_the_same_policy_before_it_loads_anything(built_site: Path) -> None:
    pages = sorted(built_site.rglob("*.html"))
    header = headers_of((built_site / HEADERS).read_text(encoding="utf-8"))["Content-Security-Policy"]
    assert len(pages) > 10
    for page in pages:
        text = page.read_text(encoding="utf-8")
        stated = meta_of(text)
        assert header == f"{stated}; frame-ancestors 'none'", page
        assert text.index("Content-Security-Policy") < min(text.index("<link"), text.index("<script")), page
        digests = {digest(script) for script in inline_scripts(text)}
        assert digests, page
        assert all(f"'{found}'" in stated for found in digests), page


def test_a_page_that_the_policy_would_break_fails_a_strict_build(tmp_path: Path, new_project) -> None:
    project = new_project(tmp_path, empty=True)
    theme = tmp_path / "theme"
    theme.mkdir()
    (theme / "main.html").write_text(
        '{% extends "base.html" %}{% block content %}<script>alert(1)</script>{{ super() }}{% endblock %}'
    )
    config = project / "mkdocs.yml"
    config.write_text(re.sub(r"custom_dir: .*}", f"custom_dir: {theme.as_posix()}}}", config.read_text()))
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "The policy refuses an inline script that starts with 'alert(1)'" in done.stderr
