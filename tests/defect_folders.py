"""The operators with one deliberate fault each, and what has to be found in them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEFECTS = Path(__file__).parent / "defects"
CORRECT = Path(__file__).parent / "correct"


@dataclass(frozen=True)
class Expected:
    """What one check has to find.

    ``kinds`` are all the kinds of finding that it may give, and it has to give each of them. ``says`` are
    parts of one message, word for word. ``only_where`` stands in the name of every failing case, and then
    other cases have to pass.
    """

    check: str
    kinds: tuple[str, ...]
    says: tuple[str, ...]
    only_where: str | None = None


@dataclass(frozen=True)
class Defect:
    """An operator folder with ``op.py`` and ``finding.json``."""

    folder: Path
    fault: str
    expected: tuple[Expected, ...]
    slow: bool = False
    limits: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder.name


def read_defect(folder: Path) -> Defect:
    plain = json.loads((folder / "finding.json").read_text(encoding="utf-8"))
    expected = tuple(
        Expected(
            item["check"],
            (item["kind"], *item.get("other_kinds", ())),
            tuple(item["says"]),
            item.get("only_where"),
        )
        for item in plain["findings"]
    )
    return Defect(
        folder, plain["fault"], expected, plain.get("slow", False), plain.get("limits", {})
    )


def defects() -> list[Defect]:
    return [read_defect(path.parent) for path in sorted(DEFECTS.glob("*/finding.json"))]


def correct_folders() -> list[Path]:
    return [path.parent for path in sorted(CORRECT.glob("*/op.py"))]
