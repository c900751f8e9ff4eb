"""The content-security policy under which the guide works: nothing from elsewhere, nothing written inline.

    default-src 'none'      what is not named is not loaded: frames, media, plug-ins, manifests
    script-src 'self' …     files of the site, and the theme's few inline scripts by their digests; no eval
    style-src 'self'        files of the site; no style attribute, no style element
    img-src 'self' data:    the theme's icons stand in its style sheets as data
    font-src, connect-src, worker-src 'self'    the guide's font; charts' figures; the search
    form-action 'self', base-uri 'none'
    frame-ancestors 'none'  only in the header: nobody may put the guide into a frame

Every page says so in a ``<meta>``, and ``_headers`` holds the same as a header for hosts that read that file
(Cloudflare Pages, Netlify). For nginx: ``add_header Content-Security-Policy "<that line>" always;``. GitHub
Pages sends no headers of ours: there the ``<meta>`` does it. The digests depend on the theme's version and on
the path at which the guide is published, so take the line from ``_headers`` of the build that you publish.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: The file of headers, beside the pages.
HEADERS = "_headers"

_FIXED = (
    "style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
#: What the policy refuses, as it stands in a page, and what it is.
_REFUSED = ((' style="', "a style attribute"), ("<style", "a style element"))


@dataclass(frozen=True)
class Policy:
    """The policy of one build: ``digests`` are those of the inline scripts that may run."""

    digests: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Policy:
        """The policy that lets exactly the inline scripts of these parts of a page run."""
        return cls(tuple(dict.fromkeys(digest(script) for text in texts for script in inline_scripts(text))))

    @property
    def meta(self) -> str:
        """The policy as a page states it itself."""
        scripts = " ".join(("'self'", *(f"'{digest}'" for digest in self.digests)))
        return f"default-src 'none'; script-src {scripts}; {_FIXED}"

    @property
    def header(self) -> str:
        """The policy as a server sends it: with what a page cannot state."""
        return f"{self.meta}; frame-ancestors 'none'"

    def headers_file(self) -> str:
        """``_headers``: this policy and the two headers that go with it, for every page."""
        lines = (
            f"Content-Security-Policy: {self.header}",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: strict-origin-when-cross-origin",
        )
        return "/*\n" + "".join(f"  {line}\n" for line in lines)

    def faults(self, page: str) -> list[str]:
        """What a browser would refuse on a page under this policy."""
        found = [words for text, words in _REFUSED if text in page]
        scripts = (script for script in inline_scripts(page) if digest(script) not in self.digests)
        return found + [f"an inline script that starts with {script.strip()[:40]!r}" for script in scripts]


def digest(script: str) -> str:
    """The digest by which a policy names an inline script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def inline_scripts(page: str) -> Iterator[str]:
    """The scripts that stand in a page and would run; data blocks do not."""
    start = page.find("<script")
    while start >= 0:
        head = page.find(">", start)
        end = page.find("</script>", head)
        if head < 0 or end < 0:
            return
        tag = page[start:head]
        if " src=" not in tag and " type=" not in tag:
            yield page[head + 1 : end]
        start = page.find("<script", end)


def on_disk(policy: str) -> str:
    """The policy of a page that is opened from a folder, where browsers differ on what ``'self'`` means. The
    search runs in a frame there."""
    return f"{policy}; frame-src 'self'".replace("'self'", "'self' file:")
