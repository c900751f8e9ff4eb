"""What software gets out of a card's arithmetic: matrix products against the dense peak, by the card's
age."""

from __future__ import annotations

from collections.abc import Sequence

from guide.analysis.findings import sound
from guide.charts import Chart
from guide.charts.bars import Bar, bars
from guide.evidence import Evidence
from guide.explain.claims import Claim, Section, claim, unknown
from guide.explain.shares import share_cell, share_num
from guide.explain.work import Share, share_of
from guide.model import Result, Task
from guide.show import figures
from guide.show.tables import Cell, Column, Provenance, Table
from guide.views import words
from guide.views.devices import system_cell, vendor_key
from guide.views.origins import page_of

MAX_BARS = 24
#: Shares of the peak that differ by less are called alike, in parts of the whole.
ALIKE = 0.02
#: Words by which the settings of a probe name a matrix product.
MATRIX = ("matmul", "matrix product")


def version(result: Result) -> str:
    """The engine and its version that the newest row names; empty where it names none."""
    row = result.rows[-1]
    if not row["engine_version"]:
        return ""
    return f"{row['engine'] or ''} {row['engine_version']}".strip()


def section(evidence: Evidence) -> Section:
    """The largest rate of matrix products against the dense peak, by the card's release and the software."""
    groups = [(task, found) for task in evidence.tasks if (found := _products(task, evidence))]
    told = [c for task, found in groups for c in _makers(task, found, evidence)]
    several = [(task, found) for task, found in groups if len(found) > 1]
    several.sort(key=lambda g: (-len(g[1]), g[0].key))
    charts = [_product_chart(*several[0])] if several else []
    return Section(
        heading="What remains of the peak, by the card’s age",
        anchor="peak",
        intro="A matrix product at its best shape is the most that software gets out of a card’s "
        "arithmetic. Held against the dense peak it shows how far that software is.",
        claims=told
        or [
            unknown(
                "We do not know yet how this changes with a card’s age: no row times matrix products on two "
                "cards "
                "of one maker whose peak and release are in the catalog."
            )
        ],
        charts=charts,
        tables=[_product_table(several, evidence)] if several else [],
        command="bench collect --suite quick --workload probe",
        command_for="The largest rate of matrix products on your machine",
    )


def _products(task: Task, evidence: Evidence) -> list[tuple[Result, Share]]:
    """Results of a task of matrix products whose share of the peak and release are known, oldest card
    first."""
    if task.workload != "probe" or task.unit != "FLOP/s":
        return []
    if not any(word in str(task.columns["settings"]) for word in MATRIX):
        return []
    found = [
        (result, share)
        for result in sound(task)
        if result.system.released and (share := share_of(task, result, evidence)) is not None
    ]
    return sorted(found, key=lambda f: (f[0].system.released or "", f[0].system.key))


def _makers(task: Task, found: Sequence[tuple[Result, Share]], evidence: Evidence) -> list[Claim]:
    """Each maker's newest card against its oldest one."""
    told = []
    by_maker: dict[str, list[tuple[Result, Share]]] = {}
    for result, share in found:
        if result.system.vendor and share.low == share.high:
            by_maker.setdefault(result.system.vendor, []).append((result, share))
    for maker, members in sorted(by_maker.items()):
        (old, was), (new, now) = members[0], members[-1]
        if old.system.released == new.system.released:
            continue
        change = now.low - was.low
        word = "as much" if abs(change) < ALIKE else "less" if change < 0 else "more"
        whys = {
            "less": "The newest card is used less fully than the oldest.",
            "more": "The newest card is used more fully than the oldest: its age is no drawback here.",
            "as much": f"The two differ by less than {figures.percent(ALIKE)} of the peak.",
        }
        told.append(
            claim(
                "{dtype}, {maker}: {old} ({year_old}) reaches {was} of its dense peak{with_old}, {new} "
                "({year_new}) {now}{with_new}.",
                dtype=str(task.columns["compute_dtype"] or "").upper(), maker=maker, old=old.system.label,
                year_old=(old.system.released or "")[:4], was=share_num(was, old),
                with_old=f" with {version(old)}" if version(old) else "", new=new.system.label,
                year_new=(new.system.released or "")[:4], now=share_num(now, new),
                with_new=f" with {version(new)}" if version(new) else "", why=whys[word],
                page=page_of(evidence, task),
            )
        )  # fmt: skip
    return told


def _product_chart(task: Task, found: Sequence[tuple[Result, Share]]) -> Chart:
    return bars(
        [
            Bar(f"{r.system.label} ({(r.system.released or '')[:4]})", share.high * 100,
                vendor=vendor_key(r.system), shown=figures.percent(share.high),
                origin=Provenance((r, r.system), "possible"))
            for r, share in found[-MAX_BARS:]
        ],
        title=f"Matrix products at their best, {str(task.columns['compute_dtype'] or '').upper()}: % of "
        "dense peak",
        unit="% of the dense peak",
        what="Share of the dense peak, oldest card first",
        caption="Oldest card first. The software’s version differs from card to card: see the table.",
    )  # fmt: skip


def _product_table(
    groups: Sequence[tuple[Task, Sequence[tuple[Result, Share]]]], evidence: Evidence
) -> Table:
    rows = [
        {
            "system": system_cell(result.system),
            "released": Cell((result.system.released or "")[:7], sort=result.system.released or ""),
            "dtype": str(task.columns["compute_dtype"] or "").upper(),
            "rate": words.rate_cell(result),
            "share": share_cell(share, result),
            "software": Cell(
                version(result) or "version not stated", sub=f"figure of {figures.day(result.newest)}"
            ),
        }
        for task, found in groups
        for result, share in found
    ]
    columns = [
        Column("system", "Device"), Column("released", "Released"), Column("dtype", "Type"),
        Column("rate", "Largest rate", kind="number"), Column("share", "Of the dense peak", kind="number"),
        Column("software", "Software"),
    ]  # fmt: skip
    return Table(columns, rows, caption="Matrix products: reached and possible", fold=True)
