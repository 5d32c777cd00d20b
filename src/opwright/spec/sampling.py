"""Which sizes to try: every declared size at least once, alone and in company, within a bound."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opwright.spec.dims import Dim, Shape, elements
from opwright.spec.operator import OperatorSpec
from opwright.spec.sizing import known_values, sizes_of

Sizes = dict[str, Any]

# Of the largest tensor: keeps a case below 0.1 s, oracle and planted faults included.
MAX_ELEMENTS = 1 << 16
_TRIES = 2000


def size_sets(
    spec: OperatorSpec,
    scalars: Mapping[str, Any],
    *,
    count: int,
    empty: bool = False,
    max_elements: int = MAX_ELEMENTS,
) -> list[Sizes]:
    """Up to ``count`` assignments of sizes to dims that the constraints allow.

    First each typical and edge size of each dim, the others being small; then combinations drawn
    with a fixed seed. ``empty`` asks for those with an empty tensor instead of those without.
    """
    chosen: dict[str, Sizes] = {}
    for sizes in itertools.chain(_one_at_a_time(spec), _combinations(spec)):
        if len(chosen) >= count:
            break
        if allowed(spec, sizes, scalars, max_elements) and has_empty(spec, sizes, scalars) == empty:
            chosen.setdefault(label(sizes), sizes)
    return list(chosen.values())


def large_size_sets(
    spec: OperatorSpec, scalars: Mapping[str, Any], *, count: int, max_elements: int
) -> list[Sizes]:
    """The largest assignments up to ``max_elements``, for loops that small sizes never enter."""
    found = size_sets(spec, scalars, count=_TRIES, max_elements=max_elements)
    return sorted(found, key=lambda sizes: -largest(spec, sizes, scalars))[:count]


def roomy_size_sets(spec: OperatorSpec, scalars: Mapping[str, Any], *, count: int) -> list[Sizes]:
    """Small assignments in which every dim is more than 1, where the description has such."""
    found = size_sets(spec, scalars, count=_TRIES)
    roomy = [sizes for sizes in found if all(_is_roomy(value) for value in sizes.values())]
    return sorted(roomy or found, key=lambda sizes: largest(spec, sizes, scalars))[:count]


def largest(spec: OperatorSpec, sizes: Sizes, scalars: Mapping[str, Any]) -> int:
    """Elements of the call's largest tensor."""
    known = known_values(sizes, scalars)
    tensors = (*spec.inputs.values(), *spec.outputs)
    return max((elements(sizes_of(tensor, known)) for tensor in tensors), default=0)


def label(sizes: Mapping[str, Any]) -> str:
    """``rows=4,hidden=257``; shapes as ``2x3``, and ``()`` for no dimensions at all."""
    parts = []
    for name, value in sizes.items():
        shown = ("x".join(map(str, value)) or "()") if isinstance(value, tuple) else str(value)
        parts.append(f"{name}={shown}")
    return ",".join(parts) or "-"


def allowed(
    spec: OperatorSpec, sizes: Sizes, scalars: Mapping[str, Any], max_elements: int
) -> bool:
    """Whether the description permits these sizes, and no tensor is larger than the bound."""
    known = known_values(sizes, scalars)
    if not all(constraint.evaluate(known) for constraint in spec.constraints):
        return False
    for tensor in (*spec.inputs.values(), *spec.outputs):
        found = sizes_of(tensor, known)
        if any(size is None or size < 0 for size in found) or elements(found) > max_elements:
            return False
    return True


def has_empty(spec: OperatorSpec, sizes: Sizes, scalars: Mapping[str, Any]) -> bool:
    """Whether a tensor of the call has no elements."""
    known = known_values(sizes, scalars)
    tensors = (*spec.inputs.values(), *spec.outputs)
    return any(elements(sizes_of(tensor, known)) == 0 for tensor in tensors)


def _one_at_a_time(spec: OperatorSpec) -> Iterator[Sizes]:
    dims = spec.dims
    for small in range(2):  # the others at their smallest usual size first, then at a middling one
        for name, dim in dims.items():
            for value in (*dim.typical, *dim.edge):
                yield {n: value if n == name else small_size(d, small) for n, d in dims.items()}


def assignments(spec: OperatorSpec) -> tuple[list[Sizes], bool]:
    """Assignments of declared sizes to dims, whatever the constraints say; True where it is all of them."""
    dims = spec.dims
    values: list[Sequence[Any]] = [(*d.typical, *d.edge) for d in dims.values()]
    complete = math.prod(len(listed) for listed in values) <= _TRIES
    if complete:
        drawn = list(itertools.product(*values))
    else:
        source = random.Random(0)
        drawn = [tuple(source.choice(listed) for listed in values) for _ in range(_TRIES)]
    return [dict(zip(dims, chosen, strict=True)) for chosen in drawn], complete


def _combinations(spec: OperatorSpec) -> Iterator[Sizes]:
    """Draw from the product, the same ones every time; all of it where it is small."""
    drawn, complete = assignments(spec)
    if complete:
        random.Random(0).shuffle(drawn)
    yield from drawn


def _is_roomy(value: Any) -> bool:
    return bool(len(value) >= 2 and min(value) > 1) if isinstance(value, tuple) else value > 1


def small_size(dim: Dim | Shape, rank: int) -> Any:
    """A small size that is neither empty nor 1; ``rank`` 1 asks for the next larger one."""
    if isinstance(dim, Shape):
        shapes = sorted({s for s in (*dim.edge, *dim.typical) if elements(s) > 1}, key=elements)
        return shapes[min(rank, len(shapes) - 1)] if shapes else dim.typical[0]
    sizes = sorted({s for s in (*dim.edge, *dim.typical) if s > 1})
    return sizes[min(rank, len(sizes) - 1)] if sizes else dim.typical[0]
