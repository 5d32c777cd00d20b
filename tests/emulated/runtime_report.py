"""Reads what the emulator's runtime says in these tests, in which no operator stands around the kernels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from opwright.emulator.places import Places, find_places


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
