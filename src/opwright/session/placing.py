"""The lines in the source of what the emulator knows by addresses in a library only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from opwright.emulator.places import Places, find_places
from opwright.records.kernels import CountedKernel, PlacedKernel
from opwright.records.verdict import Finding, Outcome

# The access that a line of the emulator's report is of, and the other one of a race: prefixes in it.
_WAYS = ("", "other_")


def placed(outcome: Outcome, folder: Path) -> Outcome:
    """The outcome with the lines of accesses, in findings and in the hints of its kernels.

    Files of the operator, whose folder this is, are named by their place in it. What cannot be found
    (there is no addr2line, or the code has no lines) stays as it is.
    """
    kernels: list[CountedKernel] = outcome.figures.get("kernels", [])
    told = [finding.details for finding in outcome.findings]
    told += [hint for kernel in kernels for hint in kernel["hints"]]
    places = find_places(at for each in told for way in _WAYS if (at := _address(each, way)))
    found = tuple(_with_place(finding, places, folder) for finding in outcome.findings)
    if not kernels:
        return replace(outcome, findings=found)
    figures = {
        **outcome.figures,
        "kernels": [_with_hints(each, places, folder) for each in kernels],
    }
    return replace(outcome, findings=found, figures=figures)


def _with_hints(kernel: CountedKernel, places: Places, folder: Path) -> PlacedKernel:
    return {**kernel, "placed_hints": [_hint(each, places, folder) for each in kernel["hints"]]}


def _hint(told: dict[str, Any], places: Places, folder: Path) -> str:
    """``kernel.cu:12: 8 lanes of a wave meet in one bank of shared memory``."""
    at = _line(places, _address(told, ""), folder)
    return f"{at}: {told['message']}" if at else str(told["message"])


def _address(told: dict[str, Any], way: str) -> tuple[str, int] | None:
    module = told.get(f"{way}module")
    return (module, int(told[f"{way}offset"])) if module else None


def _with_place(finding: Finding, places: Places, folder: Path) -> Finding:
    at, other = (_line(places, _address(finding.details, way), folder) for way in _WAYS)
    if not at:
        return finding
    message = f"{finding.message} at {at}" + (f", and at {other}" if other else "")
    return replace(finding, message=message, details={**finding.details, "place": at})


def _line(places: Places, address: tuple[str, int] | None, folder: Path) -> str:
    """``kernel.cu:12``; the whole path of a file that is not the operator's."""
    if address is None or address not in places:
        return ""
    file, line = places[address]
    path = Path(file)
    return f"{path.relative_to(folder) if path.is_relative_to(folder) else path}:{line}"
