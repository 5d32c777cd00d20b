"""What `evidence/kernels.sh` has measured, cell by cell: one operator on one case, beside all its rivals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from table_text import read_record

EAGER = "reference"


@dataclass
class Cell:
    """One operator on one case: its row, and what its time is over each rival's.

    ``verdicts`` are the measurement's own, ``lacking`` says why there is no ratio to a rival.
    """

    operator: str
    case: str
    row: dict[str, Any]
    ratios: dict[str, float] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    rivals: dict[str, dict[str, Any]] = field(default_factory=dict)  # their rows

    @property
    def dtype(self) -> str:
        """The dtype of its tensors."""
        return ", ".join(self.row["dtypes"].values())

    @property
    def shape(self) -> str:
        """The case without its dtype."""
        return self.case.replace(f" {self.dtype}", "").replace(" with gradients", "")

    @property
    def best(self) -> float | None:
        """Its time over that of the fastest rival."""
        return max(self.ratios.values(), default=None)


def records(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The records of one kind: ``kernels`` for ``kernels_a.json.gz`` and its like."""
    named = re.compile(rf"{kind}_[a-z]+\.json(\.gz)?")
    return [read_record(path) for path in sorted(folder.iterdir()) if named.fullmatch(path.name)]


def cells(several: Iterable[dict[str, Any]]) -> list[Cell]:
    """Every cell of some records; those of the same operator and case are one."""
    found: dict[tuple[str, str], Cell] = {}
    for record in several:
        for operator in record["operators"]:
            _add_rows(found, operator)
            for ratio in operator["ratios"]:
                cell = found[operator["name"], ratio["case"]]
                if ratio["ratio"] is None:
                    cell.lacking[ratio["against"]] = ratio["reason"]
                else:
                    cell.ratios[ratio["against"]] = ratio["ratio"]
                    cell.verdicts[ratio["against"]] = ratio["verdict"]
    return list(found.values())


def _add_rows(found: dict[tuple[str, str], Cell], operator: dict[str, Any]) -> None:
    rows = operator["rows"]
    for row in (row for row in rows if row["subject"] == "operator"):
        key = operator["name"], row["case"]
        cell = found.setdefault(key, Cell(*key, row))
        others = [other for other in rows if other["case"] == row["case"] and other is not row]
        cell.rivals.update({other["subject"]: other for other in others})


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """How many times as fast on the whole; None for no ratios."""
    if not ratios:
        return None
    return math.exp(-sum(map(math.log, ratios)) / len(ratios))


def against(some: Iterable[Cell], rival: str) -> list[float]:
    """The ratios to one rival, where there are any."""
    return [cell.ratios[rival] for cell in some if rival in cell.ratios]


def against_best(some: Iterable[Cell]) -> list[float]:
    """The ratios to the best rival of each cell."""
    return [cell.best for cell in some if cell.best is not None]


def rivals_of(some: Iterable[Cell]) -> list[str]:
    """All rivals, those that could not be timed too, in the order in which they were asked for."""
    names = [name for cell in some for name in (*cell.ratios, *cell.lacking)]
    return list(dict.fromkeys(names))
