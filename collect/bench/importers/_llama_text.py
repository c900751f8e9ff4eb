"""The forms of llama-bench's output that are not JSON: CSV, SQL, and Markdown with the log around it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any

from bench.importers.fields import clean
from bench.importers.files import Entry, Fault, Source

_INSERT = re.compile(r"INSERT\s+INTO\s+(\w+)\s*\(([^)]*)\)\s*VALUES\s*\(", re.IGNORECASE)
_HEADER = re.compile(r"^\s*\|\s*model\s*\|.*\|\s*t/s\s*\|\s*$", re.MULTILINE)
_BUILD = re.compile(r"build:\s*([0-9a-f]{6,40}|unknown)\s*(?:\((\d+)\))?")
_GPU = re.compile(
    r"^(?:ggml_vulkan:|ggml_cuda_init:|ggml_sycl:|ggml_metal_init:)?\s*(?:Device\s+)?(\d+)\s*[:=]\s*(.+)$"
)
_METAL = re.compile(r"^ggml_metal\w*:\s+(?:GPU name|picking default device|found device):\s*(.+)$")
_SYCL = re.compile(r"\[(?:level_zero|opencl):gpu:(\d+)\]\|\s*([^|]+?)\s*\|")
_FOUND = re.compile(r"found (\d+) \S+ devices?", re.IGNORECASE)
_TEST = re.compile(r"(?:pp ?(\d+))?\+?(?:tg ?(\d+))?(?: ?@ ?d(\d+))?")
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?: (?:±|\+/-|\+-) (\d+(?:\.\d+)?))?")
_SIZE = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_COUNT = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}

#: Column headings of the Markdown form whose names differ from the other forms.
_HEADINGS = {
    "ngl": "n_gpu_layers", "fa": "flash_attn", "sm": "split_mode", "mg": "main_gpu", "ts": "tensor_split",
    "threads": "n_threads", "mmap": "use_mmap", "dio": "use_direct_io", "embd": "embeddings",
    "nkvo": "no_kv_offload", "nopo": "no_op_offload", "dev": "devices", "ot": "tensor_buft_overrides",
    "ncmoe": "n_cpu_moe", "mmq": "mul_mat_q", "backend": "backends", "lm": "load_mode",
}  # fmt: skip


def is_csv(head: str) -> bool:
    """Whether the first line names the tool's columns."""
    names = {name.strip().strip('"') for name in head.lstrip().partition("\n")[0].split(",")}
    return {"model_type", "n_prompt", "n_gen", "avg_ts"} <= names


def is_sql(head: str) -> bool:
    """Whether statements on a table of the tool's columns begin the text."""
    return bool(re.search(r"(CREATE TABLE|INSERT INTO)", head, re.I)) and "avg_ts" in head and "n_gen" in head


def is_markdown(head: str) -> bool:
    """Whether the text holds the tool's table."""
    return bool(_HEADER.search(head)) and bool(re.search(r"\|\s*test\s*\|", head))


def read_csv(source: Source) -> Iterator[Entry | Fault]:
    """The rows of the CSV form, or a fault for a line with more or fewer values than the header."""
    lines = _CsvLines(source)
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None
    while True:
        begin = lines.number + 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            raise Fault(f"line {begin}", f"not CSV ({error})") from error
        if values is None:
            return
        if not values or (len(values) == 1 and not values[0].strip()):
            continue
        if header is None:
            header = [name.strip() for name in values]
            if len(set(header)) < len(header):
                raise Fault(f"line {begin}", "a column is named twice")
        elif values[0] == header[0] and values == header:
            continue  # two outputs in one file
        elif len(values) != len(header):
            yield Fault(f"line {begin}", f"{len(values)} values, but the header has {len(header)} columns")
        else:
            yield Entry(dict(zip(header, values, strict=True)), f"line {begin}")


class _CsvLines:
    """Lines with their ends, counted."""

    def __init__(self, source: Source) -> None:
        self.lines = source.lines()
        self.number = 0

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        self.number, line = next(self.lines)
        return line + "\n"


def read_sql(source: Source) -> Iterator[Entry | Fault]:
    """The INSERT statements of the SQL form, or a fault for a broken one; their own column lists count."""
    for number, line in source.lines():
        found = _INSERT.search(line)
        if found is None:
            if re.match(r"\s*INSERT\s", line, re.IGNORECASE):
                yield Fault(f"line {number}", "an INSERT statement that breaks off or names no columns")
            continue
        names = [name.strip().strip('"`') for name in found[2].split(",")]
        try:
            values = _sql_values(line[found.end() :], f"line {number}")
        except Fault as fault:
            yield fault
            continue
        if len(values) != len(names) or len(set(names)) < len(names):
            yield Fault(f"line {number}", f"{len(values)} values for {len(names)} columns")
        else:
            yield Entry(dict(zip(names, values, strict=True)), f"line {number}")


