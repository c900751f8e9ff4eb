"""What a cell without a figure means: the reasons that stand in blanks, and each in a sentence."""

from __future__ import annotations

from bench.schema import STATUSES

#: Status of a row -> what stands in a cell in place of its figure.
STATUS_WORDS = {
    "ok": "measured",
    "oom": "out of memory",
    "timeout": "out of time",
    "unsupported": "cannot run it",
    "skipped": "skipped: a smaller one ran out of memory",
    "failed": "failed",
    "killed": "killed",
    "impossible": "kept back: impossible figure",
    "interrupted": "run was stopped",
}
NOT_RUN = "not run"
WITHDRAWN = "withdrawn"
#: Reason -> what it means. A reason that says all by itself is not here.
MEANINGS: dict[str, str] = {
    **{words: STATUSES[status] for status, words in STATUS_WORDS.items() if status != "ok"},
    NOT_RUN: "no row in the store: nobody has tried this task on this system",
    WITHDRAWN: "a row was there and has been withdrawn; the Data page says why",
    "nothing to compare with": "one system alone has run this task, so it has no ratio and no tier",
    "alone": "one system alone has run this task",
    "not comparable": "both have figures, of procedures that must not be compared",
    "one alone cannot run it": "one such device has no figure on this task, so there is no gain to tell",
    "no price seen": "no dated price of this kind is known",
    "not recorded": "the row does not hold it",
    "not stated": "the source does not say",
    "not known": "neither the rows nor the catalog say",
    "not measured": "no counter could be read, or nobody tried",
    "no whole job": "the task has no job of known size",
    "nothing asked": "the answered question needs no model to fit",
    "–": "does not apply here",
}
