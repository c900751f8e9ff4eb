"""What programs put around the name of a device, taken off.

Each pattern is a habit of some software (drivers, llama.cpp, TensorFlow, rocm-smi, lspci, browsers, the
Windows registry), never one device. They are applied in order, to lower-case text on one line.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LABELS = (
    r"angle metal renderer", r"(?:bios )?model name", r"caption", r"card (?:name|series|sku|model)", r"chip",
    r"chipset model", r"(?:gpudeviceinit\(\) |using )?cuda device \[\d+\]", r"cudevice\(\d+\)",
    r"(?:found|picking default) device", r"description", r"device(?:-\d+| \(\d+\)| #\d+)?",
    r"(?:device|gpu|market|market_|marketing) ?name", r"gpu(?: model|\[\d+\])?",
    r"gpu models and configuration", r"graphics card", r"hardware", r"machdep\.cpu\.brand_string", r"model",
    r"name", r"opengl renderer(?: string)?", r"product(?: name)?", r"renderer", r"selected gpu \d+",
    r"smpboot: cpu\d+", r"streamexecutor (?:device )?[\[(]\d+[\])]", r"video ?processor",
)  # fmt: skip

#: One device of a list: 'GPU 0:', 'CUDA0:', 'Vulkan1:', 'MTL0:', '0 ='.
_NUMBERED = r"(?:gpu|device|cuda|rocm|hip|vulkan|sycl|metal|mtl|musa|cann)\s?#?\d*"

_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"[®™©]|\((?:r|tm|c)\)", " "),
    (r"\(uuid:[^)]*\)", " "),
    (r"^\w*properties\(.*?\bname='([^']*)'.*$", r"\1"),  # torch.cuda.get_device_properties
    (r"^.*\bdescription=\"([^\"]+)\".*$|^.*?\bname(?:=|: )\"([^\"]+)\".*$", r"\1\2"),  # Ollama, wgpu
    (r"^b?'([^']*)'$|^[\[(](?=')", r"\1"),  # Python's way of showing a text, or a list of them
    (r"^.*?\bdevice: \d+, name: ([^,\"]*).*$", r"\1"),  # TensorFlow's device description
    (r"^.*\busing device \w+ \((.*?)\)(?: \([0-9a-f:.]+\))?(?: - \d+ mib free)?$", r"\1"),
    (r"^(?:pthread|cpu)-(?:[a-z0-9]+-)?(?=amd|intel)", ""),  # a processor's OpenCL, as hashcat lists it
    (r"^@[\w.-]+\.inf,%[^%;]*%;", ""),  # a device of the Windows registry
    (r"^\|(.*)\|$", r"\1"),  # a line of a table
    (r"\s\|\suma:.*$", ""),  # ggml's Vulkan back end: '… | uma: 0 | fp16: 1'
    (r"\|", ","),
    (r",\s*(?:compute capability|vmm:|bios|wa(?:ve|rp) size|driver|pcie gen|pci bus id|vram:|type:).*$", ""),
    (r",\s*gfx[0-9a-f]{3,4}\b.*$", ""),
    (r"\((\d+ mib)(?:, \d+ mib free)?\)", r" \1"),
    (r",\s*\d+ mib\b.*$", ""),  # nvidia-smi --query-gpu=name,memory.total,…
    (r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f] ", ""),  # lspci
    (r"^(?:(?:vga compatible|3d|display) controller|processing accelerators?)(?: \[\d{4}\])?:", ""),
    (r"\[[0-9a-f]{4}:[0-9a-f]{4}\]", " "),
    (r"^(?:\s*(?:ggml|llama|load)_\w+:)+", ""),
    (rf"^(?:[\s*#>]*(?:{'|'.join(_LABELS)}|{_NUMBERED}|\d+)\s*[:=](?!\d))+", ""),
    (r"^\s*(?:\[[a-z0-9_:]+\]\s*)+(?:[a-z() -]*?(?:opencl|level-zero|backend)[a-z() -]*,)?", ""),
    (r"(?:\s+opencl)?\s+\d+\.\d+(?:\.\d+)?(?: neo)?\s*\[[^\]]*\]\s*$", ""),  # sycl-ls: '… 1.3 [1.3.26516]'
    (
        r"^\s*(?:(?:microsoft )?d(?:irect)?3d12|angle|cpu|opencl|vulkan [\d.]+)\s*\((.*?)\)"
        r"\s*(?:\((?:gl|compat|dozen|integratedgpu[^)]*|discretegpu[^)]*)\))?\s*$",
        r"\1",
    ),
    (r"^\s*(?:cuda|rocm|vulkan|metal|sycl)\d*\s*\((.*)\)\s*$", r"\1"),
    (r"\(radeonsi\b[^)]*\)", " "),  # Mesa's GL renderer: '… (radeonsi, navi31, LLVM 15.0.7, …)'
    (r"\(0x[0-9a-f]+\)|\bdirect3d\d*\b|\bd3d\d+\b|\b[vp]s_\d_\d\b", " "),
    (r",\s*(?:opengl(?: es)?[ \d.]+(?: metal[ \d.-]+)?|unspecified version)(?=\W*$)", ""),
    (r"/pcie(?:/sse2)?(?=$|\W*$|,)|/sse2|/integrated\b", ""),
    (r"\b(?:intel64|amd64|x86(?:_64)?) family \d+ model \d+ stepping \d+", " "),
    (r"\b(?:genuineintel|authenticamd)\b", " "),
    (r"\bgfx[0-9a-f]{3,4}(?::\w+[+-])*", " "),
    (r"\blite hash rate\b|\blhr\b", " "),
    (r"\((?:radv|nvk|anv|amdvlk|llvmpipe)\b[^)]*\)", " "),
    (r"\((?:nvidia|radv|gl|rev [0-9a-f]+|[di]gpu|(?:intel|nvidia) corporation|\d+ cpus?)\)", " "),
    (r"\((?:znver\d|[a-z]+lake(?:-\w+)?|sapphirerapids|(?:has|broad)well|(?:ivy|sandy)bridge)\)$", " "),
    (r"\bnps1-spx\b|\b\d{2,4}w\b", " "),  # a whole MI300 in its default mode; a power limit
    (r"\((?:amd|intel|nvidia|turnip)[a-z -]*(?:driver|mesa|compiler)[^)]*\)", " "),
    (r"\((?:dg2|bmg g\d+|mcm|xe|per gpu|(?:cuda|rocm|vulkan|metal)(?:, discrete|, integrated)?)\)", " "),
    (r"\((?:sm_\d+|family:|\d+ cores? / \d+ threads?|\d+ sockets?)[^)]*\)|\([\d/]+ ?mhz\)", " "),
    (r"\[(?:discrete|integrated|external)\]", " "),
    (r"\((\d{1,3})\)(?= ?@)", r"\1-core"),  # fastfetch
    (r"@\s*[\d.]+\s*[gm]hz|,?\s*~\s*[\d.]+\s*[gm]hz", " "),
    # lscpu where the firmware says nothing: '… None CPU @ 2.4GHz'
    (r"\b(?:none|n/a|unknown|default string|to be filled by o\.e\.m\.) cpu\s*$", " "),
    (r"\b\d+th gen\b", " "),
    (r"\b\d+(?:/\d+)?-core(?=\s+processor)", " "),
    (r"^\s*\(?\d{1,3}\s*[x×]\)?\s*(?=\w)", ""),  # how many: '8x …', '… x 8', '… (x8)', 'gpu:…:8', '… #2'
    (r"(?:\s+[x×]|\s*\*)\s?\d{1,3}\s*$|\((?:\d+\s?[x×]|x\d+)\)\s*$|:\d{1,3}$|\s#\d+$", " "),
    (r"\bac mba\b|\bsxm6 ac\b", " sxm "),
    (r"\bai accelerator\b|\bmobile platform\b", " "),
    (r"\bmobile\s*/\s*max-q\b|\bmax-q\s*/\s*mobile\b", "laptop"),
    (r"\bw/\s*", " with "),
    (r"^dual (?=amd epyc|intel)|,\s*[\d/]+ mb \(\d+ mb allocatable\)|\b(?:memory|vram):\s*(?=\d)", ""),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), by) for pattern, by in _PATTERNS)

#: A line of a list of PCI devices: maker and chip, and the name in square brackets.
_PCI = re.compile(r"([^\[]*)(?:\[amd/ati\][^\[]*)?\[([^\]]+)\]")
_CHIP = re.compile(r"corporation|inc\.|\b(?:ad|ga|gh|tu|gp|gv|gb|gm|gk)\d{2}[0-9a-z]+")
_TWICE = re.compile(r"^(\S.*) \1(?: cpu)?$")  # 'AWS Graviton4 AWS Graviton4'
_REVISION = re.compile(r"\brev\.? ?[0-9a-z]{1,2}\s*$")


@lru_cache(maxsize=2048)  # a name is read several times, a catalog's names more often
def unwrap(text: str) -> str:
    """The name without what programs put around it (``text`` as from ``names.plain``)."""
    for pattern, by in _COMPILED:
        text = pattern.sub(by, text).strip()
    listed = _PCI.match(text)
    if listed and _CHIP.search(listed[1]):
        text = _REVISION.sub("", listed[2])
    text = text.replace("_", " ")
    return _TWICE.sub(r"\1", " ".join(text.split()))
