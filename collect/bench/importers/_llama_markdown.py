"""The Markdown form of llama-bench, with the log or the text around it: tables by their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bench.importers.fields import clean
from bench.importers.files import Entry, Fault, Source

_BUILD = re.compile(r"build:\s*([0-9a-f]{6,40}|unknown)\s*(?:\((\d+)\))?")
_GPU = re.compile(
    r"^(?:ggml_vulkan:|ggml_cuda_init:|ggml_sycl:|ggml_metal_init:)?\s*(?:Device\s+)?(\d+)\s*[:=]\s*(.+)$"
)
_METAL = re.compile(r"^ggml_metal\w*:\s+(?:GPU name|picking default device|found device):\s*(.+)$")
_SYCL = re.compile(r"\[(?:level_zero|opencl):gpu:(\d+)\]\|\s*([^|]+?)\s*\|")
_FOUND = re.compile(r"found (\d+) \S+ devices?", re.IGNORECASE)
#: The last form, of ik_llama.cpp: generation after a prompt that is not timed.
_TEST = re.compile(r"(?:pp ?(\d+))?(?: ?\+ ?)?(?:tg ?(\d+))?(?: ?@ ?d ?(\d+))?|tg ?(\d+) ?@ ?pp ?(\d+)")
#: The last ones are what terminals with other code pages make of the first.
_SIGN = r"(?:±|\+/-|\+-|&plusmn;|Â±|┬▒|\ufffd{1,2})"
_RATE = re.compile(rf"(\d+(?:\.\d+)?)(?:\s*{_SIGN}\s*(\d+(?:\.\d+)?))?")
#: The tool prints two digits of both figures, so that a row that ends with them has lost no digit.
_WHOLE = re.compile(rf"^\d+\.\d\d {_SIGN} \d+\.\d\d$")
_SIZE = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_COUNT = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_NEEDED = frozenset({"model", "test", "t/s"})
#: Of a row that has lost its header: test and rate, and columns enough to be the tool's.
_LEAST = 5

#: Characters that are looked at for a table.
_MOST_BEFORE = 8 << 20

#: Column headings of the Markdown form whose names differ from the other forms.
_HEADINGS = {
    "ngl": "n_gpu_layers", "fa": "flash_attn", "sm": "split_mode", "mg": "main_gpu", "ts": "tensor_split",
    "threads": "n_threads", "mmap": "use_mmap", "dio": "use_direct_io", "embd": "embeddings",
    "nkvo": "no_kv_offload", "nopo": "no_op_offload", "dev": "devices", "ot": "tensor_buft_overrides",
    "ncmoe": "n_cpu_moe", "mmq": "mul_mat_q", "backend": "backends", "lm": "load_mode",
}  # fmt: skip
#: Columns that people add to say what ran.
_NAMED = ("machine", "device", "gpu", "hardware", "chip", "soc")
#: What the form itself adds, beside the columns of the other forms.
OWN = frozenset({"model", "size", "params", "test", "t/s", "rounding", "group", "cpu", *_NAMED})


def is_markdown(source: Source) -> bool:
    """Whether the text holds the tool's table; a verbose log may be long before it comes to it."""
    if b"\0" in source.head_bytes[:512] and source.encoding != "utf-16":
        return False
    size = 0
    try:
        for _, line in source.lines():
            size += len(line)
            if "t/s" in line and _headings(line) is not None:
                return True
            if size > _MOST_BEFORE:
                return False
    except Fault:
        return False
    return False


class _Log:
    """What the lines around a table told: the devices printed before it, and how many tables there were."""

    def __init__(self) -> None:
        self.devices: list[str] = []
        self.counting = False
        self.tables = 0

    def line(self, text: str) -> None:
        if _FOUND.search(text) and text.lstrip().startswith("ggml"):
            self.devices = []
            self.counting = True
            return
        metal = _METAL.match(text.strip())
        if metal:
            self.devices = [clean(metal[1])]
            return
        found = _GPU.match(text.strip())
        if found and self.counting and int(found[1]) == len(self.devices):
            self.devices.append(clean(_device_name(found[2])))

    def listed(self, bar: str) -> None:
        """A line of the list of devices that SYCL prints as a table."""
        found = _SYCL.search(bar)
        if found:
            self.devices = self.devices if int(found[1]) else []
            self.devices.append(clean(found[2]))


def _device_name(text: str) -> str:
    """Without what the loader prints after the name: driver, capability, memory."""
    name = re.split(r"\s\|\s|, compute capability|, gfx\d|, VMM", text)[0].strip()
    return re.sub(
        r"\)\s*\([^()]*\)$", ")", re.sub(r"(?<!\))\s+\((?:radv|[\w. -]*driver[\w. -]*)\)$", "", name)
    )


def read_markdown(source: Source) -> Iterator[Entry | Fault]:
    """The rows of all tables of the text (or a fault for a broken row), with the build that is printed after
    each table and the devices before it."""
    reader = _Reader()
    for number, line in source.lines():
        yield from reader.line(number, line)
    yield from reader.table


