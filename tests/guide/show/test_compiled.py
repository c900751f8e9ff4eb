"""Compiled templates are kept, and made anew when anything that they depend on is another."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from guide.show.compiled import Compiled


def environment(text: str, *made_by: str) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.DictLoader({"page": text}), autoescape=True, bytecode_cache=Compiled(*made_by)
    )


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """The templates that were compiled."""
    seen: list[str] = []
    generate = jinja2.Environment._generate

    def counted(self, source, name, filename, **rest):
        seen.append(name)
        return generate(self, source, name, filename, **rest)

    monkeypatch.setattr(jinja2.Environment, "_generate", counted)
    return seen


def test_a_template_is_compiled_once(monkeypatch, tmp_path: Path, compiled) -> None:
    monkeypatch.setenv("HWGUIDE_CACHE", str(tmp_path))
    for _ in range(2):
        assert environment("{{ 1 + 1 }} & {{ x }}", "a").get_template("page").render(x="<") == "2 & &lt;"
    assert compiled == ["page"]


@pytest.mark.parametrize(("text", "made_by"), [("{{ x }}?", "a"), ("{{ x }}", "b")])
def test_another_text_or_maker_compiles_it_again(
    monkeypatch, tmp_path: Path, compiled, text, made_by
) -> None:
    monkeypatch.setenv("HWGUIDE_CACHE", str(tmp_path))
    environment("{{ x }}", "a").get_template("page")
    environment(text, made_by).get_template("page")
    assert compiled == ["page", "page"]


def test_a_folder_that_is_none_and_a_damaged_file_are_no_errors(
    monkeypatch, tmp_path: Path, compiled
) -> None:
    monkeypatch.setenv("HWGUIDE_CACHE", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    assert environment("{{ x }}").get_template("page").render(x=1) == "1"
    monkeypatch.setenv("HWGUIDE_CACHE", str(tmp_path))
    environment("{{ x }}").get_template("page")
    (kept,) = tmp_path.glob("templates/*/*")
    for content in (b"", b"no template", kept.read_bytes()[:60]):
        kept.write_bytes(content)
        assert environment("{{ x }}").get_template("page").render(x=1) == "1"
