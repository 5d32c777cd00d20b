"""The planted defects and the correct operators that Opwright is tested with, and what each has to give.

In a wheel they lie in ``opwright/planted``; in a checkout in ``tests``.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from opwright.devices.device import device_count
from opwright.errors import DiscoveryError
from opwright.spec.target import Target


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
    """An operator folder with ``op.py`` and ``finding.json``.

    ``machines`` are the processor architectures that it is written for; none means all. ``devices`` is
    how many of a kind it takes to show the fault.
    """

    folder: Path
    fault: str
    expected: tuple[Expected, ...]
    slow: bool = False
    limits: dict[str, Any] = field(default_factory=dict)
    machines: tuple[str, ...] = ()
    devices: int = 1

    @property
    def name(self) -> str:
        """The folder's name, which says the fault."""
        return self.folder.name


def lacking(defect: Defect, target: Target) -> str:
    """What this machine lacks for the fault to show on ``target``; empty for nothing."""
    machine = platform.machine()
    if defect.machines and machine not in defect.machines:
        return f"written for {', '.join(defect.machines)}; this machine is {machine}"
    if defect.devices > 1 and (count := device_count(target)) < defect.devices:
        return f"takes {defect.devices} devices of kind {target.kind}, and there is {count} here"
    return ""


def planted_folder() -> Path:
    """Where ``defects``, ``correct`` and ``graph_defects`` lie.

    Raises `DiscoveryError` for an installation without them.
    """
    package = Path(str(files("opwright")))
    for folder in (package / "planted", package.parent.parent / "tests"):
        if (folder / "defects").is_dir() and (folder / "correct").is_dir():
            return folder
    raise DiscoveryError(
        f"the planted defects are not beside {package}",
        hint="Install the wheel, or work in a checkout of the whole repository.",
    )


def defects() -> list[Defect]:
    """Every planted defect, by name."""
    found = sorted((planted_folder() / "defects").glob("*/finding.json"))
    return [read_defect(path.parent) for path in found]


def correct_folders() -> list[Path]:
    """The folders of the operators in which nothing may be found, by name."""
    return [path.parent for path in sorted((planted_folder() / "correct").glob("*/op.py"))]


def read_defect(folder: Path) -> Defect:
    """The defect that a folder's ``finding.json`` states."""
    plain = json.loads((folder / "finding.json").read_text(encoding="utf-8"))
    return Defect(
        folder,
        plain["fault"],
        tuple(_expected(plain["findings"])),
        plain.get("slow", False),
        plain.get("limits", {}),
        tuple(plain.get("machines", ())),
        plain.get("devices", 1),
    )


def _expected(findings: Iterable[dict[str, Any]]) -> Iterable[Expected]:
    for item in findings:
        kinds = (item["kind"], *item.get("other_kinds", ()))
        yield Expected(item["check"], kinds, tuple(item["says"]), item.get("only_where"))
