"""The tables of a page about kernels, but for those that sum up: `kernels.py` has these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernel_cells import EAGER, Cell, rivals_of
from table_text import NONE, share_text, table, time_text

_HALVES = ("bfloat16", "float16")
_ALLOCATION_BYTES = 512  # of which PyTorch's allocator gives multiples
_MOST_RESULTS = 4
_NUMBER = re.compile(r"\d+(\.\d+)?")
_TITLES = {EAGER: "eager", "compile": "compile", "functional": "PyTorch's function"}


def section(heading: str, own: Sequence[Cell]) -> Iterator[str]:
    """Every cell of an operator, what could not be timed beside it, and what speaks against the rows."""
    yield f"## {heading}"
    yield ""
    rivals = rivals_of(own)
    titles = ("sizes", "dtype", "time", "of a copy", *map(title, rivals), "beyond results")
    yield from table(titles, (_row(cell, rivals) for cell in own))
    yield ""
    for rival in rivals:
        for why in dict.fromkeys(
            cell.lacking[rival].replace(cell.case, "its case")
            for cell in own
            if rival in cell.lacking
        ):
            yield f"- {title(rival)} not timed: {why}"
    for why in _doubts(own):
        yield f"- \\* {why}"
    yield ""


def _doubts(own: Sequence[Cell]) -> Iterator[str]:
    """Each kind once: what differs in nothing but its numbers is told with those of the first."""
    rows = [row for cell in own for row in (cell.row, *cell.rivals.values())]
    told: dict[str, list[str]] = {}
    for why in (why for row in rows for why in row["unreliable"]):
        told.setdefault(_NUMBER.sub("0", why), []).append(why)
    for several in told.values():
        yield f"{several[0]} ({len(several)} of {len(rows)} rows)"


def _row(cell: Cell, rivals: Sequence[str]) -> list[str]:
    doubt = "\\*" if cell.row["unreliable"] else ""
    return [
        cell.shape,
        cell.dtype,
        time_text(cell.row["estimate"]["median_us"]) + doubt,
        share_text(cell.row["roofline"]),
        *(_against(cell, rival) for rival in rivals),
        _beyond_results(cell),
    ]


def _against(cell: Cell, rival: str) -> str:
    if rival not in cell.ratios:
        return NONE
    mark = {"slower": "!", "cannot tell": "?"}.get(cell.verdicts[rival], "")
    doubt = "\\*" if cell.rivals.get(rival, {}).get("unreliable") else ""
    return f"{1 / cell.ratios[rival]:.2f}{mark}{doubt}"


def _beyond_results(cell: Cell) -> str:
    """What the allocator's peak rose by beyond the results; with gradients these are not known."""
    memory = cell.row["memory_bytes"]
    known = "allocated_peak_bytes" in memory and "results_bytes" in memory
    if not known or "with gradients" in cell.case:
        return NONE
    beyond = memory["allocated_peak_bytes"] - memory["results_bytes"]
    return "none" if beyond <= _MOST_RESULTS * _ALLOCATION_BYTES else f"{beyond} bytes"


def backwards(alone: Sequence[Cell]) -> Iterator[str]:
    """The operators that compute gradients, each by itself."""
    if not alone:
        return
    yield "## Backwards alone"
    yield ""
    yield "Eager is autograd of the reference, which computes the forward again: held against nothing here."
    yield ""
    yield from table(
        ("operator", "sizes", "dtype", "time", "of a copy", "beyond results"),
        (
            [
                f"`{cell.operator}`",
                *_row(cell, ()),
            ]
            for cell in alone
        ),
    )
    yield ""


def calls(called: Sequence[Cell]) -> Iterator[str]:
    """The host's time of a call; the rivals' beside it."""
    if not called:
        return
    yield "## What a call costs the host"
    yield ""
    yield f"Timer {called[0].row['timer']}: until the call returns. Above 1 the operator's call is the cheaper one."
    yield ""
    rivals = rivals_of(called)
    titles = ("operator", "sizes", "dtype", "time", *map(title, rivals))
    yield from table(
        titles,
        (
            [
                f"`{cell.operator}`",
                cell.shape,
                cell.dtype,
                time_text(cell.row["estimate"]["median_us"]),
                *(_against(cell, rival) for rival in rivals),
            ]
            for cell in called
        ),
    )
    yield ""


def accuracy(some: Sequence[Cell]) -> Iterator[str]:
    """Half types against the float64 oracle, the operator beside eager."""
    halves = [cell for cell in some if cell.dtype in _HALVES and cell.row["accuracy"]]
    if not halves:
        return
    yield "## Accuracy in half types"
    yield ""
    yield (
        "Errors against the reference in float64, the largest of all cases. `worst`: the largest error over "
        "eager's largest at that magnitude; `mean`: the mean error over eager's. Up to 1 it is no worse."
    )
    yield ""
    names = list(dict.fromkeys((cell.operator, cell.dtype) for cell in halves))
    rows = (_accuracy_row(name, dtype, halves) for name, dtype in names)
    titles = ("operator", "dtype", "mean ULP", "eager's", "largest ULP", "eager's", "mean", "worst")
    yield from table(titles, rows)
    yield ""


def _accuracy_row(name: str, dtype: str, halves: Sequence[Cell]) -> list[str]:
    found = [c.row["accuracy"] for c in halves if (c.operator, c.dtype) == (name, dtype)]
    figures = (
        *("mean_ulp", "reference_mean_ulp", "max_ulp", "reference_max_ulp"),
        *("ratio_mean", "ratio_worst"),
    )
    largest = [
        max((each[figure] for each in found if each.get(figure) is not None), default=None)
        for figure in figures
    ]
    return [f"`{name}`", dtype, *(NONE if each is None else f"{each:.3g}" for each in largest)]


def title(rival: str) -> str:
    """A rival's name in the head of a column."""
    return _TITLES.get(rival, rival.removeprefix("compile:"))
