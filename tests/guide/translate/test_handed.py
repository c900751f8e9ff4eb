"""What scripts are handed in another language: words are translated, codes are left alone."""

from __future__ import annotations

import json

from guide.site_files import SiteFile
from guide.translate.catalogue import LANGUAGES, Catalogue
from guide.translate.handed import Wording, copies, translated
from guide.translate.versions import Version

ZH = next(language for language in LANGUAGES if language.tag == "zh")
ENTRIES = {
    "rented": "租用",
    "too slow": "太慢",
    "{1} tokens/s on {2}.": "{2} 上为 {1} tokens/s。",
    "rent": "错",
}
WORDING = Wording(frozenset({"routes", "label"}), frozenset({"says"}), {"reasons": 1, "results": -1})


def version() -> Version:
    return Version(Catalogue(ZH, ENTRIES), ["L4"])


def test_words_are_translated_and_codes_are_not() -> None:
    given = {
        "ways": ["rent"],
        "routes": {"rent": "rented"},
        "reasons": [["rent", "too slow"]],
        "systems": [{"key": "rent", "label": "L4", "says": "12 tokens/s on L4", "rate": 12.5, "more": None}],
        "results": {"a": {"0": [1.5, None, "12 tokens/s", "too slow"], "1": [None, "rent rent"]}},
    }
    assert translated(given, WORDING, version()) == {
        "ways": ["rent"],
        "routes": {"rent": "租用"},
        "reasons": [["rent", "太慢"]],
        "systems": [
            {"key": "rent", "label": "L4", "says": "L4 上为 12 tokens/s", "rate": 12.5, "more": None}
        ],
        "results": {"a": {"0": [1.5, None, "12 tokens/s", "太慢"], "1": [None, "rent rent"]}},
        "untranslated": ["rent rent"],
    }


def test_a_page_in_the_language_links_to_its_copy() -> None:
    found = version()
    script = SiteFile("assets/answers/0123456789ab.js", b'(window.x||={})["solo"]={"label":"too slow"};\n')
    plain = SiteFile("assets/data/own.json", b'{"label":"rented"}')
    made = [copy for file in (script, plain) for copy in copies(file, WORDING, (found,))]
    assert made[0].content.decode() == '(window.x||={})["solo.zh"]={"label":"太慢","untranslated":[]};\n'
    assert made[0].path != script.path
    assert found.link(script.path) == made[0].path
    assert made[1].path == "assets/data/own.zh.json"
    assert json.loads(made[1].content)["label"] == "租用"
