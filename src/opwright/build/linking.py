"""Read a linker's errors: which symbol or library is missing, and why that is likely."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from opwright.build.diagnose import Explained, raw_lines
from opwright.errors import OpwrightError
from opwright.process import decoded, run_command
from opwright.symbols import demangle, why_undefined

_UNDEFINED = re.compile(r"undefined reference to [`'](?P<name>.+)'|undefined symbol: (?P<other>.+)")
_NO_LIBRARY = re.compile(
    r"cannot find -l:?(?P<name>[^\s:]+)|unable to find library -l(?P<other>\S+)"
)
_TWICE = re.compile(r"multiple definition of [`'](?P<name>.+?)'|duplicate symbol: (?P<other>.+)")
_NM_SECONDS = 60.0


def link_fault(log: Path, objects: Sequence[Path], names: dict[str, str]) -> Explained | None:
    """The fault that a linker's output tells of, if any. ``names`` maps objects to units' names."""
    undefined: dict[str, str] = {}
    last = ""
    for line in map(decoded, raw_lines(log)):
        if match := _NO_LIBRARY.search(line):
            name = match["name"] or match["other"]
            return Explained(
                f"library {name!r} is not found", f"Install it, or add its folder ({line.strip()})."
            )
        if match := _TWICE.search(line):
            name = demangle(match["name"] or match["other"])
            return Explained(f"`{name}` is defined twice", _readable(line, names))
        if match := _UNDEFINED.search(line):
            undefined.setdefault(demangle(match["name"] or match["other"]), _readable(line, names))
        elif line.strip() and "returned 1 exit status" not in line:
            last = line.strip()
    if not undefined:
        return Explained(last, "", certain=False) if last else None
    symbol, line = next(iter(undefined.items()))
    more = f" (and {len(undefined) - 1} more undefined symbols)" if len(undefined) > 1 else ""
    why = why_undefined(symbol, defined_symbols(objects))
    return Explained(f"`{symbol}` is undefined{more}", f"{why[0].upper()}{why[1:]}\n{line}")


def defined_symbols(objects: Sequence[Path]) -> list[str]:
    """The symbols that objects define, as nm prints them; empty where there is no nm."""
    try:
        done = run_command(
            ["nm", "--defined-only", "--format=posix", *objects],
            timeout_seconds=_NM_SECONDS,
            kept_bytes=64 << 20,
        )
    except OpwrightError:
        return []
    return [line.split(" ", 1)[0] for line in done.stdout.splitlines() if " " in line]


def _readable(line: str, names: dict[str, str]) -> str:
    for path, name in names.items():
        line = line.replace(path, name)
    return line.strip()
