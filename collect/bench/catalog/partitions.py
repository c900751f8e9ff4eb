"""The part of a device that a name means: MIG instance, vGPU profile, virtual function, shared card."""

from __future__ import annotations

import re

_MIG = re.compile(r"(?:^|[\s-]+)mig[\s-]+((?:\d+c\.)?\d+g\.\d+gb[\w+.]*)(?:\s+device\s+\d+)?:?")
_VGPU = re.compile(r"-(\d+(?:-\d+)?[qcab])\s*$")
_VIRTUAL = re.compile(r"\s+(?:mxgpu\s+)?(vf)\s*$")
_SHARED = re.compile(
    r"[\s-](shared)$"
)  # the label of Kubernetes' device plugin for a card given out in turns

#: What the letters after a board's name mean in NVIDIA's vGPU types (its tables of 'Virtual GPU Types'): an
#: H200 without a letter is the PCIe card there, though the driver calls the SXM module 'NVIDIA H200'.
_VGPU_BOARDS: dict[str, dict[str, str]] = {
    "p100": {"": "p100 pcie 16gb", "c": "p100 pcie 12gb", "x": "p100 sxm2 16gb"},
    "v100": {
        "": "v100 pcie 16gb", "d": "v100 pcie 32gb", "x": "v100 sxm2 16gb", "dx": "v100 sxm2 32gb",
        "l": "v100 fhhl 16gb",
    },
    "a100": {"": "a100 pcie 40gb", "d": "a100 pcie 80gb", "x": "a100 sxm4 40gb", "dx": "a100 sxm4 80gb"},
    "a800": {"": "a800 pcie 40gb", "d": "a800 pcie 80gb", "dx": "a800 sxm4 80gb"},
    "h100": {
        "": "h100 pcie 80gb", "l": "h100 nvl 94gb", "xm": "h100 sxm5 80gb", "xl": "h100 sxm5 94gb",
        "xs": "h100 sxm5 64gb",
    },
    "h800": {"": "h800 pcie 80gb", "l": "h800 nvl 94gb", "xm": "h800 sxm5 80gb"},
    "h200": {"": "h200 nvl 141gb", "x": "h200 sxm5 141gb"},
    "h20": {"": "h20 96gb", "x": "h20 141gb"},
}  # fmt: skip
_BOARD = re.compile(r"\b([pvah]\d{2,3})([a-z]{0,2})$")
_QUADRO = re.compile(r"\brtx([68]000)p?$")
_DATACENTER = re.compile(r" dc$")


def take_partition(text: str) -> tuple[str, str | None]:
    """The name without its part, and the part: a MIG profile ('1g.10gb'), a vGPU profile ('4Q'), 'VF', …"""
    found = _VGPU.search(text)
    if found:
        return _board(text[: found.start()]), found[1].upper()
    found = _SHARED.search(text)
    if found:
        rest, part = take_partition(text[: found.start()])
        return rest, part or found[1].upper()
    for pattern, shape in (
        (_MIG, str.lower),
        (_VIRTUAL, str.upper),
    ):
        found = pattern.search(text)
        if found:
            return (text[: found.start()] + " " + text[found.end() :]).strip(), shape(found[1])
    return text, None


def _board(text: str) -> str:
    """The name of a vGPU type's board, written as elsewhere."""
    found = _BOARD.search(text)
    if found:
        meant = _VGPU_BOARDS.get(found[1], {}).get(found[2])
        return text[: found.start()] + meant if meant else text
    return _DATACENTER.sub(" server", _QUADRO.sub(r"quadro rtx \1", text))
