"""Sizes of tensors under a description: read off inputs, worked out for outputs. Ints or symbolic ints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opwright.spec.dims import Dim, Shape
from opwright.spec.expression import Expression
from opwright.spec.tensor import Tensor


def known_values(sizes: Mapping[str, Any], scalars: Mapping[str, Any]) -> dict[str, Any]:
    """What expressions are evaluated over: dims and shapes by name, and the arguments that are ints."""
    return {**sizes, **{name: value for name, value in scalars.items() if isinstance(value, int)}}


def bind_sizes(
    inputs: Mapping[str, Tensor], shapes: Mapping[str, Sequence[Any]], scalars: Mapping[str, Any]
) -> dict[str, Any]:
    """The value of every dim and shape, read off the tensors' shapes (ints or symbolic ints)."""
    known = known_values({}, scalars)
    for name, sizes in shapes.items():
        tensor = inputs[name]
        for size, value in zip(tensor.sizes, _aligned(tensor, sizes), strict=True):
            if isinstance(size, (Dim, Shape)):
                known.setdefault(size.name, value)
    return known


def sizes_of(tensor: Tensor, known: Mapping[str, Any]) -> list[Any]:
    """A tensor's sizes under known dims, shapes and int arguments."""
    sizes: list[Any] = []
    for size in tensor.sizes:
        if isinstance(size, Shape):
            sizes.extend(known[size.name])
        elif isinstance(size, Dim):
            sizes.append(known[size.name])
        elif isinstance(size, Expression):
            sizes.append(size.evaluate(known))
        else:
            sizes.append(size)
    return sizes


def _aligned(tensor: Tensor, sizes: Sequence[Any]) -> list[Any]:
    """One value for each described size; a Shape gets the tuple of all that the others leave."""
    if tensor.shape is None:
        return list(sizes)
    first = tensor.sizes.index(tensor.shape)
    run = len(sizes) - (len(tensor.sizes) - 1)
    return [*sizes[:first], tuple(sizes[first : first + run]), *sizes[first + run :]]
