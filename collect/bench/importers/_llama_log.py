"""llama-bench's output with its log in it, as ``llama-bench -o json 2>&1 | tee FILE`` leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from bench.importers.files import Source

#: Lines that llama.cpp and its backends print to the log, and no others: a damaged line must stay a fault.
_LOG = re.compile(
    r"[ \t]*(?:ggml_\w+|llama_\w+|load_\w+|register_\w+|print_info|common_\w+|set_\w+|sched_\w+|graph_\w+"
    r"|init_\w+|create_\w+|build_graph\w*|alloc_\w+|reserve\w*|(?:llama-bench|main)|warning|WARNING|~llama_\w+"
    r"|[ \t]*Device \d+)[^\S\n]*:[^\n]*",
)
_FIRST = frozenset("glrpcsibamwW~D")


def has_log(source: Source) -> bool:
    """Whether lines of the log stand in the beginning of the file."""
    return any(map(_is_log, source.head.splitlines()))


class WithoutLog(Source):
    """The same file; lines of the log are empty, so that all others keep their numbers."""

    @cached_property
    def head(self) -> str:
        """The first characters, for telling the format."""
        text = self.head_bytes.decode(self.encoding, errors="ignore")
        return "\n".join("" if _is_log(line) else line for line in text.split("\n"))

    def chunks(self) -> Iterator[str]:
        """The text, some lines at a time. Raises ``Fault`` where it is not text."""
        rest = ""
        for chunk in super().chunks():
            *lines, rest = (rest + chunk).split("\n")
            yield "".join("\n" if _is_log(line) else line + "\n" for line in lines)
        if rest and not _is_log(rest):
            yield rest


def _is_log(line: str) -> bool:
    return line.lstrip()[:1] in _FIRST and _LOG.match(line) is not None
