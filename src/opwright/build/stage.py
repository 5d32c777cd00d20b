"""The private folder of one build: generated units are written there, and every output."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from opwright.errors import SpecError
from opwright.spec.request import HEADER_SUFFIXES, BuildRequest, Unit
from opwright.toolchain.base import Step


@dataclass(frozen=True)
class Stage:
    """The folders below the private one."""

    folder: Path

    @property
    def generated(self) -> Path:
        """Where generated units are."""
        return self.folder / "generated"

    @property
    def objects(self) -> Path:
        """Where objects, depfiles and the commands' output are."""
        return self.folder / "objects"

    @property
    def entry(self) -> Path:
        """What becomes the entry in the store."""
        return self.folder / "entry"

    @property
    def temporary(self) -> Path:
        """What the compiler uses for its temporary files, so that they die with the folder."""
        return self.folder / "tmp"


def steps_of(request: BuildRequest, stage: Stage) -> tuple[Step, ...]:
    """One step a unit that is compiled (generated headers are only written).

    Raises `SpecError` for two units of one name, also where they differ only in case.
    """
    taken: dict[str, str] = {}
    steps = []
    for unit in request.units:
        if other := taken.get(unit.name.casefold()):
            alike = "twice" if other == unit.name else f"and {other!r}, which differ only in case,"
            raise SpecError(
                f"{request.name}: the sources hold {unit.name!r} {alike} would share one object file",
                hint="Rename one of them.",
            )
        taken[unit.name.casefold()] = unit.name
        if Path(unit.name).suffix not in HEADER_SUFFIXES:
            stem = stage.objects / object_name(unit)
            steps.append(Step(unit.name, source_of(unit, stage), stem, stem.with_suffix(".d")))
    return tuple(steps)


def object_name(unit: Unit) -> str:
    """A flat file name of the unit's whole relative path: ``fwd/kernel.cpp`` is not ``bwd/kernel.cpp``."""
    readable = re.sub(r"[^\w.-]", "_", unit.name)[-80:]
    return f"{readable}-{hashlib.sha256(unit.name.encode()).hexdigest()[:8]}.o"


def source_of(unit: Unit, stage: Stage) -> Path:
    """The file that the compiler is given: the user's own, in place, or the generated one."""
    if unit.path is not None:
        return unit.path.absolute()
    return stage.generated / unit.name


def write_stage(request: BuildRequest, stage: Stage) -> None:
    """Make the folders and write the generated units. Raises ``OSError``."""
    for folder in (stage.generated, stage.objects, stage.entry, stage.temporary):
        folder.mkdir(parents=True, mode=0o700)
    for unit in request.units:
        if unit.text is not None:
            path = stage.generated / unit.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(unit.text, encoding="utf-8")
