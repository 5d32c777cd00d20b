"""What an operator is timed beside that is no operator: torch.compile of its reference, functions in a file."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opwright.errors import FoundFault, UsageError
from opwright.spec.naming import did_you_mean
from opwright.spec.operator import OperatorSpec

REFERENCE, COMPILE, CALL = "reference", "compile", "call"
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def described_rival(text: str, spec: OperatorSpec) -> dict[str, Any] | None:
    """What a worker needs for ``reference``, ``compile[:MODE]`` or ``call:FILE``; None for other texts.

    Raises `UsageError` for a mode that torch.compile has not, and a file that cannot be read.
    """
    kind, _, rest = text.partition(":")
    if text == REFERENCE:
        return {"kind": REFERENCE, "name": text}
    if kind == COMPILE:
        return {"kind": COMPILE, "name": text, "mode": _known_mode(rest) if rest else "default"}
    if kind == CALL and rest:
        path = Path(rest).absolute()
        there = spec.name in functions_in(path)
        return {"kind": CALL, "name": path.stem, "file": str(path), "there": there}
    return None


def compiles(text: str) -> bool:
    """Whether this is torch.compile's."""
    return text.partition(":")[0] == COMPILE


def functions_in(path: Path) -> list[str]:
    """The functions that a Python file defines, which is not run. Raises `UsageError`."""
    try:
        body = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read as Python: {error}",
            hint="Name a file with a function for each operator, called as the operator is.",
        ) from error
    return [each.name for each in body if isinstance(each, ast.FunctionDef)]


def function_of(rival: dict[str, Any], spec: OperatorSpec) -> Callable[..., Any]:
    """What is called, in the worker. Raises whatever a file of functions raises."""
    if rival["kind"] == REFERENCE:
        return spec.reference
    if rival["kind"] == COMPILE:
        import torch

        mode = None if rival["mode"] == "default" else rival["mode"]
        compiled: Callable[..., Any] = torch.compile(spec.reference, dynamic=False, mode=mode)
        return compiled
    path = Path(rival["file"])
    found = importlib.util.spec_from_file_location(f"opwright_rivals_{path.stem}", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, spec.name)
    return function


def _known_mode(mode: str) -> str:
    if mode not in MODES:
        raise UsageError(
            f"torch.compile has no mode {mode!r}",
            hint=f"{did_you_mean(mode, MODES)}It has: {', '.join(MODES)}.",
        )
    return mode


def told(error: BaseException) -> str:
    """What a rival that fails has raised, in one line."""
    if isinstance(error, FoundFault):
        return error.what
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
