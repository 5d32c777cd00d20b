"""Facts of a record that have names and no fixed form: environment, machine, memory, ceilings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.report.figures import size_text
from opwright.report.measured import time_text

# The last words of a name say what its number counts.
_UNITS: dict[str, Callable[[float], str]] = {
    "bytes": lambda value: size_text(int(value)),
    "gb_s": lambda value: f"{value:.4g} GB/s",
    "tflop_s": lambda value: f"{value:.3g} TFLOP/s",
    "mhz": lambda value: f"{value:.0f} MHz",
    "percent": lambda value: f"{value:.3g} %",
    "us": time_text,
    "seconds": lambda value: f"{value:.3g} s",
    "c": lambda value: f"{value:.0f} °C",
    "w": lambda value: f"{value:.0f} W",
}
# Names that are nothing but a unit.
_NAMES = {"gb_s": "bytes a second", "tflop_s": "operations a second", "mhz": "clock"}
_LONG_SIGNS = 32
_FRACTION = "fraction_"


@dataclass(frozen=True)
class FactTable:
    """Facts side by side, one dict for each of those that they are of, in the same order.

    ``names`` are those of all together. ``sentences`` are too long for a cell: each once, by name and text,
    with how many have it.
    """

    names: list[str]
    facts: list[dict[str, Any]]
    sentences: dict[tuple[str, str], int]


def fact_table(several: Sequence[Mapping[str, Any]]) -> FactTable:
    """The facts of several in one table."""
    sentences: dict[tuple[str, str], int] = {}
    short: list[dict[str, Any]] = []
    for facts in map(flat_facts, several):
        long = {name: fact for name, fact in facts.items() if _is_sentence(fact)}
        for key in long.items():
            sentences[key] = sentences.get(key, 0) + 1
        short.append({name: fact for name, fact in facts.items() if name not in long})
    return FactTable(list(dict.fromkeys(name for each in short for name in each)), short, sentences)


def _is_sentence(fact: Any) -> bool:
    return isinstance(fact, str) and " " in fact and len(fact) > _LONG_SIGNS


def flat_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts by their whole names: what is inside of others is called ``outer.inner``, empty ones are left out."""
    found: dict[str, Any] = {}
    for name, fact in facts.items():
        if isinstance(fact, Mapping):
            inner = flat_facts(fact)
            found.update({f"{name}.{below}": value for below, value in inner.items()})
        elif isinstance(fact, list | tuple) and any(isinstance(each, Mapping) for each in fact):
            numbered = {str(place): each for place, each in enumerate(fact)}
            inner = flat_facts(numbered)
            found.update({f"{name}.{below}": value for below, value in inner.items()})
        elif fact is not None and fact not in ("", [], ()):
            found[name] = fact
    return found


def fact_name(name: str) -> str:
    """As people write it: ``host · power``; a unit stands behind the number."""
    parts = [_without_unit(part).replace("_", " ") for part in name.split(".")]
    return " · ".join(parts)


def fact_text(fact: Any, name: str) -> str:
    """The number with the unit that its name tells, anything else as text."""
    if isinstance(fact, list | tuple):
        return ", ".join(str(each) for each in fact)
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if not isinstance(fact, int | float):
        return str(fact)
    last = name.rpartition(".")[2]
    if last.startswith(_FRACTION):
        return f"{100 * fact:.3g} %"
    for unit, write in _UNITS.items():
        if last == unit or last.endswith(f"_{unit}"):
            return write(fact)
    return f"{fact:,}" if isinstance(fact, int) else f"{fact:.4g}"


def _without_unit(part: str) -> str:
    for unit in _UNITS:
        if part.endswith(f"_{unit}"):
            return part.removesuffix(f"_{unit}")
    return _NAMES.get(part, part)
