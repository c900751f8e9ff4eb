"""The guide as plain Markdown and assets, with the settings that a site generator needs to show the same.

``docs/`` holds the pages and their files, ``mkdocs.yml`` the navigation, looks and extensions (Zensical reads
it as MkDocs does), ``overrides/`` the theme's mends. Building such a folder runs nothing of this project.
"""

from __future__ import annotations

import yaml

from guide.publish.settings import settings
from guide.show.render import templates_dir
from guide.site_files import Site

SETTINGS = {"docs_dir": "docs", "hooks": None, "watch": None, "custom_dir": "overrides"}


def files(site: Site) -> dict[str, bytes]:
    """Every file of the exported folder, by path. Raises ``BenchError`` when the package lacks a part."""
    nav = yaml.safe_dump({"nav": site.nav}, allow_unicode=True, sort_keys=False, width=1000)
    found = {"mkdocs.yml": settings(SETTINGS) + b"\n" + nav.encode()}
    theme = templates_dir() / "theme"
    for path in sorted(p for p in theme.rglob("*") if p.is_file()):
        found[f"overrides/{path.relative_to(theme).as_posix()}"] = path.read_bytes()
    return found | {f"docs/{path}": content for path, content in site.files.items()}
