"""What the emulator's runtime found, with the source line of each memory access."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opwright.emulator.layout import INCLUDE
from opwright.errors import OpwrightError
from opwright.process import run_command

_ADDR2LINE_SECONDS = 120.0


@dataclass(frozen=True)
class Where:
    """A place in a source, and the thread that was there; each is empty where it is not known."""

    file: str = ""
    line: int = 0
    block: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file else "an unknown place"
        if not self.block:
            return place
        return f"{place}, block {_indices(self.block)}, thread {_indices(self.thread)}"


@dataclass(frozen=True)
class EmulatedFinding:
    """One thing that the runtime found. ``other`` is the second access of a race."""

    kind: str
    message: str
    kernel: str
    where: Where
    other: Where | None = None
    count: int = 1
    is_note: bool = False

    def __str__(self) -> str:
        text = f"{self.kind} in {self.kernel or 'host code'} at {self.where}: {self.message}"
        return f"{text} (the other: {self.other})" if self.other else text


def read_findings(text: str) -> list[EmulatedFinding]:
    """The findings that ``text`` holds, a JSON object a line; accesses get their lines from addr2line."""
    entries = [json.loads(line) for line in text.splitlines() if line.strip()]
    addresses = {
        (entry[f"{prefix}module"], int(entry[f"{prefix}offset"]))
        for entry in entries
        for prefix in ("", "other_")
        if f"{prefix}module" in entry
    }
    places = find_places(addresses)
    return [_finding(entry, places) for entry in entries]


Places = Mapping[tuple[str, int], tuple[str, int]]


def find_places(addresses: Iterable[tuple[str, int]]) -> Places:
    """File and line of each (library, offset in it): the innermost that is not the emulator's own."""
    by_module: dict[str, list[int]] = {}
    for module, offset in sorted(addresses):
        by_module.setdefault(module, []).append(offset)
    places: dict[tuple[str, int], tuple[str, int]] = {}
    for module, offsets in by_module.items():
        for offset, frames in zip(offsets, _frames(module, offsets), strict=False):
            own = [frame for frame in frames if not _is_emulator(frame[0])]
            if own:
                places[module, offset] = own[0]
    return places


def _frames(module: str, offsets: Sequence[int]) -> list[list[tuple[str, int]]]:
    """For each offset the places that were inlined into one another there, innermost first."""
    command = ["addr2line", "-a", "-i", "-e", module, *(hex(offset) for offset in offsets)]
    try:
        said = run_command(command, timeout_seconds=_ADDR2LINE_SECONDS)
    except OpwrightError:  # there is no addr2line
        return []
    frames: list[list[tuple[str, int]]] = []
    for line in said.stdout.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            frames.append([])
        elif found := re.match(r"(.+):(\d+)", line):
            frames[-1].append((found[1], int(found[2])))
    return frames


def _is_emulator(file: str) -> bool:
    return file.startswith("?") or Path(file).resolve().is_relative_to(INCLUDE)


def _finding(entry: Mapping[str, Any], places: Places) -> EmulatedFinding:
    return EmulatedFinding(
        kind=entry["kind"],
        message=entry["message"],
        kernel=entry["kernel"],
        where=_where(entry, "", places),
        other=_where(entry, "other_", places) if "other_thread" in entry else None,
        count=entry["count"],
        is_note=entry["level"] == "note",
    )


def _where(entry: Mapping[str, Any], prefix: str, places: Places) -> Where:
    where = Where(
        file=entry.get(f"{prefix}file", ""),
        line=entry.get(f"{prefix}line", 0),
        block=tuple(entry.get(f"{prefix}block", ())),
        thread=tuple(entry.get(f"{prefix}thread", ())),
    )
    key = (entry.get(f"{prefix}module", ""), entry.get(f"{prefix}offset", 0))
    if key in places:
        where = replace(where, file=places[key][0], line=places[key][1])
    return where


def _indices(of: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, of)) + ")"
