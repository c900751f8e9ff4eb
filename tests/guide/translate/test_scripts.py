"""The sentences of scripts: none is overlooked, each has a translation, and its places are kept."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from guide.show.render import templates_dir
from guide.translate.catalogue import LANGUAGES, Catalogue, catalogues
from guide.translate.scripts import SOURCES, Words, every, sentences

ZH = next(language for language in LANGUAGES if language.tag == "zh")
#: English in a script: a literal, or the text of a template, of two words or more or with a capital.
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
LOOKS_LIKE_WORDS = re.compile(r"[a-z’']{2,} [a-z]{2,}|^[A-Z][a-z]{2,}(?: |$)")
#: What is no English, and what only a console or the code itself hears.
SILENT = frozenset({
    "use strict", "bench import", "USD per million", "input+output tokens/s", "Vulkan", "Kompute", "Metal",
    "Accelerate", "Small", "Medium", "Large", "Apple", "Escape", "Tab", "article table",
    "md-header__button language", "data--cards own__table", "more own__list", "verdict reader__verdict",
    "vendor vendor--", "Vega could not be loaded", "figure-card.js could not be loaded",
    "for the chart's specification", "for the guide's tasks", "a part of it unpacks to",
    "The reader's machine cannot be shown:",
})  # fmt: skip
CATALOGUES = catalogues(templates_dir() / "translations")


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda c: c.language.tag)
def test_no_sentence_of_a_script_lacks_a_translation(catalogue: Catalogue) -> None:
    lacking = Words(catalogue, every()).missing
    assert not lacking, "python tools/translations.py --update adds them: " + "; ".join(lacking)


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda c: c.language.tag)
def test_a_translation_has_the_places_of_its_sentence(catalogue: Catalogue) -> None:
    places = re.compile(r"\{\w+\}")
    for sentence, told in Words(catalogue, every()).told.items():
        assert sorted(places.findall(sentence)) == sorted(places.findall(told)), sentence


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('say(words("One row"));', ["One row"]),
        ('words(\n  "A long " +\n    "one: {n}.",\n  { n },\n)', ["A long one: {n}."]),
        ('counted(list.length - 1, "{count}\\u00a0row", "{count}\\u00a0rows", { x })',
         ["{count}\u00a0row", "{count}\u00a0rows"]),
        ('const WHY = { a: phrase("over {x}") }; words(WHY[code], { x });', ["over {x}"]),
        ('ok ? words("yes") : words("no")', ["yes", "no"]),
        ('// words("not this one")\nwords("this")', ["this"]),
        ("`${words(\"inside\")} and ${data.words}`", ["inside"]),
    ],
)  # fmt: skip
def test_sentences_are_found(source: str, found: list[str]) -> None:
    assert list(sentences(source)) == found


@pytest.mark.parametrize(
    "source",
    ["words(`${n} rows`)", 'words(a + " rows")', 'counted(n, `${n} row`, "rows")', 'words(ok ? "a" : "b")'],
)
def test_a_sentence_that_cannot_be_found_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="no plain sentence"):
        list(sentences(source))


def test_one_entry_serves_python_and_scripts() -> None:
    entries = {"at {1} and below, {2}": "为 {1} 及以下时，{2}", "after {1} hours": "{1} 小时后"}
    words = Words(Catalogue(ZH, entries), ["at {price} and below, {what}", "after 24 hours", "{a} of {b}"])
    assert words.told == {
        "at {price} and below, {what}": "为 {price} 及以下时，{what}",
        "after 24 hours": "24 小时后",
    }
    assert list(words.missing) == ["{1} of {2}"]


def test_no_script_says_english_in_another_way() -> None:
    """Whatever reads like words stands in a sentence that can be translated, or is named here."""
    said = "\n".join(every())
    for path in sorted(SOURCES.rglob("*.js")):
        text = re.sub(r"(?m)^\s*//[^\n]*|(?s:/\*\*.*?\*/)|\s// [^\n]*$", "", path.read_text("utf-8"))
        for literal, template in LITERAL.findall(text):
            for part in [literal] if literal else re.split(r"\$\{.*?\}", template):
                plain = part.replace("\\u00a0", "\u00a0").strip()
                if LOOKS_LIKE_WORDS.search(plain) and plain not in SILENT and "=>" not in plain:
                    assert plain in said, f"{path.name} says {plain!r} in English only"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_page_in_english_says_the_sentences_as_they_stand() -> None:
    run = """
      globalThis.window = globalThis;
      globalThis.document = { documentElement: { lang: "zh" }, body: {} };
      globalThis.MutationObserver = class { observe() {} };
      require(process.argv[1]);
      const { words, counted, joined, language } = hwguideWords;
      globalThis.hwguideFigures = { fixed: (n) => String(n) };
      const told = () => [words("{a} of {b}", { a: "{b}", b: 2 }), counted(1, "{count} row", "{count} rows"),
        counted(3, "{count} row", "{count} rows"), joined(["x", "", "y"], ", "), language()];
      const english = told();
      globalThis.hwguideCatalogues = { zh: { marks: { ", ": "、" }, words: { "{a} of {b}": "{b} 之 {a}",
        "{count} row": "{count} 行", "{count} rows": "{count} 行" } } };
      console.log(JSON.stringify([english, told()]));
    """
    path = str(Path(SOURCES / "words.js"))
    out = subprocess.run(["node", "-e", run, path], capture_output=True, text=True, check=True).stdout
    assert out.strip() == ('[["{b} of 2","1 row","3 rows","x, y",""],["2 之 {b}","1 行","3 行","x、y","zh"]]')
