"""Pieces of C++ text in generated bindings. What is derived from a user's name ends in ``__word``.

No user's name holds two underscores in a row, so that derived names clash with none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from opwright.spec.dims import Dim, Shape, Size
from opwright.spec.expression import Expression
from opwright.spec.operator import OperatorSpec


def indented(lines: Iterable[str], columns: int = 2) -> Iterator[str]:
    """The lines, further to the right."""
    for line in lines:
        yield " " * columns + line if line else line


def block(condition: str, lines: Iterable[str]) -> Iterator[str]:
    """An ``if`` around the lines; nothing where there are none."""
    listed = list(lines)
    if listed:
        yield f"if ({condition}) {{"
        yield from indented(listed)
        yield "}"


def dtype_literal(name: str) -> str:
    """``ob::DType::float32``."""
    return f"ob::DType::{'boolean' if name == 'bool' else name}"


def boolean(value: bool) -> str:
    """``true`` or ``false``."""
    return "true" if value else "false"


def text_literal(value: str) -> str:
    """A string literal; what is not ASCII is spelled out in octal, as UTF-8."""
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    return '"' + "".join(_letter(letter) for letter in escaped) + '"'


def _letter(letter: str) -> str:
    if letter.isascii() and letter != "?":  # two question marks begin a trigraph
        return letter
    return "".join(f"\\{byte:03o}" for byte in letter.encode())


def size_value(size: Size | Shape) -> str:
    """A size as a C++ expression over the sizes that are known by then."""
    if isinstance(size, Expression):
        return size.cpp()
    return size.name if isinstance(size, (Dim, Shape)) else f"int64_t({size})"


def position(name: str, index: int, sizes: tuple[Size | Shape, ...]) -> str:
    """The dimension of a described size in the tensor: counted from the end behind a Shape."""
    shape = next((i for i, size in enumerate(sizes) if isinstance(size, Shape)), None)
    if shape is None or index < shape:
        return str(index)
    return f"{name}.dim() - {len(sizes) - index}"


def leader_of(spec: OperatorSpec, variable: str) -> str:
    """The argument that decides a type variable."""
    return {v.name: v.leader for v in spec.type_variables}[variable]
