"""The source lines of accesses that the emulator's runtime knows by their addresses in a library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from opwright.emulator.layout import INCLUDE, OPWRIGHT_INCLUDE
from opwright.errors import OpwrightError
from opwright.process import run_command

_ADDR2LINE_SECONDS = 120.0
# Folders of headers that stand between a kernel's line and its access, and how builds call them in
# libraries, which hold no path of the machine.
_HEADERS = {"emulator": INCLUDE.parent, "opwright": OPWRIGHT_INCLUDE}

Places = Mapping[tuple[str, int], tuple[str, int]]
"""From (library, offset in it) to (file, line)."""


def find_places(addresses: Iterable[tuple[str, int]]) -> Places:
    """File and line of each (library, offset in it): the innermost that is the user's own."""
    by_module: dict[str, list[int]] = {}
    for module, offset in sorted(addresses):
        by_module.setdefault(module, []).append(offset)
    places: dict[tuple[str, int], tuple[str, int]] = {}
    for module, offsets in by_module.items():
        for offset, frames in zip(offsets, _frames(module, offsets), strict=False):
            own = [frame for frame in frames if not _is_header_of_ours(frame[0])]
            own = [frame for frame in own if "/include/c++/" not in frame[0]] or own
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


def _is_header_of_ours(file: str) -> bool:
    path = Path(file)
    if file.startswith("?"):
        return True
    if path.is_absolute():
        return any(path.resolve().is_relative_to(folder) for folder in _HEADERS.values())
    # an operator may have a folder of that name as well
    folder = _HEADERS.get(path.parts[0])
    return folder is not None and folder.joinpath(*path.parts[1:]).is_file()
