"""Reading a printed device name: what wraps it is taken off, what it says is sorted into kinds of words.

Drivers, frameworks, benchmark tools and cloud lists print names in their own dress: 'GPU 0: …', 'D3D12 (…)',
'…, compute capability 8.9', '… (RADV NAVI31)', 'H100-80G-SXM5', 'RTX_4070S_Ti'. Each pattern below is a
habit of some software, never one device.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

#: Longer texts are not names.
MAX_LENGTH = 400

#: How a product is built in: it tells siblings apart, but many sources leave it out.
FORM_WORDS = frozenset({"pcie", "sxm", "nvl", "server", "workstation", "maxq", "agx", "nx", "nano"})

#: Vendors and product lines: they may be left out, but where they stand they must be the device's own.
BRAND_WORDS = frozenset({
    "nvidia", "amd", "intel", "apple", "google", "qualcomm", "arm", "aws", "geforce", "rtx", "gtx", "tesla",
    "radeon", "rx", "instinct", "arc", "gaudi", "jetson", "ryzen", "epyc", "xeon", "lovelace", "blackwell",
    "hopper", "ampere",
})  # fmt: skip

#: Words that say nothing about which device it is. QRD, CRD and HDK are reference boards of a chip;
#: 'cloudexe' is a program that lends a remote GPU and puts its own name where the vendor's stands.
NOISE_WORDS = frozenset({
    "gpu", "gpus", "graphics", "generation", "edition", "device", "accelerator", "card", "corporation", "inc",
    "ltd", "tensor", "core", "cores", "cpu", "processor", "developer", "kit", "devkit", "engineering",
    "reference", "module", "nvgpu", "data", "center", "dlc", "oam", "with", "the", "soc", "grid", "grace",
    "superchip", "qrd", "crd", "hdk", "mesa", "vram",
    "cloudexe",
})  # fmt: skip

#: What wraps a name, and with what it is replaced. Applied in this order to the lower-case text.
_WRAPPERS: tuple[tuple[str, str], ...] = (
    (r"[®™©]|\((?:r|tm|c)\)", " "),
    (r"\(uuid:[^)]*\)", " "),
    (r"\|.*$", ""),  # ggml's Vulkan back end: '… | uma: 0 | fp16: 1'
    (r",\s*(?:compute capability|vmm:|bios|wave size|warp size|driver|pcie gen).*$", ""),
    (r",\s*gfx[0-9a-f]{3,4}\b.*$", ""),
    (r",\s*\d+ mib\b.*$", ""),  # nvidia-smi --query-gpu=name,memory.total,…
    (r"^\s*(?:gpu|device|cuda|rocm|vulkan|sycl)\s?#?\d+\s*[:=]\s*", ""),
    (r"^\s*\d+\s*[:=]\s*", ""),
    (r"^\s*(?:chipset model|model name|card series|gpu name|product name|renderer)\s*:\s*", ""),
    (r"^\s*(?:\[[a-z0-9_:]+\]\s*)+(?:[a-z() -]*?(?:opencl|level-zero|backend)[a-z() -]*,)?", ""),
    (r"\s+\d+\.\d+\s*\[[^\]]*\]\s*$", ""),  # sycl-ls: '… 1.3 [1.3.26516]'
    (r"^\s*(?:d3d12|angle|cpu|opencl)\s*\((.*)\)\s*(?:\((?:gl|compat)\))?\s*$", r"\1"),
    (r"^\s*(?:using device )?(?:cuda|rocm|vulkan|metal|sycl)\d*\s*\((.*)\)\s*$", r"\1"),
    (r"\(radeonsi\b[^)]*\)", " "),  # Mesa's GL renderer: '… (radeonsi, navi31, LLVM 15.0.7, …)'
    (r"\(0x[0-9a-f]+\)|\bdirect3d\d*\b|\bd3d\d+\b|\b[vp]s_\d_\d\b", " "),
    (r"/pcie/sse2|/sse2", ""),
    (r"\b(?:intel64|amd64|x86(?:_64)?) family \d+ model \d+ stepping \d+", " "),
    (r"\b(?:genuineintel|authenticamd)\b", " "),
    (r"\bgfx[0-9a-f]{3,4}(?::\w+[+-])*", " "),
    (r"\blite hash rate\b|\blhr\b", " "),
    (r"\((?:radv|nvk|anv|amdvlk|llvmpipe)\b[^)]*\)", " "),
    (r"\((?:nvidia|radv|gl|rev [0-9a-f]+|intel corporation|nvidia corporation)\)", " "),
    (r"\((?:znver\d|[a-z]+lake(?:-\w+)?|sapphirerapids|(?:has|broad)well|(?:ivy|sandy)bridge)\)$", " "),
    (r"\bnps1-spx\b|\b\d{2,4}w\b", " "),  # a whole MI300 in its default mode; a power limit
    (r"\((?:amd|intel|nvidia)[a-z -]*(?:driver|mesa)[^)]*\)", " "),
    (r"\((?:dg2|bmg g\d+|mcm|xe|per gpu)\)", " "),
    (r"@\s*[\d.]+\s*[gm]hz", " "),
    (r"\b\d+th gen\b", " "),
    (r"\b\d+(?:/\d+)?-core(?=\s+processor)", " "),
    (r"^\s*\d+\s*[x×]\s*(?=[a-z])|\s+[x×]\s?\d+\s*$|\(\d+\s?[x×]\)\s*$|\(x\d+\)\s*$", " "),
    (r"\bac mba\b|\bsxm6 ac\b", " sxm "),
)  # fmt: skip
_WRAP = tuple((re.compile(pattern), by) for pattern, by in _WRAPPERS)

#: Spellings that mean the same.
_SPELLINGS: tuple[tuple[str, str], ...] = (
    (r"[_]", " "),
    (r"\bmobile\s*/\s*max-q\b|\bmobile\b|\bnotebook\b", "laptop"),
    (r"\bmax-?q\b", " maxq "),
    (r"\bpci(?:-?e| express)?\b", " pcie "),
    (r"\bsxm\d?\b", " sxm "),
    (r"\b(rtx|gtx|rx|arc|gaudi|titan)(?=\d)", r"\1 "),
    (r"\brtx(?=a\d{4})|\brtx(?=pro)|\brtx(?=titan)", "rtx "),
    (r"\bpro(?=\d{4})", "pro "),
    (r"(\d{4})(ws|max-q)\b", r"\1 \2"),
    (r"\b(\d{4})(?:ti[ -]?super|tis|s[ -]ti)\b", r"\1 ti super"),
    (r"\b(\d{4})(ti|super|d|xtx|xt|gre|ada)\b", r"\1 \2"),
    (r"\bq rtx\b", "quadro rtx"),
    (r"\b([2-4]0\d0)s\b", r"\1 super"),
    (r"\bws\b", "workstation"),
)
_SPELL = tuple((re.compile(pattern), by) for pattern, by in _SPELLINGS)

_MIG = re.compile(r"[\s-]+mig[\s-]+((?:\d+c\.)?\d+g\.\d+gb\S*)(?:\s+device\s+\d+)?:?")
_VGPU = re.compile(r"-(\d+(?:-\d+)?[qcab])\s*$")
_VIRTUAL = re.compile(r"\s+(?:mxgpu\s+)?(vf)\s*$")
_GFX = re.compile(r"\bgfx[0-9a-f]{3,4}\b")
_CHIP_ID = re.compile(r"^[^\[]*(?:corporation|inc\.?|\b(?:ad|ga|gh|tu|gp|gv|gb|gm|gk)\d{3}\w*)[^\[]*(?:\[amd/ati\][^\[]*)?\[([^\]]+)\]")  # fmt: skip # noqa: E501
_CORES = (
    re.compile(r"\b\d+p\+\d+e\+(\d+)gpu\b"),
    re.compile(r"\b\d+cpu\+(\d+)gpu\b"),
    re.compile(r"\b(\d+) gpu cores?\b"),
    re.compile(r"\b(\d+)-core gpu\b|\b(\d+)-core\b(?!\s+(?:cpu|processor))"),
)
_CPU_CORES = re.compile(r"\b\d+p\+\d+e\b|\b\d+-core cpu\b")
_MEMORY = re.compile(r"(?<![\w.+])(\d{1,3}(?:\.\d+)?)\s?(?:gib|gb|g)\b")
_MEBIBYTES = re.compile(r"\b(\d{4,7})\s?(?:mib|mb)\b")
_MEMORY_TYPE = re.compile(r"\b(hbm\d?e?|gddr\dx?|lpddr\dx?)\b")
_WORD = re.compile(r"[a-z0-9]+\+?")


@dataclass(frozen=True)
class Printed:
    """One printed name, sorted: ``words`` tell the model, ``forms`` how it is built in, ``brands`` whose it
    is; ``memory_gib`` and ``memory_types`` are those that the name states; ``gpu_cores`` likewise."""

    words: frozenset[str]
    forms: frozenset[str]
    brands: frozenset[str]
    memory_gib: tuple[float, ...]
    memory_types: frozenset[str]
    gpu_cores: int | None

    @property
    def names_a_model(self) -> bool:
        """Whether any word is left that could tell a model."""
        return bool(self.words)


def plain(text: str) -> str:
    """Lower-case text on one line, without marks, control characters and doubled blanks."""
    text = unicodedata.normalize("NFKC", text.replace("™", " ").replace("®", " ")[:MAX_LENGTH])
    text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.casefold().split())


def unwrap(text: str) -> str:
    """The name without what programs put around it (``text`` as from ``plain``)."""
    for pattern, by in _WRAP:
        text = pattern.sub(by, text)
    chip = _CHIP_ID.match(text)
    return " ".join((chip[1] if chip else text).split())


def gfx_of(text: str) -> str | None:
    """The AMD architecture id in a plain text, such as 'gfx1151'."""
    found = _GFX.search(text)
    return found[0] if found else None


def take_partition(text: str) -> tuple[str, str | None]:
    """The name without its slice, and the slice: a MIG profile ('1g.10gb'), a vGPU profile ('4Q'), 'VF'."""
    for pattern, shape in ((_MIG, str.lower), (_VGPU, str.upper), (_VIRTUAL, str.upper)):
        found = pattern.search(text)
        if found:
            return (text[: found.start()] + " " + text[found.end() :]).strip(), shape(found[1])
    return text, None


def pieces(text: str) -> list[str]:
    """The parts of a list of names: split at commas that stand outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def read(text: str) -> Printed:
    """Sort the words of an unwrapped name."""
    for pattern, by in _SPELL:
        text = pattern.sub(by, text)
    cores = None
    for pattern in _CORES:
        found = pattern.search(text)
        if found:
            cores = int(next(group for group in found.groups() if group))
            text = text[: found.start()] + " " + text[found.end() :]
            break
    text = _CPU_CORES.sub(" ", text)
    memory = tuple(float(m) for m in _MEMORY.findall(text))
    memory += tuple(int(m) / 1024 for m in _MEBIBYTES.findall(text))
    text = _MEBIBYTES.sub(" ", _MEMORY.sub(" ", text))
    kinds = frozenset(_MEMORY_TYPE.findall(text))
    words = set(_WORD.findall(_MEMORY_TYPE.sub(" ", text))) - NOISE_WORDS
    forms = words & FORM_WORDS
    brands = words & BRAND_WORDS
    return Printed(
        frozenset(words - forms - brands), frozenset(forms), frozenset(brands), memory, kinds, cores
    )
