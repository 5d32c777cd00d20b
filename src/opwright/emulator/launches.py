"""Launches: ``kernel<<<grid, block>>>(arguments)`` becomes ``OPWRIGHT_LAUNCH((kernel), (grid, block))(...)``."""

from __future__ import annotations

import re

from opwright.emulator.refusal import refuse
from opwright.emulator.text import Edits, angle_opening, closing, opening

_WORD = re.compile(r"[A-Za-z_]\w*$")
_NO_KERNEL = {"return", "else", "do", "case", "goto", "throw", "co_return"}


def translate_launches(code: str, edits: Edits, path: str) -> None:
    """Translate every launch of ``code``, the text of ``edits`` without comments and literals."""
    for found in re.finditer(r"<<<", code):
        begin = _kernel_begin(code, found.start())
        end = _config_end(code, found.end())
        after = re.match(r"\s*\(", code[end + 3 :]) if end >= 0 else None
        if begin == found.start() or not after:
            refuse(path, code, found.start(), "a launch that cannot be read: kernel<<<...>>>(...)")
        edits.insert(begin, "OPWRIGHT_LAUNCH((")
        edits.replace(found.start(), found.end(), "), (")
        edits.replace(end, end + 3, "))")


def _config_end(code: str, offset: int) -> int:
    """Where the ``>>>`` is that ends the configuration; -1: nowhere."""
    while offset < len(code):
        if code.startswith(">>>", offset):
            return offset
        if code[offset] in "([{":
            offset = closing(code, offset)
            if offset < 0:
                return -1
        elif code[offset] == ";":
            return -1
        offset += 1
    return -1


def _kernel_begin(code: str, offset: int) -> int:
    """Where the expression begins that names the kernel and ends at ``offset``."""
    begin = offset
    while True:
        at = len(code[:begin].rstrip()) - 1
        step = _operand_begin(code, at)
        if step < 0:
            return begin
        begin = step
        at = len(code[:begin].rstrip())
        joined = re.search(r"(?:::|->|\.)(?:\s*template)?$", code[:at])
        if not joined:
            return begin
        begin = joined.start()
        if joined.group().startswith("::") and not re.search(r"[\w>)\]]\s*$", code[:begin]):
            return begin  # ::kernel
        if re.search(r"\b(?:" + "|".join(_NO_KERNEL) + r")\s*$", code[:begin]):
            return begin


def _operand_begin(code: str, at: int) -> int:
    """Where ``name``, ``name<...>``, ``name[...]`` or ``(...)`` begins that ends at ``at``; -1: none."""
    while at >= 0 and code[at] in ")]":
        at = opening(code, at) - 1
        if at < -1:
            return -1
        rest = code[: at + 1].rstrip()
        if not _WORD.search(rest) and not rest.endswith((")", "]", ">")):
            return at + 1
        if (word := _WORD.search(rest)) and word.group() in _NO_KERNEL:
            return at + 1
        at = len(rest) - 1
    if at >= 0 and code[at] == ">":
        at = angle_opening(code, at) - 1
        at = len(code[: at + 1].rstrip()) - 1
    word = _WORD.search(code[: at + 1]) if at >= 0 else None
    return word.start() if word and word.group() not in _NO_KERNEL else -1
