"""Reads and refuses what a SuperKernel is told, before anything is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opwright.errors import UsageError
from opwright.graph.superkernel.option_table import (
    CORE_RATIOS,
    CORES_CONFLICT,
    GE,
    OWN,
    RELEASES,
    Option,
    Release,
)
from opwright.spec.naming import did_you_mean

_STATIC_ONLY = (
    "a SuperKernel is made for sizes that are known when it is compiled: its kernels are linked into one "
    "binary, with the cores and the memory of each fixed"
)


def release_for(version: str | None) -> Release:
    """The table for an installed version, None for none installed: then that of the newest release."""
    if version is None:
        return RELEASES[0]
    for release in RELEASES:
        if _numbers(version) >= _numbers(release.version):
            return release
    return RELEASES[-1]


def _numbers(version: str) -> list[int]:
    return [int(digits) for part in version.split(".") if (digits := _digits(part))]


def _digits(part: str) -> str:
    return "".join(character for character in part.partition("+")[0] if character.isdigit())


def read_options(way: str, given: Mapping[str, str], release: Release) -> dict[str, Any]:
    """Values by name, each of its kind. Raises `UsageError` for what the release does not know."""
    if way not in release.options:
        others = ", ".join(release.options)
        raise UsageError(
            f"torch-npu {release.version} has no SuperKernel by {way}", hint=f"It has: {others}."
        )
    known = {option.name: option for option in release.options[way]}
    values = {}
    for name, text in given.items():
        if name == "dynamic":
            raise UsageError(
                f"SuperKernel takes no dynamic sizes: {_STATIC_ONLY}", hint=_no_dynamic()
            )
        if name in OWN:
            raise UsageError(
                f"{name} is set by this mode itself",
                hint="Name the single options, as in split_mode=2.",
            )
        if name not in known:
            raise UsageError(
                f"SuperKernel by {way} has no option {name!r}",
                hint=f"{did_you_mean(name, known)}It takes: {', '.join(known)}.",
            )
        values[name] = _value(known[name], text)
    if way == GE:
        _check_cores(values)
    return values


def _no_dynamic() -> str:
    return "Declare the sizes that you use, and try each."


def _value(option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise _wrong(option, text, f"one of {', '.join(option.choices)}")
    if option.kind == "flag":
        if text.lower() not in {"true", "false"}:
            raise _wrong(option, text, "true or false")
        return text.lower() == "true"
    if option.kind == "number":
        if not text.isascii() or not text.isdigit():
            raise _wrong(option, text, "a whole number of at least 0")
        return int(text)
    if option.kind == "names":
        names = [name.strip() for name in text.split(",")]
        if not all(names):
            raise _wrong(option, text, "names with commas between them")
        return names
    return text


def _wrong(option: Option, text: str, takes: str) -> UsageError:
    return UsageError(
        f"{option.name} takes {takes}, and not {text!r}", hint="Give it another value."
    )


def _check_cores(values: Mapping[str, Any]) -> None:
    cubes, vectors = values.get("debug-aic-num"), values.get("debug-aiv-num")
    if cubes is None and vectors is None:
        return
    if not allowed_cores(cubes or 0, vectors or 0):
        ratios = ", ".join(f"{cube}:{vector}" for cube, vector in CORE_RATIOS)
        raise UsageError(
            f"debug-aic-num={cubes or 0} to debug-aiv-num={vectors or 0} is no ratio that a SuperKernel starts",
            hint=f"Ratios of cubes to vectors are: {ratios}. Besides, {CORES_CONFLICT}.",
        )


def allowed_cores(cubes: int, vectors: int) -> bool:
    """Whether a SuperKernel can be told to start so many cores of each kind."""
    if cubes == vectors == 0:
        return False
    return any(cubes * right == vectors * left for left, right in CORE_RATIOS)


def check_scope(name: str) -> str:
    """The scope's name itself. Raises `UsageError` for a blank one."""
    if not name.strip():
        raise UsageError(
            "a SuperKernel's scope has a blank name", hint="Give it one, as in scope=sp1."
        )
    return name


def why_unpaired(markers: Iterable[tuple[str, str | None]]) -> str:
    """What is wrong with ``("begin", name)`` and ``("end", name)`` in their order; empty where nothing is."""
    opened: list[str | None] = []
    for kind, name in markers:
        if kind == "begin":
            opened.append(name)
        elif name in opened:
            opened.remove(name)
        else:
            return f"the end of scope {name!r} has no beginning before it"
    return f"scope {opened[0]!r} is never ended" if opened else ""
