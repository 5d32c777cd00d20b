"""Sizes and scalars that a description allows and nobody listed: between the listed ones, and beyond them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from opwright.spec.dims import Dim, Shape, elements
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import (
    MAX_ELEMENTS,
    Sizes,
    allowed,
    has_empty,
    large_size_sets,
    largest,
    small_size,
)
from opwright.spec.schema import Argument
from opwright.spec.tensor import Scalar

# Powers of two up to this one are tried even where the largest listed size is smaller.
_LEAST_TOP = 128
# Past so many elements code changes over to more blocks, or to another algorithm.
MILLION = 1 << 20
_OVER = 1 << 14
_PAST_GRID = 65_537  # CUDA's grids have 65,535 blocks in their second and third direction
_MOST_ELEMENTS = 1 << 22


def undeclared_size_sets(spec: OperatorSpec, scalars: Mapping[str, Any]) -> list[Sizes]:
    """Each dim at powers of two and their neighbours, up to the one after its largest listed size.

    The other dims are small. Sizes that the constraints forbid are left out, and empty tensors.
    """
    found = []
    for name, dim in spec.dims.items():
        for value in _unlisted(dim):
            for rank in range(2):  # the others at their smallest usual size, or at a middling one
                others = {n: small_size(d, rank) for n, d in spec.dims.items()}
                sizes = {n: value if n == name else others[n] for n in spec.dims}
                if allowed(spec, sizes, scalars, MAX_ELEMENTS) and not has_empty(
                    spec, sizes, scalars
                ):
                    found.append(sizes)
                    break
    return found


def far_size_sets(spec: OperatorSpec, scalars: Mapping[str, Any]) -> list[Sizes]:
    """Each dim several times as large as any that is listed, and past 65,535; the others small.

    Fixed buffers and limits of grids end somewhere beyond what anybody lists.
    """
    found = []
    for name, dim in spec.dims.items():
        for value in _far(dim):
            sizes = {n: value if n == name else small_size(d, 0) for n, d in spec.dims.items()}
            if allowed(spec, sizes, scalars, MILLION) and not has_empty(spec, sizes, scalars):
                found.append(sizes)
    return found


def sizes_past_a_million(spec: OperatorSpec, scalars: Mapping[str, Any]) -> Sizes | None:
    """The largest listed sizes, one of them grown until a tensor has more than 2^20 elements."""
    for sizes in large_size_sets(spec, scalars, count=1, max_elements=MILLION):
        for name in spec.dims:
            grown = _grown(spec, sizes, name, scalars)
            if grown is not None:
                return grown
    return None


def undeclared_scalars(spec: OperatorSpec) -> Iterator[tuple[str, Any]]:
    """Numbers for single scalar arguments: the declared bounds, and values between what is listed."""
    for argument in spec.schema.scalars:
        if argument.type in ("int", "float"):
            for value in _numbers(argument, spec.scalars.get(argument.name)):
                yield argument.name, value


def _unlisted(dim: Dim | Shape) -> list[Any]:
    listed = {*dim.typical, *dim.edge}
    if isinstance(dim, Shape):
        ranks = [len(shape) for shape in listed if shape]
        first = (1,) * (min(ranks, default=1) - 1)
        values: list[Any] = [(*first, size) for size in _powers(max(map(elements, dim.typical)))]
    else:
        values = list(_powers(max(dim.typical + dim.edge)))
    return [value for value in values if value not in listed]


def _far(dim: Dim | Shape) -> list[Any]:
    if isinstance(dim, Shape):
        largest_listed = max(map(elements, dim.typical))
        first = (1,) * (min((len(shape) for shape in dim.typical if shape), default=1) - 1)
        return [(*first, value) for value in _beyond(largest_listed)]
    return list(_beyond(max(dim.typical + dim.edge)))


def _beyond(largest_listed: int) -> list[int]:
    return sorted({4 * largest_listed + 1, 16 * largest_listed + 1, _PAST_GRID})


def _powers(largest_listed: int) -> list[int]:
    """2^k - 1, 2^k and 2^k + 1 up to the first one above both bounds, and one more than the listed one."""
    top = max(largest_listed, _LEAST_TOP).bit_length()
    around = {(1 << k) + step for k in range(1, top + 1) for step in (-1, 0, 1)}
    return sorted({*around, largest_listed + 1})


def _grown(spec: OperatorSpec, sizes: Sizes, name: str, scalars: Mapping[str, Any]) -> Sizes | None:
    """``sizes`` with one dim just so large that a tensor passes 2^20 elements by some thousands."""
    value = sizes[name]
    now = largest(spec, sizes, scalars)
    if not now or value in (0, ()):
        return None
    leading = value[0] if isinstance(value, tuple) else value
    wanted = math.ceil(leading * (MILLION + _OVER) / now)
    grown = {**sizes, name: (wanted, *value[1:]) if isinstance(value, tuple) else wanted}
    if not allowed(spec, grown, scalars, _MOST_ELEMENTS):
        return None
    return grown if largest(spec, grown, scalars) > MILLION else None


def _numbers(argument: Argument, scalar: Scalar | None) -> Iterator[Any]:
    listed = [v for v in (scalar.values if scalar else (argument.default,)) if v is not None]
    numbers = sorted({*listed}) if all(isinstance(v, (int, float)) for v in listed) else []
    low = scalar.minimum if scalar else None
    high = scalar.maximum if scalar else None
    ends = [end for end in (low, *numbers, high) if end is not None]
    tried = [end for end in (low, high) if end is not None]
    tried += [(one + other) / 2 for one, other in itertools.pairwise(ends)]
    if argument.type == "float" and numbers and low is None:
        tried.append(
            0.75 * numbers[0]
        )  # any number is allowed; one near by is likely to make sense
    for value in dict.fromkeys(int(v) if argument.type == "int" else float(v) for v in tried):
        if value not in listed:
            yield value
