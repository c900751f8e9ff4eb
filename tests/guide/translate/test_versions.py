"""A page in another language, and what happens where the catalogue has no word."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import BenchError
from guide.translate.catalogue import LANGUAGES, Catalogue, catalogues, load
from guide.translate.versions import Version, enumeration, has_versions, sentences

ZH = next(language for language in LANGUAGES if language.tag == "zh")
ENTRIES = {
    "{1} devices": "{1} 个设备",
    "{1} wins at {2}.": "{2} 时 {1} 胜出。",
    "Speed": "速度",
    "as of {1}": "截至 {1}",
    "decode": "解码",
    "one stream": "单路",
    "one stream:": "单路：",
    "decode:": "解码：",
    "fine-tune": "微调",
}


@pytest.fixture
def version() -> Version:
    return Version(
        Catalogue(ZH, ENTRIES),
        ["RTX 4090", "Llama 3 8B, decode, one stream", "Uploads by owners, through a site"],
    )


def shown(version: Version, body: str) -> tuple[str, int]:
    text, _, count = version.page(body, ())
    return text, count


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>235\u00a0devices</p>", "<p>235 个设备</p>"),
        (
            "<p>RTX 4090 wins at $3. RTX 4090 wins at $5.</p>",
            "<p>$3 时 RTX 4090 胜出。$5 时 RTX 4090 胜出。</p>",
        ),
        ("## Speed", "## 速度 { #speed }"),
        ("<p>as of 1\u00a0Dec\u00a02026</p>", "<p>截至 2026\u00a0年\u00a012\u00a0月\u00a01\u00a0日</p>"),
        ("<td>Llama 3 8B, decode, one stream</td>", "<td>Llama 3 8B、解码、单路</td>"),
        ("<td>12.5</td>", "<td>12.5</td>"),
        # A clause of names and figures alone has the language's own marks, the one at its end too.
        (
            "<p>one stream: RTX 4090, $3; decode: RTX 4090, $5</p>",
            "<p>单路：RTX 4090、$3；解码：RTX 4090、$5</p>",
        ),
        ("<td>fine-tune</td>", "<td>微调</td>"),
        ("<td>Uploads by owners, through a site</td>", "<td>Uploads by owners, through a site</td>"),
    ],
)  # fmt: skip
def test_known_words(version: Version, body: str, text: str) -> None:
    assert shown(version, body) == (text, 0)


def test_an_unknown_sentence_stays_in_english_and_can_be_seen(version: Version) -> None:
    text, count = shown(version, "<p>Nobody <b>knows</b>.</p>")
    assert text == '<p><span lang="en" class="untranslated">Nobody <b>knows</b>.</span></p>'
    assert count == 1
    assert version.missing == {"Nobody <1>knows</1>.": "Nobody <b>knows</b>."}


def test_half_known_is_unknown(version: Version) -> None:
    text, count = shown(version, "<p>RTX 4090 wins at $3. Nobody knows.</p>")
    assert "胜出" not in text
    assert count == 1
    assert list(version.missing) == ["Nobody knows."]


def test_finished_parts_are_translated_alike(version: Version) -> None:
    table = "<table><td>Speed</td></table>"
    text, finished, _ = version.page(f"## Speed\n\n{table}\n\n<p>Speed</p>", (table,))
    assert finished == ("<table><td>速度</td></table>",)
    assert finished[0] in text


def test_links_lead_to_the_same_language_where_there_is_one(version: Version) -> None:
    assert version.link("cost.md#formulas") == "zh/cost.md#formulas"
    assert version.link("devices/nvidia-l4.md") == "devices/nvidia-l4.md"
    assert not has_versions("downloads/results.csv")


def test_a_label_is_cut_at_commas_but_not_within_a_name() -> None:
    assert enumeration("decode on EPYC (cloud, AVX2), FP16, one stream") == [
        "decode on EPYC (cloud, AVX2)",
        "FP16",
        "one stream",
    ]
    assert enumeration("first, second, and more.") == ["first, second, and more."]


def test_sentences_are_cut_where_no_element_is_open() -> None:
    assert sentences("A. B; <b>C. D</b>. E") == ["A.", "B;", "<b>C. D</b>.", "E"]
    assert sentences("at 3 &#91;1–2&#93; or less") == ["at 3 &#91;1–2&#93; or less"]


def catalogue(folder: Path, text: str) -> Path:
    path = folder / "zh.po"
    path.write_text(f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n{text}', "utf-8")
    return path


def test_a_catalogue_is_read_without_what_is_empty_or_doubtful(tmp_path: Path) -> None:
    text = 'msgid "A {1}"\nmsgstr "甲 {1}"\n\nmsgid "B"\nmsgstr ""\n\n#, fuzzy\nmsgid "C"\nmsgstr "丙"\n'
    assert load(catalogue(tmp_path, text), ZH).entries == {"A {1}": "甲 {1}"}
    (found,) = catalogues(tmp_path)
    assert found.language.tag == "zh"


def test_a_translation_that_lost_a_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"line 5.*'A \{1\}'"):
        load(catalogue(tmp_path, 'msgid "A {1}"\nmsgstr "甲"\n'), ZH)


def test_a_file_that_is_no_catalogue_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no catalogue"):
        load(catalogue(tmp_path, "msgid nothing\n"), ZH)


@pytest.mark.parametrize(
    "line",
    [
        "PO-Revision-Date: nonsense",
        "Language: xx_YY_ZZ_1",
        "Language: !!",
        "Plural-Forms: nplurals=x; plural=n",
    ],
)
def test_an_odd_header_is_one_message_that_says_where_to_look(tmp_path: Path, line: str) -> None:
    path = tmp_path / "zh.po"
    path.write_text(f'msgid ""\nmsgstr ""\n"{line}\\n"\n', encoding="utf-8")
    with pytest.raises(BenchError, match=r"zh\.po is no catalogue") as caught:
        load(path, ZH)
    assert "header" in (caught.value.hint or "")


def test_a_catalogue_of_another_encoding_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "zh.po"
    path.write_bytes('msgid "A"\nmsgstr "甲"\n'.encode("gb18030"))
    with pytest.raises(BenchError, match="no catalogue"):
        load(path, ZH)


def test_a_byte_order_mark_is_no_word(tmp_path: Path) -> None:
    path = tmp_path / "zh.po"
    path.write_text('msgid "A"\nmsgstr "甲"\n', encoding="utf-8-sig")
    assert load(path, ZH).entries == {"A": "甲"}


@pytest.mark.parametrize("target", ["</1>甲<1>", "<1>甲<2></1>乙</2>", "<2>甲</2></1><1>"])
def test_elements_that_cross_are_named(tmp_path: Path, target: str) -> None:
    source = "<1>a</1> <2>b</2>" if "2" in target else "x <1>y</1>"
    with pytest.raises(BenchError, match=r"line \d+: the elements of"):
        load(catalogue(tmp_path, f'msgid "{source}"\nmsgstr "{target}"\n'), ZH)


def test_what_turns_is_told_clause_by_clause() -> None:
    entries = {"at {1}, {2} wins.": "为 {1} 时，{2} 胜出。"}
    version = Version(Catalogue(ZH, entries), ["L4", "T4"])
    assert version.said("at $3, L4 wins, but at $2, T4 wins.") == (
        "为 $3 时，L4 胜出，但为 $2 时，T4 胜出。",
        True,
    )
