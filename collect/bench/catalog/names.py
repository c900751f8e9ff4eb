"""Reading a printed device name: what it says is sorted into kinds of words.

Drivers, frameworks, benchmark tools and cloud lists spell names in their own ways: 'H100-80G-SXM5',
'RTX_4070S_Ti', 'Apple M3 Max 16CPU+40GPU'. ``dress`` takes off what programs put around a name,
``partitions`` the part of a device that it means. Each pattern is a habit of some software, never one device.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from bench import text as printable

#: Longer texts are not names, nor lists of them.
MAX_LENGTH = 1500

#: How a product is built in: it tells siblings apart, but many sources leave it out.
FORM_WORDS = frozenset({"pcie", "sxm", "nvl", "server", "workstation", "maxq", "agx", "nx", "nano"})

#: Vendors and product lines: they may be left out, but where they stand they must be the device's own.
BRAND_WORDS = frozenset({
    "nvidia", "amd", "intel", "apple", "google", "qualcomm", "arm", "aws", "geforce", "rtx", "gtx", "tesla",
    "radeon", "rx", "instinct", "arc", "gaudi", "jetson", "ryzen", "epyc", "xeon", "platinum", "gold",
    "silver", "bronze", "lovelace", "blackwell", "hopper", "ampere",
})  # fmt: skip

#: Words that say nothing about which device it is. QRD, CRD and HDK are reference boards of a chip, NVL72 is
#: a rack of GB200; 'cloudexe' is a program that lends a remote GPU and puts its own name where the vendor's
#: stands; the last are makers of boards.
NOISE_WORDS = frozenset({
    "gpu", "gpus", "graphics", "generation", "edition", "device", "accelerator", "card", "corporation", "inc",
    "ltd", "co", "technologies", "tensor", "core", "cores", "cpu", "processor", "developer", "kit", "devkit",
    "engineering", "reference", "module", "nvgpu", "tegra", "data", "center", "dlc", "oam", "with", "the",
    "soc", "grid", "grace", "superchip", "gracehopper", "tdp", "habana", "qti", "qrd", "crd", "hdk", "mesa",
    "vram", "dgpu", "igpu", "chip", "and", "founders", "limited", "oc", "slice", "podslice", "nvl72",
    "cloudexe",
    "asus", "msi", "gigabyte", "evga", "zotac", "palit", "pny", "sapphire", "powercolor", "xfx", "asrock",
    "gainward", "inno3d", "galax", "colorful",
})  # fmt: skip

#: Lines of products whose misspelling leaves no doubt ('Jeston', 'GeFoce'): no model is called alike.
_OFTEN_MISSPELT = ("nvidia", "geforce", "radeon", "instinct", "jetson", "tesla", "qualcomm", "blackwell")

#: Spellings that mean the same.
_SPELLINGS: tuple[tuple[str, str], ...] = (
    (r"[_]", " "),
    (r"(?<=\d)(?=(?:nvl|sxm\d?|pcie|laptop|max-?q|server|workstation|ws)\b)", " "),
    (r"\b(titan|quadro|q)(?=rtx|v\b)", r"\1 "),
    (r"\bmobile\b|\bnotebook\b", "laptop"),
    (r"\bmax-?q\b", " maxq "),
    (r"\bpci(?:-?e| express)?\b", " pcie "),
    (r"\bsxm(\d)\b", r" sxm sxm\1 "),
    (r"\b(rtx|gtx|rx|arc|gaudi|titan)(?=\d)", r"\1 "),
    (r"\brtx(?=a\d{4}|pro|titan)", "rtx "),
    (r"\bpro(?=\d{4})", "pro "),
    (r"\b(\d{4})(?:ti[ -]?super|tis|s[ -]ti)\b", r"\1 ti super"),
    (r"\b(\d{4})(ti|super|d|xtx|xt|gre|ada)\b", r"\1 \2"),
    (r"\bq rtx\b", "quadro rtx"),
    (r"\b([2-4]0\d0)s\b", r"\1 super"),
    (r"\bws\b", "workstation"),
    (r"\btpu(?=v\d)", "tpu "),
    (r"\bgpu - (\d+) cores\b", r"\1-core gpu"),
    (r"\b(m\d+(?: pro| max| ultra)?) \((\d+)\)", r"\1 \2-core"),
    (r"\bv5litepod\b", "tpu v5e"),
    (r"\b(v[4-7][ep]?)-\d{1,4}$", r"\1"),  # a slice of so many chips
)
_SPELL = tuple((re.compile(pattern), by) for pattern, by in _SPELLINGS)

_DASH = re.compile(r"[\u2010-\u2015\u2212]")
_GFX = re.compile(r"\bgfx[0-9a-f]{3,4}\b")
_GPU_CORES = re.compile(r"\b(?:\d+p\+\d+e\+|\d+cpu\+)?(\d{1,4})(?:gpu\b|[- ]cores? gpu\b| gpu cores?\b)")
_CPU_CORES = re.compile(r"\b\d+p\+\d+e\b|\b\d+[- ](?:cores? cpu|cpu cores?)\b")
_CORES = re.compile(r"\b(\d{1,4})(?:-core\b(?!\s+processor)| cores\b)")
_MEMORY = re.compile(r"(?<![\w.+])(\d{1,3}(?:\.\d+)?)\s?(?:gib|gb|g)\b")
_MEBIBYTES = re.compile(r"\b(\d{4,7})\s?(?:mib|mb)\b")
_MEMORY_TYPE = re.compile(r"\b(hbm\d?e?|gddr\dx?|lpddr\dx?)\b")
_SOCKET = re.compile(r"sxm\d")
_WORD = re.compile(r"[^\W_]+\+?")
#: Cells of a list that are no names: '24576 MiB', '535.129.03', '[N/A]', '[level_zero:gpu:0]'.
_FIGURE = re.compile(
    r"[\[(]?(?:n/a|[\d.,:/%+-]+ ?(?:[kmgt]i?b?|[mg]hz|w|c|mcu|threads)?)[\])]?|\[[a-z_ ]+:[a-z\d_: ]+\]"
)
#: A device beside another, which has no name: 'AMD Radeon(TM) Graphics'.
_NAMELESS = re.compile(r"^\D*\b(?:graphics|gpu|adapter|processor|cpu|xeon|epyc)\b")
_DETAIL = re.compile(r"\d ?(?:gib|gb|mib)\b|core gpu\b")


@dataclass(frozen=True)
class Printed:
    """One printed name, sorted.

    ``words`` tell the model, ``forms`` how it is built in ('sxm'), ``sockets`` in which generation of that
    ('sxm5'), ``brands`` whose it is. ``memory_gib`` (as advertised), ``memory_measured_gib`` (as a driver
    counts it) and ``memory_types`` are those that the name states; ``gpu_cores`` likewise, ``cores`` where it
    does not say of which kind. ``repeats``: a model stands in it twice, so several devices are named.
    """

    words: frozenset[str]
    forms: frozenset[str]
    sockets: frozenset[str]
    brands: frozenset[str]
    memory_gib: tuple[float, ...]
    memory_measured_gib: tuple[float, ...]
    memory_types: frozenset[str]
    gpu_cores: int | None
    cores: int | None
    repeats: bool

    @property
    def names_a_model(self) -> bool:
        """Whether any word is left that could tell a model."""
        return bool(self.words)


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """Lower-case text on one line, without marks, terminal escapes, control characters and doubled blanks.

    What stands on several lines becomes a list with commas.
    """
    lines = [" ".join(printable.plain(line).split()) for line in text.splitlines()]
    text = ", ".join(line for line in lines if line)
    text = unicodedata.normalize("NFKC", text.replace("™", " ").replace("®", " "))
    text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(_DASH.sub("-", text).casefold().split())


def gfx_of(text: str) -> str | None:
    """The AMD architecture id in a plain text, such as 'gfx1151'."""
    found = _GFX.search(text)
    return found[0] if found else None


def pieces(text: str) -> list[str]:
    """The parts of a list of names, without its figures: split at commas that stand outside parentheses, and
    at ';', '&' and a '+' between blanks."""
    parts, depth, start = [], 0, 0
    text = re.sub(r"[;&]| \+ ", ",", text)
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    found = [part.strip() for part in (*parts, text[start:])]
    return [part for part in found if part and (len(found) == 1 or not _FIGURE.fullmatch(part))]


def joined(parts: list[str]) -> list[str]:
    """The parts that name a model; where that is one, with what the others say of its memory and cores."""
    telling = [part for part in parts if read(part).names_a_model]
    if len(telling) != 1:
        return telling
    nameless = [part for part in parts if part not in telling and _NAMELESS.search(part)]
    if nameless:
        return [*telling, *nameless]
    return [" ".join(part for part in parts if part in telling or _DETAIL.search(part))]


def alternatives(text: str) -> list[str]:
    """The names between which a text leaves the choice: 'RTX 6000/8000' is 'RTX 6000' or 'RTX 8000'."""
    ways = [way.strip() for way in text.split("/") if way.strip()]
    telling = joined(ways)
    if len(telling) < 2:
        return telling or [text]
    line = re.match(r"(?:[a-z]+ )*", telling[0])[0]
    return [way if re.match(r"[a-z]+ ", way) else line + way for way in telling]


@lru_cache(maxsize=2048)
def read(text: str) -> Printed:
    """Sort the words of an unwrapped name."""
    for pattern, by in _SPELL:
        text = pattern.sub(by, text)
    said, text = _take_number(_GPU_CORES, text)
    text = _CPU_CORES.sub(" ", text)
    unsaid, text = _take_number(_CORES, text)
    memory = tuple(float(m) for m in _MEMORY.findall(text))
    measured = tuple(int(m) / 1024 for m in _MEBIBYTES.findall(text))
    text = _MEBIBYTES.sub(" ", _MEMORY.sub(" ", text))
    kinds = frozenset(_MEMORY_TYPE.findall(text))
    found = [_spelt(word) for word in _WORD.findall(_MEMORY_TYPE.sub(" ", text))]
    words = frozenset(found) - NOISE_WORDS
    sockets = frozenset(word for word in words if _SOCKET.fullmatch(word))
    forms, brands = words & FORM_WORDS, words & BRAND_WORDS
    words -= forms | brands | sockets
    models = [word for word in found if word in words and any(c.isdigit() for c in word)]
    repeats = len(models) > len(set(models))
    return Printed(words, forms, sockets, brands, memory, measured, kinds, said, unsaid, repeats)


def _take_number(pattern: re.Pattern[str], text: str) -> tuple[int | None, str]:
    found = pattern.search(text)
    if found is None:
        return None, text
    return int(found[1]), text[: found.start()] + " " + text[found.end() :]


@lru_cache(maxsize=2048)
def _spelt(word: str) -> str:
    """The line of products that a word without a digit is a misspelling of, else the word."""
    if not 5 <= len(word) <= 10 or not word.isalpha() or word in BRAND_WORDS or word in NOISE_WORDS:
        return word
    return next(iter(get_close_matches(word, _OFTEN_MISSPELT, 1, 0.83)), word)
