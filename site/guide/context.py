"""What every page is given: the inputs, what was derived from them, and the way to render."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from guide.analysis.systems import catalog_prices
from guide.decide.verdicts import Answer
from guide.evidence import Evidence
from guide.explain.claims import Topic
from guide.model import Price
from guide.publish import downloads
from guide.publish.moved import Movement, movements
from guide.publish.snapshot import Snapshot, take
from guide.recommend import answers
from guide.show.provenance import Ledger
from guide.show.render import render_page, templates_dir
from guide.site_files import SiteFile
from guide.translate import handed, names
from guide.translate.catalogue import catalogues
from guide.translate.scripts import Words, every
from guide.translate.versions import Version, has_versions


@dataclass(frozen=True)
class Publication:
    """What the evidence does not know about a publication of the guide, and only an adapter does.

    ``site_url`` is the guide's own address, empty where it is not known: then there is no feed, and nothing
    else that needs a whole address. ``history`` has the publications before, oldest first. ``pack`` says
    that the offline pack will lie beside the pages.
    """

    site_url: str = ""
    site_name: str = "AI hardware guide"
    history: tuple[Snapshot, ...] = ()
    pack: bool = False


@dataclass
class Context:
    """One build: ``evidence`` is all that a page may say something about, ``page`` is how it says it."""

    evidence: Evidence
    publication: Publication = Publication()
    links: list[tuple[str, str]] = field(default_factory=list)

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answers to all scenarios, worked out once for all the pages that tell them."""
        return answers(self.evidence)

    @cached_property
    def downloads(self) -> tuple[SiteFile, ...]:
        """The files of data, for the page that offers them and those that name them."""
        return tuple(downloads.files(self.evidence))

    @cached_property
    def movements(self) -> tuple[Movement, ...]:
        """What moved since each publication, the newest first."""
        return movements(self.publication.history, take(self.evidence, self.answers))

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """The questions under Why with what the rows answer, for their pages and their cards."""
        from guide.pages.why import TOPICS

        return tuple(topic(self.evidence) for topic in TOPICS)

    @cached_property
    def catalog_prices(self) -> Mapping[str, tuple[Price, ...]]:
        """The prices of each device of the catalog by itself, whether or not anything was measured on it."""
        evidence = self.evidence
        return catalog_prices(evidence.catalog, evidence.book, evidence.as_of) if evidence.as_of else {}

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        """The other languages that the guide is made in: those that have a catalogue."""
        found = catalogues(templates_dir() / "translations")
        return tuple(Version(catalogue, names.of(self.evidence)) for catalogue in found)

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """The scripts' own sentences in these languages."""
        return tuple(Words(version.catalogue, every()) for version in self.versions)

    def handed(self, file: SiteFile, wording: handed.Wording) -> list[SiteFile]:
        """What a script of a page is handed, with a copy for each language; before the page is rendered."""
        return [file, *handed.copies(file, wording, self.versions)]

    @cached_property
    def ledger(self) -> Ledger:
        """Where every figure comes from, for all pages."""
        return Ledger(self.evidence, (p for found in self.catalog_prices.values() for p in found))

    def page(
        self,
        path: str,
        template: str,
        *,
        title: str,
        description: str,
        nav: str | None = None,
        hide: Iterable[str] = (),
        search: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> list[SiteFile]:
        """Render ``templates/<template>`` to ``path``; returns page, twin and the files of its charts.

        ``title`` is the page's heading and ``description`` one sentence for search engines (50 to 160
        characters). ``nav`` puts the page into the navigation under that name; device pages leave it out,
        since each page of the navigation is repeated inside every other page. Where the page has versions in
        other languages, they come with it.
        """
        given = {"ctx": self, "evidence": self.evidence} | values
        made: list[SiteFile] = []
        versions = self.versions if has_versions(path) else ()
        scripts = dict(zip(self.versions, (words.file.path for words in self.words), strict=True))
        for version in (None, *versions):
            files, links = render_page(
                path,
                template,
                given,
                title=title,
                description=description,
                as_of=self.evidence.as_of,
                checksum=downloads.checksum(self.downloads),
                site_url=self.publication.site_url,
                ledger=self.ledger if self.evidence.rows else None,
                nav=nav,
                hide=hide,
                search=search,
                version=version,
                versions=versions,
                words=scripts[version] if version else "",
            )
            self.links += [(path, target) for target in links]
            made += files
        return made
