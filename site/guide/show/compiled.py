"""Templates as Jinja runs them, kept from build to build: to compile them takes a third of a second."""

from __future__ import annotations

import contextlib
import hashlib
import pickle

import jinja2
from jinja2.bccache import Bucket

from guide.charts.cache import cache_dir, keep


class Compiled(jinja2.BytecodeCache):
    """The compiled templates of one environment. An unusable folder is no error.

    ``made_by`` must name whatever else than its text a compiled template depends on: Jinja works out at once
    what is constant in it.
    """

    def __init__(self, *made_by: str) -> None:
        told = "\0".join((jinja2.__version__, *made_by))
        self._folder = cache_dir() / "templates" / hashlib.sha256(told.encode()).hexdigest()[:20]

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            bucket.bytecode_from_string((self._folder / bucket.key).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        keep(self._folder / bucket.key, bucket.bytecode_to_string())
