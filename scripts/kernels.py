"""Print how the shipped kernels compare: ``python scripts/kernels.py FOLDER [--target cuda|cpu]``.

FOLDER holds what `evidence/kernels.sh` has written. Nothing is left out: a rival that could not be timed says
why, and every cell in which one is faster is listed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kernel_cells import (
    EAGER,
    Cell,
    against,
    against_best,
    cells,
    geometric_mean,
    records,
    rivals_of,
)
from kernel_tables import accuracy, backwards, calls, section, title
from shipped_sources import are_changed, shipped_specs
from table_text import NONE, read_record, share_text, table, time_text


class Aim(NamedTuple):
    """What the geometric means have to come to: over eager, and over ``rival`` (None: the best of each cell)."""

    eager: float
    other: float
    rival: str | None


AIMS = {"cuda": Aim(1.6, 1.15, None), "cpu": Aim(1.6, 1.1, "compile")}


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", choices=list(AIMS), default="cuda")
    options = parser.parse_args()
    print("\n".join(page(options.folder, options.target)))


def page(folder: Path, target: str) -> Iterator[str]:
    """All tables, a heading each."""
    timed = [each for each in records(folder, "kernels") if _is_of(each, target)]
    tuned = [each for each in records(folder, "autotune") if _is_of(each, target)]
    taught = [each for each in records(folder, "gradients") if _is_of(each, target)]
    forward, backward = cells([*timed, *tuned]), cells(taught)
    yield f"# The kernels beside others, on {_device(timed, target)}"
    yield ""
    yield _how(timed, target)
    yield ""
    yield from _since(folder)
    yield from _short(forward, backward, AIMS[target])
    yield from _slower([*forward, *backward])
    for name in dict.fromkeys(cell.operator for cell in forward):
        own = [cell for cell in forward if cell.operator == name]
        learning = [cell for cell in backward if cell.operator == name]
        yield from section(name, own)
        if learning:
            yield from section(f"{name}, forward and backward", learning)
    alone = cells(each for each in records(folder, "backwards") if _is_of(each, target))
    called = cells(each for each in records(folder, "calls") if _is_of(each, target))
    yield from backwards(alone)
    yield from calls(called)
    yield from accuracy([*forward, *alone])


def _is_of(record: dict[str, Any], target: str) -> bool:
    return all(each["target"].partition(":")[0] == target for each in record["operators"])


def _device(timed: Sequence[dict[str, Any]], target: str) -> str:
    if not timed:
        return "nothing yet"
    facts = timed[0]["environment"]
    if target == "cpu":
        return f"{facts['cpu']}, {facts['threads']} threads"
    return str(next(iter(facts["gpus"]), "a GPU without a name"))


def _how(timed: Sequence[dict[str, Any]], target: str) -> str:
    if not timed:
        return "No record of this target is there."
    facts = timed[0]["environment"]
    rows = [row for each in timed for o in each["operators"] for row in o["rows"]]
    row, counts = rows[0], sorted({len(each["series"]) for each in rows})
    return (
        f"Printed by `python scripts/kernels.py` from records that `evidence/kernels.sh` makes"
        f"{'' if target == 'cuda' else ' with `TARGET=cpu`'}: {timed[0]['started_at'][:10]}, PyTorch "
        f"{facts['torch']}, timer {row['timer']}, cache {row['cache']}, medians of "
        f"{' or '.join(map(str, counts))} fresh "
        "processes. What stands below a rival says how many times as fast the operator is as it, above 1 for "
        "faster; `of a copy` is the share of the bytes a second that a copy of as many bytes moves. `*`: the "
        "record doubts the row, and says why. `!`: the measurement calls the operator slower. `?`: it cannot "
        "tell which is faster."
    )


def _since(folder: Path) -> Iterator[str]:
    """Which operators were timed with other sources than today's, where a check beside tells their sources."""
    known = shipped_specs()
    checked = [
        operator
        for path in sorted(folder.glob("check_*.json*"))
        for operator in read_record(path)["operators"]
        if operator["name"] in known
    ]
    changed = [
        f"`{one['name']}`"
        for one in checked
        if are_changed(known[one["name"]], one["target"], (one["sources_digest"],))
    ]
    if changed:
        yield f"Sources of their own have been changed since these were timed: {', '.join(changed)}."
        yield ""


def _short(forward: Sequence[Cell], backward: Sequence[Cell], aim: Aim) -> Iterator[str]:
    yield "## In short"
    yield ""
    rivals = rivals_of([*forward, *backward])
    titles = ["", "cells", *map(title, rivals), "the best of them", "a rival is faster"]
    parts: list[tuple[str, Sequence[Cell]]] = [
        *((f"`{name}`", own) for name, own in _by_operator(forward)),
        *((f"`{name}` with gradients", own) for name, own in _by_operator(backward)),
        ("**forward**", forward),
        ("**with gradients**", backward),
        ("**all**", [*forward, *backward]),
    ]
    yield from table(titles, (_mean_row(name, own, rivals) for name, own in parts if own))
    yield ""
    everything = [*forward, *backward]
    over_eager = geometric_mean(against(everything, EAGER))
    over_other = geometric_mean(
        against_best(everything) if aim.rival is None else against(everything, aim.rival)
    )
    other = "the best of all" if aim.rival is None else title(aim.rival)
    yield f"- Geometric mean over eager: {_factor(over_eager)}, aim {aim.eager}: {_reached(over_eager, aim.eager)}."
    yield f"- Geometric mean over {other}: {_factor(over_other)}, aim {aim.other}: {_reached(over_other, aim.other)}."
    yield ""


def _by_operator(some: Sequence[Cell]) -> Iterator[tuple[str, list[Cell]]]:
    for name in dict.fromkeys(cell.operator for cell in some):
        yield name, [cell for cell in some if cell.operator == name]


def _mean_row(name: str, own: Sequence[Cell], rivals: Sequence[str]) -> list[str]:
    means = [_factor(geometric_mean(against(own, rival))) for rival in rivals]
    best = _factor(geometric_mean(against_best(own)))
    slower = sum(cell.best is not None and cell.best > 1 for cell in own)
    return [name, str(len(own)), *means, best, str(slower)]


def _slower(everything: Sequence[Cell]) -> Iterator[str]:
    yield "## Where a rival is faster"
    yield ""
    found = [
        (ratio, cell, rival)
        for cell in everything
        for rival, ratio in cell.ratios.items()
        if ratio > 1
    ]
    if not found:
        yield "Nowhere." if everything else "Nothing was measured."
        yield ""
        return
    rows = (
        [
            f"`{cell.operator}`",
            cell.case,
            title(rival),
            f"{1 / ratio:.3f}",
            cell.verdicts[rival],
            time_text(cell.row["estimate"]["median_us"]),
            share_text(cell.row["roofline"]),
        ]
        for ratio, cell, rival in sorted(found, key=lambda each: -each[0])
    )
    titles = ("operator", "case", "rival", "times as fast", "verdict", "time", "of a copy")
    yield from table(titles, rows)
    yield ""


def _factor(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _reached(value: float | None, aim: float) -> str:
    if value is None:
        return "not measured"
    return "reached" if value >= aim else "not reached"


if __name__ == "__main__":
    main()