class _Reader:
    """Tables may be quoted, and the program's log may stand between their rows.

    ``header`` is that of the table in force, ``apart`` that something stood since its last row, ``foreign``
    the columns of a table of another kind, ``listing`` that SYCL's table of its devices began.
    """

    def __init__(self) -> None:
        self.log = _Log()
        self.table: list[Entry | Fault] = []
        self.header: list[str] | None = None
        self.apart = False
        self.foreign = 0
        self.listing = False

    def line(self, number: int, line: str) -> Iterator[Entry | Fault]:
        """What the line completes: the rows of the table before it."""
        bar = line.strip().lstrip("> ").rstrip()
        if bar.startswith("|"):
            header = _headings(bar)
            if header is not None:
                yield from self._end()
                self.header, self.apart, self.foreign = header, False, 0
                self.log.tables += 1
            elif not set(bar) <= set("|-: "):
                self._row(number, bar)
            return
        self.apart = True
        self.foreign = 0
        self.listing = "SYCL devices" in bar
        build = _BUILD.search(line)
        if build and self.table:
            for entry in (e for e in self.table if isinstance(e, Entry)):
                entry.value.update(build_commit=build[1], build_number=build[2])
            yield from self._end()
        if build or bar.startswith("#"):
            self.header = None
        elif bar and not bar.startswith("`"):
            self.log.line(bar)

    def _end(self) -> list[Entry | Fault]:
        table, self.table = self.table, []
        return table

    def _row(self, number: int, bar: str) -> None:
        cells = _cells(bar)
        if self.header is not None and len(cells) == len(self.header):
            last = dict(zip(self.header, cells, strict=True))
            if not last["test"] and not last["t/s"]:
                return  # empty, or a line of the log that begins like a row
        if self.listing and (self.header is None or not _alike(self.header, cells)):
            self.log.listed(bar)
            return
        if self.header is None or (self.apart and not _alike(self.header, cells)):
            self.header = None
            self._orphan(number, bar, cells)
            return
        self.apart = False
        try:
            self.table.append(_table_row(self.header, cells, bar.endswith("|"), number, self.log))
        except Fault as fault:
            self.table.append(fault)

    def _orphan(self, number: int, bar: str, cells: list[str]) -> None:
        """A row under no header: of a table of another kind, or one whose header was lost."""
        self.log.listed(bar)
        rate = _RATE.fullmatch(cells[-1]) if len(cells) >= _LEAST else None
        figures = rate is not None and rate[2] and cells[-2] and _TEST.fullmatch(cells[-2])
        if figures and self.foreign != len(cells):
            self.table.append(Fault(f"line {number}", "a row of a table whose header is missing or broken"))
        self.foreign = self.foreign or len(cells)


def _headings(bar: str) -> list[str] | None:
    """The columns by name of the tool's own header; None for any other line, and where a name comes twice."""
    bar = bar.strip().lstrip("> ")
    if not (bar.startswith("|") and bar.endswith("|")):
        return None
    names = [_HEADINGS.get(cell, cell) for cell in _cells(bar)]
    names = [name.lower() if name.lower() in (*_NAMED, "cpu", "model", "test") else name for name in names]
    # Other tools (llama-benchy) have the same columns and more of their own after them.
    return names if set(names) >= _NEEDED and len(set(names)) == len(names) and names[-1] == "t/s" else None


def _cells(bar: str) -> list[str]:
    return [" ".join(cell.strip("*` ").split()) for cell in bar.strip().strip("|").split("|")]


def _alike(header: list[str], cells: list[str]) -> bool:
    """Whether the cells are a row of the header's table, with something in between."""
    if len(cells) != len(header):
        return False
    row = dict(zip(header, cells, strict=True))
    return bool(row["test"] and _TEST.fullmatch(row["test"]) and _RATE.fullmatch(row["t/s"]))


def _table_row(header: list[str], cells: list[str], closed: bool, number: int, log: _Log) -> Entry:
    where = f"line {number}"
    if len(cells) != len(header):
        raise Fault(where, f"{len(cells)} cells, but the table has {len(header)} columns")
    stated: dict[str, Any] = dict(zip(header, cells, strict=True))
    test, rate = _TEST.fullmatch(stated["test"]), _RATE.fullmatch(stated["t/s"])
    if test is None or not stated["test"] or not any(test.groups()):
        raise Fault(where, f"'{clean(stated['test'], 40)}' is no test such as pp512 or tg128")
    if rate is None:
        raise Fault(where, f"'{clean(stated['t/s'], 40)}' is no rate such as 131.42 ± 0.59")
    if not closed and not _WHOLE.search(stated["t/s"]):
        raise Fault(where, "the row breaks off before its closing bar")
    digits = len((rate[2] or rate[1]).partition(".")[2])
    on_cpu = stated.get("backends") in ("CPU", "BLAS")
    named = next(
        (value for name in (("cpu",) if on_cpu else ()) + _NAMED if (value := stated.get(name))), None
    )
    stated |= {
        "model_type": stated["model"],
        "model_size": _scaled(stated.get("size"), _SIZE, where),
        "model_n_params": _scaled(stated.get("params"), _COUNT, where),
        "n_prompt": int(test[1] or 0),
        "n_gen": int(test[2] or test[4] or 0),
        "n_depth": int(test[3] or test[5] or 0),
        "avg_ts": float(rate[1]),
        "stddev_ts": float(rate[2]) if rate[2] else None,
        "rounding": 0.5 * 10**-digits,
        "gpu_info": ", ".join(log.devices) if named is None or on_cpu else named,
        "cpu_info": named if on_cpu else None,
        "group": f"table {log.tables}",
    }
    return Entry({k: v for k, v in stated.items() if v not in ("", "N/A", None)}, where)


def _scaled(text: str | None, units: dict[str, float], where: str) -> int | None:
    """``3.56 GiB`` or ``6.74 B`` as a whole number."""
    if text in (None, "", "N/A", "-"):
        return None
    number, _, unit = text.partition(" ")
    if not re.fullmatch(r"\d+(\.\d+)?", number) or unit not in units:
        raise Fault(where, f"'{clean(text, 40)}' is no size such as 3.56 GiB or 6.74 B")
    return round(float(number) * units[unit])
