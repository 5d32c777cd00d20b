"""C++ text as far as a translator has to see it: code apart from comments and literals, brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_PASSIVE = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\(.*?(?:\)(?P=tag)"|\Z)'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_OPENING = {")": "(", "]": "[", "}": "{"}
_CLOSING = {opening: closing for closing, opening in _OPENING.items()}


def code_of(text: str) -> str:
    """``text`` with every comment and every literal replaced by blanks; offsets and lines stay."""
    return _PASSIVE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def line_at(text: str, offset: int) -> int:
    """The line, from 1, that ``offset`` lies in."""
    return text.count("\n", 0, offset) + 1


def closing(code: str, offset: int) -> int:
    """The offset of the bracket that closes the one at ``offset``; -1: there is none."""
    opens, closes = code[offset], _CLOSING[code[offset]]
    depth = 0
    for i in range(offset, len(code)):
        if code[i] == opens:
            depth += 1
        elif code[i] == closes:
            depth -= 1
            if depth == 0:
                return i
    return -1


def opening(code: str, offset: int) -> int:
    """The offset of the bracket that the one at ``offset`` closes; -1: there is none."""
    closes, opens = code[offset], _OPENING[code[offset]]
    depth = 0
    for i in range(offset, -1, -1):
        if code[i] == closes:
            depth += 1
        elif code[i] == opens:
            depth -= 1
            if depth == 0:
                return i
    return -1


def angle_opening(code: str, offset: int) -> int:
    """The offset of the ``<`` that the ``>`` at ``offset`` closes; -1: it closes none."""
    depth = 0
    i = offset
    while i >= 0:
        character = code[i]
        if character in ")]":
            i = opening(code, i)
        elif character == ">" and code[i - 1] != "-":
            depth += 1
        elif character == "<":
            depth -= 1
            if depth == 0:
                return i
        elif character in ";{}":
            return -1
        if i < 0:
            return -1
        i -= 1
    return -1


@dataclass
class Edits:
    """Replacements in a text, made all at once. They may not overlap."""

    text: str
    _made: list[tuple[int, int, str]] = field(default_factory=list)

    def replace(self, begin: int, end: int, by: str) -> None:
        """Put ``by`` in place of what is between the offsets, and keep the number of lines."""
        lost = self.text.count("\n", begin, end) - by.count("\n")
        self._made.append((begin, end, by + "\n" * max(lost, 0)))

    def insert(self, offset: int, what: str) -> None:
        """Put ``what`` before the offset; of two at one offset, the earlier comes first."""
        self._made.append((offset, offset, what))

    def result(self) -> str:
        """The text with every replacement made."""
        pieces = []
        done = 0
        for begin, end, by in sorted(self._made, key=lambda edit: edit[:2]):
            pieces += [self.text[done:begin], by]
            done = end
        return "".join([*pieces, self.text[done:]])


def directive_end(code: str, offset: int) -> int:
    """Where the preprocessor directive ends that ``offset`` is in; the text's end if it is in none."""
    begin = offset
    while (start := code.rfind("\n", 0, begin)) > 0 and code[start - 1] == "\\":
        begin = start
    if not re.match(r"\s*#", code[start + 1 : offset + 1]):
        return len(code)
    end = offset
    while (end := code.find("\n", end)) > 0 and code[end - 1] == "\\":
        end += 1
    return end if end >= 0 else len(code)


_NO_FUNCTION = re.compile(r"\b(?:namespace|struct|class|union|enum)\b[^()]*$|\bextern\s*$")


def in_function(code: str, offset: int) -> bool:
    """Whether ``offset`` lies in the body of a function."""
    open_braces: list[int] = []
    for found in re.finditer(r"[{}]", code[:offset]):
        if found.group() == "{":
            open_braces.append(found.start())
        elif open_braces:
            open_braces.pop()
    return any(not _NO_FUNCTION.search(_before(code, brace)) for brace in open_braces)


def _before(code: str, brace: int) -> str:
    """What stands between the statement before ``brace`` and the brace."""
    return code[max(code.rfind(mark, 0, brace) for mark in ";{}") + 1 : brace]
