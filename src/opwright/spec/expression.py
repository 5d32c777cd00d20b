"""Sizes and constraints as text: integer arithmetic over dims and ``int`` arguments.

One text serves everywhere: it is evaluated for cases (ints), for fake kernels (symbolic ints),
and written out as C++ for the generated binding.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from opwright.errors import SpecError
from opwright.frozen import Frozen

_BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("plus", operator.add),
    ast.Sub: ("minus", operator.sub),
    ast.Mult: ("times", operator.mul),
    ast.FloorDiv: ("floor_divided", operator.floordiv),
    ast.Mod: ("modulo", operator.mod),
}
_COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


class Arithmetic:
    """What `Dim` and `Expression` have in common: ``hidden // 2 + 1`` is an `Expression`."""

    def __add__(self, other: object) -> Expression:
        return _combine(self, "+", other)

    def __radd__(self, other: object) -> Expression:
        return _combine(other, "+", self)

    def __sub__(self, other: object) -> Expression:
        return _combine(self, "-", other)

    def __rsub__(self, other: object) -> Expression:
        return _combine(other, "-", self)

    def __mul__(self, other: object) -> Expression:
        return _combine(self, "*", other)

    def __rmul__(self, other: object) -> Expression:
        return _combine(other, "*", self)

    def __floordiv__(self, other: object) -> Expression:
        return _combine(self, "//", other)

    def __mod__(self, other: object) -> Expression:
        return _combine(self, "%", other)


class Expression(Arithmetic, Frozen):
    """An integer expression such as ``hidden // 2`` or ``k <= experts``.

    Division rounds down, as in Python. Raises `SpecError` when the text is not an expression, or uses
    anything but ``+ - * // %``, comparisons, whole numbers and names.
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise SpecError(
                f"{self.text!r} is not an expression", hint="Give text such as 'k <= experts'."
            )
        _walk(self._tree, self.text)

    @cached_property
    def _tree(self) -> ast.expr:
        try:
            return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            raise SpecError(
                f"{self.text!r} is not an expression: {error.msg}",
                hint="Write integer arithmetic over dim names, such as 'hidden // 2'.",
            ) from error

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The dims and arguments that the expression uses, in order of appearance."""
        found = [node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)]
        return tuple(dict.fromkeys(found))

    @cached_property
    def is_condition(self) -> bool:
        """Whether this is a comparison (a constraint) and not a size."""
        return isinstance(self._tree, ast.Compare)

    def evaluate(self, sizes: Mapping[str, Any]) -> Any:
        """The value, for ints or symbolic ints by name. ``None`` when it divides by zero."""
        try:
            return _evaluate(self._tree, sizes)
        except ZeroDivisionError:
            return None

    def cpp(self) -> str:
        """The same expression in C++, over ``int64_t`` variables of the same names.

        Arithmetic is done by ``exact__``, an ``opwright::binding::Exact``, which refuses what overflows.
        """
        return _cpp(self._tree)

    def __str__(self) -> str:
        return self.text


def _combine(left: object, sign: str, right: object) -> Expression:
    return Expression(f"{_term(left)} {sign} {_term(right)}")


def _term(value: object) -> str:
    return f"({value})" if isinstance(value, (Expression, str)) else str(value)


def _walk(node: ast.expr, text: str) -> None:
    """Refuse whatever has no meaning in all three places."""
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        _walk(node.left, text)
        _walk(node.right, text)
    elif isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops):
        for part in (node.left, *node.comparators):
            _walk(part, text)
    elif not isinstance(node, ast.Name) and not (
        isinstance(node, ast.Constant) and type(node.value) is int
    ):
        raise SpecError(
            f"{text!r}: {ast.unparse(node)!r} cannot be used in a size or a constraint",
            hint="Only whole numbers, names, + - * // % and comparisons can.",
        )


def _evaluate(node: ast.expr, sizes: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)][1](_evaluate(node.left, sizes), _evaluate(node.right, sizes))
    if isinstance(node, ast.Compare):
        values = [_evaluate(part, sizes) for part in (node.left, *node.comparators)]
        return all(
            _COMPARE[type(op)][1](a, b)
            for op, a, b in zip(node.ops, values, values[1:], strict=False)
        )
    if isinstance(node, ast.Name):
        return sizes[node.id]
    assert isinstance(node, ast.Constant)
    return node.value


def _cpp(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp):
        return f"exact__.{_BINARY[type(node.op)][0]}({_cpp(node.left)}, {_cpp(node.right)})"
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        return (
            "("
            + " && ".join(
                f"{_cpp(a)} {_COMPARE[type(op)][0]} {_cpp(b)}"
                for op, a, b in zip(node.ops, parts, parts[1:], strict=False)
            )
            + ")"
        )
    if isinstance(node, ast.Name):
        return node.id
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    return f"int64_t({node.value})"
