"""Kernels: what the runtime is told as one begins, its name and its launch bounds."""

from __future__ import annotations

import re

from opwright.emulator.text import Edits, closing, directive_end

_BOUNDS = re.compile(r"\b__launch_bounds__\s*\(")


def translate_kernels(code: str, edits: Edits) -> None:
    """Let the body of every kernel of ``code`` begin with ``OPWRIGHT_KERNEL_ENTRY(bounds)``."""
    for found in re.finditer(r"\b__global__\b", code):
        body = _body(code, found.end(), directive_end(code, found.start()))
        if body < 0:
            continue
        bounds = _BOUNDS.search(code, _head(code, found.start()), body)
        arguments = ""
        if bounds:
            end = closing(code, bounds.end() - 1)
            arguments = " ".join(edits.text[bounds.end() : end].split())
        edits.insert(body + 1, f" OPWRIGHT_KERNEL_ENTRY({arguments})")


def _head(code: str, offset: int) -> int:
    """Where the declaration begins that ``offset`` is in."""
    return max(code.rfind(mark, 0, offset) for mark in ";{}") + 1


def _body(code: str, offset: int, end: int) -> int:
    """The offset of the brace that begins the function's body; -1: it is only declared."""
    while offset < end and code[offset] not in ";{":
        if code[offset] in "([":
            offset = closing(code, offset)
            if offset < 0:
                return -1
        offset += 1
    return offset if offset < end and code[offset] == "{" else -1
