"""Sizes at which one argument has room for all values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opwright.spec.dims import Dim, Shape, elements
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, allowed, roomy_size_sets
from opwright.spec.sizing import known_values, sizes_of

_ELEMENTS = 1 << 16


def wide_sizes(spec: OperatorSpec, name: str, scalars: Mapping[str, Any]) -> Sizes | None:
    """Sizes at which the argument has about as many elements as there are values; small ones else."""
    sets = roomy_size_sets(spec, scalars, count=1)
    if not sets:
        return None
    known = known_values({}, scalars)
    least = _with_least(spec, name, sets[0], scalars)
    for size in reversed(spec.inputs[name].sizes):
        if not isinstance(size, (Dim, Shape)):
            continue
        value = least[size.name]
        count = elements(sizes_of(spec.inputs[name], {**least, **known}))
        old = value if isinstance(value, int) else next(iter(value), 1)
        wanted = max(1, -(-_ELEMENTS * old // max(count, 1)))
        wide = (wanted, *value[1:]) if isinstance(value, tuple) else wanted
        grown = {**least, size.name: wide}
        if allowed(spec, grown, scalars, 2 * _ELEMENTS):
            return grown
    return sets[0]


def _with_least(spec: OperatorSpec, name: str, sizes: Sizes, scalars: Mapping[str, Any]) -> Sizes:
    """The sizes that the argument does not have at 1, where the description allows that."""
    own = {size.name for size in spec.inputs[name].sizes if isinstance(size, (Dim, Shape))}
    for other, value in sizes.items():
        least: Any = (1,) * len(value) if isinstance(value, tuple) else 1
        if other not in own and allowed(spec, {**sizes, other: least}, scalars, _ELEMENTS):
            sizes = {**sizes, other: least}
    return sizes
