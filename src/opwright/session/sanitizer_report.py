"""What AddressSanitizer and UBSan wrote, as findings with the user's line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from opwright.records.verdict import Finding

_UNDEFINED = re.compile(r"^(?P<place>\S+?:\d+):\d+: runtime error: (?P<what>.+)$", re.MULTILINE)
_SUMMARY = re.compile(r"ERROR: AddressSanitizer: (?P<what>[\w-]+)")
_ACCESS = re.compile(r"^(?P<access>(?:READ|WRITE) of size \d+)", re.MULTILINE)
_FRAME = re.compile(r"^\s+#\d+ 0x\w+ in .*? (?P<file>\S+?):(?P<line>\d+)(?::\d+)?$", re.MULTILINE)


def sanitizer_findings(stderr: str, folder: Path) -> Iterator[Finding]:
    """What the sanitizers wrote, once for each place; the line is the user's where one took part."""
    seen = set()
    for found in _UNDEFINED.finditer(stderr):
        place, what = _short(found["place"], folder), found["what"]
        if place not in seen:
            seen.add(place)
            yield Finding("sanitizer", f"{what} at {place}", {"tool": "UBSan", "place": place})
    summary = _SUMMARY.search(stderr)
    if summary is None:
        return
    report = stderr[summary.start() :]
    place = next(_users_places(report, folder), "a place without a line")
    access = _ACCESS.search(report)
    told = f", {access['access']}" if access else ""
    yield Finding(
        "sanitizer",
        f"{summary['what']}{told} at {place}",
        {"tool": "AddressSanitizer", "place": place, "report": report[:4000]},
    )


def _users_places(report: str, folder: Path) -> Iterator[str]:
    """Frames in the operator's own files first, then any with a line."""
    frames = [(frame["file"], frame["line"]) for frame in _FRAME.finditer(report)]
    own = [(file, line) for file, line in frames if (folder / Path(file).name).is_file()]
    for file, line in [*own, *frames]:
        yield _short(f"{file}:{line}", folder)


def _short(place: str, folder: Path) -> str:
    file, _, line = place.rpartition(":")
    return f"{Path(file).name if (folder / Path(file).name).is_file() else file}:{line}"
