"""Shared memory: ``__shared__ float sums[32];`` becomes a type and a reference to an object of the block."""

from __future__ import annotations

import re

from opwright.emulator.refusal import refuse
from opwright.emulator.text import Edits, closing, in_function

_QUALIFIER = r"(?:extern|static|volatile|const)\b|(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)"
_BEFORE = re.compile(rf"(?:(?:{_QUALIFIER})\s*)*$")
_ALIGNAS = re.compile(r"\balignas(?=\s*\()")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*$")


def translate_shared_memory(code: str, edits: Edits, path: str) -> None:
    """Translate every declaration of ``code`` that says ``__shared__``."""
    for found in re.finditer(r"\b__shared__\b", code):
        before = _BEFORE.search(code, 0, found.start())
        begin = before.start() if before else found.start()
        while begin < found.start() and code[begin].isspace():
            begin += 1
        end = _statement_end(code, found.end())
        if end < 0 or re.search(r"[\w>]\s*$", code[:begin][-80:]):
            refuse(path, code, found.start(), "__shared__ in anything but a plain declaration")
        if not in_function(code, found.start()):
            refuse(path, code, found.start(), "__shared__ outside a function")
        _translate(code, edits, begin, end, found.span())


def _translate(code: str, edits: Edits, begin: int, end: int, word: tuple[int, int]) -> None:
    dynamic = re.search(r"\bextern\b", code[begin : word[0]]) is not None
    for storage in re.finditer(r"\b(?:extern|static)\b", code[begin : word[1]]):
        edits.replace(begin + storage.start(), begin + storage.end(), "")
    for alignment in _ALIGNAS.finditer(code, begin, end):
        last = closing(code, code.index("(", alignment.end()))
        edits.replace(*alignment.span(), "__attribute__((aligned")
        edits.insert(last + 1, "))")
    edits.insert(begin, "typedef ")
    edits.replace(*word, "")
    after = ""
    for name_begin, name_end in _names(code, word[1], end):
        name = code[name_begin:name_end]
        edits.insert(name_begin, "opwright_")
        made = (
            f"dynamic_shared<opwright_{name}>()" if dynamic else f"shared<opwright_{name}>([] {{}})"
        )
        after += f" auto& {name} = ::opwright::emulated::{made};"
    edits.insert(end + 1, after)


def _statement_end(code: str, offset: int) -> int:
    while offset < len(code):
        if code[offset] == ";":
            return offset
        if code[offset] in "([{":
            offset = closing(code, offset)
            if offset < 0:
                return -1
        elif code[offset] in ")}":
            return -1
        offset += 1
    return -1


def _names(code: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Where the names are that the declaration between the offsets declares."""
    names = []
    depth = 0
    named = False
    offset = begin
    while offset <= end:
        character = code[offset]
        if depth == 0 and character in "[,;={" and not named and (at := _name(code, begin, offset)):
            names.append(at)
            named = True
        if character in "([{":
            offset = closing(code, offset)
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            begin, named = offset + 1, False
        offset += 1
    return names


def _name(code: str, begin: int, end: int) -> tuple[int, int] | None:
    found = _NAME.search(code, begin, end)
    return found.span(1) if found else None
