"""Bring the catalogues in templates/translations up to date with what pages and scripts say.

    python tools/translations.py             what is missing, in numbers
    python tools/translations.py --list      the same, each entry
    python tools/translations.py --update    add what a catalogue lacks, with an empty msgstr

Reads the data in ./data and the example in tests/guide/example, so that words of rare cases are there too,
and the sources of the scripts (``guide.translate.scripts`` says how they name their sentences). What nobody
says any more stays in the catalogue: the next rows may bring it back.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from babel.messages.pofile import read_po, write_po

from bench.project import DataDir
from guide.context import Context, Publication
from guide.evidence import load_evidence
from guide.pages import PAGES
from guide.show.render import templates_dir

ROOT = Path(__file__).resolve().parents[1]
#: What programs for translators need to know; of dates and people a history tells better.
HEADER = 'msgid ""\nmsgstr ""\n"Language: {tag}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
SOURCES = (ROOT / "data", ROOT / "tests" / "guide" / "example")


def missing(folder: Path) -> dict[str, dict[str, str]]:
    """Language -> entries that its catalogue lacks for the guide of that data, each with an example."""
    # Published at an address and with a pack, a page says more.
    context = Context(load_evidence(DataDir(folder)), Publication("https://example.org/", pack=True))
    for page in PAGES:
        if context.evidence.rows or not page.needs_rows:
            list(page.render(context))
            for version in context.versions:
                version.text(page.section or page.title)
    lacking = {version.language.tag: dict(version.missing) for version in context.versions}
    for words in context.words:
        lacking[words.language.tag] |= words.missing
    return lacking


def update(tag: str, lacking: dict[str, str]) -> int:
    """Add them; returns how many entries have no translation then."""
    path = templates_dir() / "translations" / f"{tag}.po"
    with path.open("rb") as file:
        catalogue = read_po(file, locale=tag)
    for entry in lacking:
        catalogue.add(entry)
    with path.open("wb") as file:
        file.write(HEADER.format(tag=tag).encode())
        write_po(file, catalogue, width=0, omit_header=True)
    return sum(1 for message in catalogue if message.id and not message.string)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools/translations.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print each entry that is missing")
    parser.add_argument("--update", action="store_true", help="write what is missing into the catalogues")
    options = parser.parse_args()
    lacking: dict[str, dict[str, str]] = {}
    for folder in SOURCES:
        for tag, entries in missing(folder).items():
            lacking.setdefault(tag, {}).update(entries)
    for tag, entries in lacking.items():
        print(f"{tag}: {len(entries)} entries missing")
        for entry in entries if options.list else ():
            print(f"  {entry}")
        if options.update:
            print(f"{tag}: {update(tag, entries)} entries without a translation in the catalogue")


if __name__ == "__main__":
    main()
