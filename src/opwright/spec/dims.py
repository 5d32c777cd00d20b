"""Symbolic sizes: what an operator's tensors have in common, and which sizes are worth trying."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from opwright.errors import SpecError
from opwright.frozen import Frozen
from opwright.spec.expression import Arithmetic, Expression
from opwright.spec.naming import check_name


class Dim(Arithmetic, Frozen):
    """One symbolic size. ``typical`` sizes are those of real use, ``edge`` sizes those that break kernels.

    Arithmetic on dims gives sizes of outputs: ``Tensor(rows, hidden // 2)``.
    """

    name: str
    typical: tuple[int, ...] = (64,)
    edge: tuple[int, ...] = (0, 1, 3)

    def __post_init__(self) -> None:
        check_name(self.name, "Dim")
        object.__setattr__(self, "typical", _sizes(self.typical, self.name, "typical"))
        object.__setattr__(self, "edge", _sizes(self.edge, self.name, "edge"))
        if not self.typical:
            raise SpecError(
                f"Dim {self.name!r}: field 'typical' is empty", hint="Give at least one usual size."
            )

    def __str__(self) -> str:
        return self.name


class Shape(Frozen):
    """Any number of leading sizes under one name, for operators that don't care about the rank.

    A kernel sees them collapsed to one size: ``Tensor(Shape("batch"), hidden)`` is a ``View`` of rank 2.
    """

    name: str
    typical: tuple[tuple[int, ...], ...] = ((64, 64),)
    edge: tuple[tuple[int, ...], ...] = ((), (0,), (1,), (3, 0, 2), (2, 3, 5))

    def __post_init__(self) -> None:
        check_name(self.name, "Shape")
        for field in ("typical", "edge"):
            shapes = getattr(self, field)
            if isinstance(shapes, str) or not isinstance(shapes, Sequence):
                raise SpecError(
                    f"Shape {self.name!r}: field {field!r} is {shapes!r}",
                    hint="Give a tuple of shapes, such as ((1024, 768), (4, 8, 64)).",
                )
            if any(isinstance(shape, int) for shape in shapes):
                raise SpecError(
                    f"Shape {self.name!r}: field {field!r} is one shape, {shapes!r}",
                    hint="Give a tuple of shapes, such as ((1024, 768),): note the comma.",
                )
            checked = tuple(_sizes(shape, self.name, field) for shape in shapes)
            object.__setattr__(self, field, checked)
        if not self.typical:
            raise SpecError(
                f"Shape {self.name!r}: field 'typical' is empty",
                hint="Give at least one usual shape.",
            )

    def __str__(self) -> str:
        return f"*{self.name}"


Size: TypeAlias = "int | Dim | Expression"


def as_size(value: object) -> Size | Shape:
    """One entry of ``Tensor(...)``: a whole number, a dim, a shape, or an expression (also as text)."""
    if isinstance(value, (Dim, Shape, Expression)):
        return value
    if isinstance(value, str):
        return Expression(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < 2**63:
            raise SpecError(
                f"size {value} is impossible", hint="Sizes are 0 or more, and fit 64 bits."
            )
        return value
    raise SpecError(
        f"{value!r} is not a size",
        hint="Use a Dim, a Shape, a whole number, or text such as 'k * 2'.",
    )


def elements(sizes: Sequence[int]) -> int:
    """How many elements a tensor of these sizes has."""
    return math.prod(sizes)


def _sizes(values: object, name: str, field: str) -> tuple[int, ...]:
    if isinstance(values, int) and not isinstance(values, bool):
        values = (values,)
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise SpecError(
            f"{name!r}: field {field!r} is {values!r}",
            hint="Give whole numbers, such as (1024, 4096).",
        )
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise SpecError(
                f"{name!r}: field {field!r} contains {value!r}",
                hint="Sizes are whole numbers, 0 or more.",
            )
    return tuple(values)
