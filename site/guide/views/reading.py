"""The form for a reader's own numbers, and the file that a page's script works from.

The file is a script that assigns (``hwguideAnswers["<key>"] = {…}``): a page opened from a disk may load
scripts that lie beside it, but may not read files.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from guide import paths
from guide.analysis.labels import dtype_words, model_words
from guide.decide import reader
from guide.decide.cost import LABELS, Assumptions
from guide.decide.fit import Requirement
from guide.decide.limits import Limit
from guide.model import System
from guide.show import figures
from guide.show.markup import plain
from guide.show.tables import Blank, Cell
from guide.show.traces import Keys
from guide.site_files import SiteFile
from guide.views.devices import device_page, vendor_key

#: The assumptions that stand in sight; the others are folded away.
FIRST = ("budget_usd", "hours_per_day", "years", "usd_per_kwh")
#: What a model is asked for with where the guide asks for none.
PLAIN_NEED = asdict(Requirement(model="", dtype="q4_k_m", context=8192))
#: Where words stand in a cell that a script draws.
CELLS = frozenset({"text", "sub", "blank"})
#: The scripts that a form loads when it is used, in this order.
SCRIPTS = ("js/figures.js", "js/decide.js", "js/flips.js", "js/answer.js", "js/reader-chart.js")


@dataclass(frozen=True)
class Option:
    """One entry of a choice."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True)
class Input:
    """One field of the form. ``letter`` is its key in the address, ``hint`` tells the guide's own number;
    a choice has ``options``, a number ``low`` and ``high``. ``optional``: it may be left empty."""

    letter: str
    label: str
    unit: str
    value: str
    hint: str
    low: str = ""
    high: str = ""
    whole: bool = False
    optional: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Form:
    """The form of one page: ``groups`` are (legend, fields), ``rest`` the fields that are folded away;
    ``path`` is the file that the script works from, ``scripts`` what works from it, ``records`` the files
    that the figures in it lead to (``guide.show.provenance``)."""

    key: str
    path: str
    groups: tuple[tuple[str, tuple[Input, ...]], ...]
    rest: tuple[Input, ...]
    records: tuple[str, ...] = ()
    scripts: tuple[str, ...] = SCRIPTS


def form(key: str, path: str, given: Assumptions, *groups: tuple[str, tuple[Input, ...]]) -> Form:
    """A form for these assumptions and further groups of fields."""
    every = {name: _assumption(name, getattr(given, name)) for name in LABELS}
    money = ("Money and use", tuple(every[name] for name in FIRST))
    rest = tuple(field for name, field in every.items() if name not in FIRST)
    return Form(key, path, (money, *groups), rest)


def _assumption(name: str, value: float | None) -> Input:
    """The field of one assumption; a budget that the guide does not bound may be left empty."""
    label, unit = LABELS[name]
    hint = "The guide's: no bound (empty)" if value is None else ""
    return _number(reader.LIMITS[name].letter, label, unit, value, reader.LIMITS[name], hint=hint)


def _number(
    letter: str,
    label: str,
    unit: str,
    value: float | None,
    limit: Limit,
    *,
    hint: str = "",
    whole: bool = False,
) -> Input:
    shown = "" if value is None else f"{value:.10g}"
    told = "" if value is None else figures.usd(value) if unit == "USD" else f"{value:,.10g} {unit}".strip()
    return Input(
        letter=letter,
        label=f"{label[0].upper()}{label[1:]}",
        unit="" if unit in ("h", "years") else unit,  # their labels say it
        value=shown,
        hint=hint or f"The guide's: {told}",
        low=f"{limit.low:.10g}",
        high=f"{limit.high:.10g}",
        whole=whole,
        optional=value is None,
    )


def floor_inputs(data: dict[str, Any]) -> tuple[Input, ...]:
    """The least usable speeds, in the order of the handed floors."""
    return tuple(
        _number(
            f"{reader.FLOOR.letter}{place}",
            floor["label"],
            floor["unit"],
            floor["least"],
            reader.FLOOR,
            hint="" if floor["least"] else "The guide's: none (0)",
        )
        for place, floor in enumerate(data["floors"])
    )


def model_inputs(data: dict[str, Any]) -> tuple[Input, ...]:
    """Model, type of its weights, and tokens of context of the first thing that must fit."""
    need = Requirement(**data["needs"][0])
    nothing = () if need.model else (Option("", "Nothing must fit", True),)
    models = tuple(Option(m["name"], m["words"], m["name"] == need.model) for m in data["models"])
    types = tuple(Option(d["name"], d["words"], d["name"] == need.dtype.lower()) for d in data["dtypes"])
    own = f"The guide's: {model_words(need.model)}" if need.model else "The guide's: nothing"
    stored = f"The guide's: {dtype_words(need.dtype)}" if need.model else ""
    return (
        Input("m", "Model", "", need.model, own, options=(*nothing, *models)),
        Input("d", "Stored as", "", need.dtype.lower(), stored, options=types),
        _number(reader.CONTEXT.letter, "Context", "tokens", need.context, reader.CONTEXT, whole=True),
    )


def data_file(key: str, data: dict[str, Any]) -> SiteFile:
    """The script that assigns the data, named by its content."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    content = f"(window.hwguideAnswers||={{}})[{json.dumps(key)}]={text};\n".encode()
    return SiteFile(f"assets/answers/{hashlib.sha256(content).hexdigest()[:12]}.js", content)


def system_words(system: System) -> dict[str, Any]:
    """How a system is named and linked."""
    return {
        "label": plain(system.label),
        "page": paths.address(device_page(system)),
        "vendor": vendor_key(system),
    }


def cell(found: Cell | Blank, keys: Keys) -> dict[str, Any]:
    """A table's cell as the script draws it; the script sets every text as text, never as HTML."""
    if isinstance(found, Blank):
        return {"blank": found.reason}
    parts = {
        "text": plain(str(found.shown)),
        "interval": str(found.interval),
        "sub": plain(found.sub),
        "tone": found.tone,
        "key": keys.of(found.provenance),
    }
    told: dict[str, Any] = {name: text for name, text in parts.items() if text}
    return told | ({"sort": found.sort} if isinstance(found.sort, int | float) else {})