def _sql_values(text: str, where: str) -> list[str | None]:
    """Quoted values up to the closing parenthesis; a quotation mark inside one is doubled."""
    values: list[str | None] = []
    at = 0
    value = re.compile(r"\s*(?:'((?:[^']|'')*)'|(NULL)|([-+0-9.eE]+))\s*([,)])", re.IGNORECASE)
    while True:
        found = value.match(text, at)
        if found is None:
            raise Fault(where, "the statement breaks off or is not SQL")
        values.append(None if found[2] else found[3] or (found[1] or "").replace("''", "'"))
        at = found.end()
        if found[4] == ")":
            if text[at:].strip() not in (";", ""):
                raise Fault(where, "text after the values")
            return values


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
    log = _Log()
    table: list[Entry | Fault] = []
    header: list[str] | None = None
    for number, line in source.lines():
        bar = line.strip()
        if _HEADER.match(line):
            yield from table
            table, header = [], [_HEADINGS.get(name, name) for name in _cells(bar)]
            log.tables += 1
            continue
        if header is not None and bar.startswith("|"):
            if not set(bar) <= set("|-: "):
                try:
                    table.append(_table_row(header, bar, number, log))
                except Fault as fault:
                    table.append(fault)
            continue
        build = _BUILD.search(line)
        if build and table:
            for entry in (e for e in table if isinstance(e, Entry)):
                entry.value.update(build_commit=build[1], build_number=build[2])
            yield from table
            table = []
        if header is None and bar.startswith("|"):
            log.listed(bar)
        elif bar and not bar.startswith(("|", "`")):
            header = None
            log.line(line)
    yield from table


def _cells(bar: str) -> list[str]:
    return [cell.strip() for cell in bar.strip().strip("|").split("|")]


def _table_row(header: list[str], bar: str, number: int, log: _Log) -> Entry:
    where = f"line {number}"
    cells = _cells(bar)
    if len(cells) != len(header) or not bar.endswith("|"):
        raise Fault(where, f"{len(cells)} cells, but the table has {len(header)} columns")
    stated: dict[str, Any] = dict(zip(header, cells, strict=True))
    test, rate = _TEST.fullmatch(stated.get("test", "")), _RATE.fullmatch(stated.get("t/s", ""))
    if test is None or not (test[1] or test[2]):
        raise Fault(where, f"'{clean(stated.get('test', ''), 40)}' is no test such as pp512 or tg128")
    if rate is None:
        raise Fault(where, f"'{clean(stated.get('t/s', ''), 40)}' is no rate such as 131.42 ± 0.59")
    digits = len((rate[2] or rate[1]).partition(".")[2])
    stated |= {
        "model_type": stated["model"],
        "model_size": _scaled(stated.get("size"), _SIZE, where),
        "model_n_params": _scaled(stated.get("params"), _COUNT, where),
        "n_prompt": int(test[1] or 0),
        "n_gen": int(test[2] or 0),
        "n_depth": int(test[3] or 0),
        "avg_ts": float(rate[1]),
        "stddev_ts": float(rate[2]) if rate[2] else None,
        "rounding": 0.5 * 10**-digits,
        "gpu_info": ", ".join(log.devices),
        "group": f"table {log.tables}",
    }
    return Entry({k: v for k, v in stated.items() if v != ""}, where)


def _scaled(text: str | None, units: dict[str, float], where: str) -> int | None:
    """``3.56 GiB`` or ``6.74 B`` as a whole number."""
    if not text:
        return None
    number, _, unit = text.partition(" ")
    if not re.fullmatch(r"\d+(\.\d+)?", number) or unit not in units:
        raise Fault(where, f"'{clean(text, 40)}' is no size such as 3.56 GiB or 6.74 B")
    return round(float(number) * units[unit])


def split_names(text: str) -> list[str]:
    """The GPUs of one string: separated by commas, in old builds by slashes."""
    names = [name.strip() for name in text.split(", ") if name.strip()]
    if len(names) == 1:
        parts = [part.strip() for part in text.split("/") if part.strip()]
        if len(parts) > 1 and (len(set(parts)) == 1 or all(re.match(r"NVIDIA|AMD|Tesla", p) for p in parts)):
            return parts
    return names


def picked_devices(text: str | None) -> list[int]:
    """The indices in ``CUDA0/CUDA2``; empty for auto, none, or names without a number."""
    found = [re.fullmatch(r"[A-Za-z]+(\d+)", part.strip()) for part in (text or "").split("/")]
    return [int(match[1]) for match in found if match] if all(found) else []


def processor(text: str | None) -> str | None:
    """The processor without the libraries that newer builds list beside it: ``Accelerate, Apple M4``."""
    parts = [p.strip() for p in (text or "").split(",") if p.strip() and p.strip() not in _LIBRARIES]
    return ", ".join(parts) or None


_LIBRARIES = {"Accelerate", "BLAS", "OpenBLAS", "MKL", "BLIS", "AMX", "ZenDNN", "KleidiAI"}
