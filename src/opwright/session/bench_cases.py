"""Which calls are timed: the sizes that a description calls typical, or those in a file."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.errors import UsageError
from opwright.inputs.layouts import OFFSETS
from opwright.spec.case import Case
from opwright.spec.dims import Dim, Shape
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, allowed, has_empty, label, large_size_sets
from opwright.spec.schema import Argument
from opwright.spec.shape_file import DTYPE, OFFSET, Listed, sizes_for

_MOST_ELEMENTS = 1 << 40  # memory says how much is too much
_FALLBACK_ELEMENTS = 1 << 22


class Wanted(NamedTuple):
    """What one entry of the shapes asks for: sizes, scalars that are not at their first values, an offset.

    Its ``dtype`` takes the place of those of all entries.
    """

    sizes: Sizes
    scalars: dict[str, Any]
    offset: int = 0
    dtype: str | None = None

    @property
    def told(self) -> list[str]:
        """What a case's name says of it beside sizes and dtypes."""
        scalars = [f"{name}={value}" for name, value in self.scalars.items()]
        return [*scalars, f"{OFFSET} {self.offset}"] if self.offset else scalars


def bench_cases(
    spec: OperatorSpec,
    shapes: Listed | None = None,
    dtypes: Sequence[str] = (),
    *,
    gradients: bool = False,
) -> list[Case]:
    """Cases of each of ``shapes`` (None: the typical ones) in the first dtypes, or in all of ``dtypes``.

    Scalars have their first values, or those in an entry. With ``gradients`` the names say so: other work is
    then timed. Raises `UsageError` for sizes, scalars or dtypes that are not the operator's.
    """
    first = scalar_choices(spec)[0]
    if shapes is None:
        wanted = [Wanted(sizes, {}) for sizes in typical_sizes(spec, first)]
    else:
        wanted = [_wanted(spec, entry, first) for entry in sizes_for(_names(spec), shapes)]
    how = ["with gradients"] if gradients else []
    cases = [
        Case(
            "bench",
            case_name(each.sizes, chosen, None, (), *each.told, *how),
            chosen,
            each.sizes,
            {**first, **each.scalars},
            _layouts(spec, each.offset),
        )
        for chosen, each in _pairs(spec, dtypes, wanted)
    ]
    return list({case.name: case for case in cases}.values())  # sizes that are listed twice


def _wanted(spec: OperatorSpec, entry: Mapping[str, Any], first: Mapping[str, Any]) -> Wanted:
    """The entry in its parts, each of them the operator's."""
    known = {argument.name: argument for argument in spec.schema.scalars}
    scalars = {n: v for n, v in entry.items() if n in known and n not in spec.dims}
    for name, value in scalars.items():
        _require_scalar(spec, known[name], value)
    sizes = {name: size for name, size in entry.items() if name not in scalars}
    offset = 0 if OFFSET in spec.dims else sizes.pop(OFFSET, 0)
    if not isinstance(offset, int) or (offset and _layout(offset) not in OFFSETS):
        raise UsageError(
            f"{spec.name}: {OFFSET} is {offset!r}",
            hint=f"Give a number of elements from 1 to {len(OFFSETS)}, by which every tensor begins later.",
        )
    dtype = None if DTYPE in spec.dims else sizes.pop(DTYPE, None)
    return Wanted(_fitting(spec, sizes, {**first, **scalars}), scalars, offset, dtype)


def _pairs(
    spec: OperatorSpec, dtypes: Sequence[str], wanted: Sequence[Wanted]
) -> Iterator[tuple[dict[str, str], Wanted]]:
    """Every entry in all dtypes that are asked for; then those that have their own, in these."""
    open_ones = [each for each in wanted if each.dtype is None]
    yield from itertools.product(_chosen_dtypes(spec, dtypes), open_ones)
    for each in wanted:
        if each.dtype is not None:
            yield from itertools.product(_chosen_dtypes(spec, [each.dtype]), [each])


def _layouts(spec: OperatorSpec, offset: int) -> dict[str, str]:
    return {a.name: _layout(offset) for a in spec.schema.tensors} if offset else {}


def _layout(offset: int) -> str:
    return f"{OFFSET} {offset}"


def _require_scalar(spec: OperatorSpec, argument: Argument, value: Any) -> None:
    described = spec.scalars.get(argument.name)
    allowed_values = described is None or value in described.values
    if described is not None and argument.type in ("int", "float") and argument.takes(value):
        low = -math.inf if described.minimum is None else described.minimum
        high = math.inf if described.maximum is None else described.maximum
        allowed_values = value is None or low <= value <= high
    if not argument.takes(value) or not allowed_values:
        raise UsageError(
            f"{spec.name}: {argument.name} cannot be {value!r}",
            hint=f"It is {argument.type}; its description says which values it may have.",
        )


def _names(spec: OperatorSpec) -> list[str]:
    """Its name, and for one that computes gradients that of its forward, which has the same dims."""
    return [spec.name] if spec.forward is None else [spec.name, spec.forward.name]


def typical_sizes(spec: OperatorSpec, scalars: Mapping[str, Any]) -> Iterator[Sizes]:
    """The first typical sizes of all dims, the second, and so on; a dim's last one where it has no more.

    Where the constraints allow none of these, large sizes that they do allow.
    """
    count = max((len(dim.typical) for dim in spec.dims.values()), default=1)
    sets = [
        {name: dim.typical[min(place, len(dim.typical) - 1)] for name, dim in spec.dims.items()}
        for place in range(count)
    ]
    fitting = [sizes for sizes in sets if _fits(spec, sizes, scalars)]
    yield from fitting or large_size_sets(spec, scalars, count=1, max_elements=_FALLBACK_ELEMENTS)


def _fits(spec: OperatorSpec, sizes: Sizes, scalars: Mapping[str, Any]) -> bool:
    return allowed(spec, sizes, scalars, _MOST_ELEMENTS) and not has_empty(spec, sizes, scalars)


def _fitting(spec: OperatorSpec, sizes: Sizes, scalars: Mapping[str, Any]) -> Sizes:
    dims = spec.dims
    if set(sizes) != set(dims):
        raise UsageError(
            f"{spec.name} has the dims {', '.join(dims) or 'none'}, and the shapes name "
            f"{', '.join(sizes) or 'none'}",
            hint=_hint(spec),
        )
    for name, dim in dims.items():
        _require_size(spec, name, sizes[name], several=not isinstance(dim, Dim))
    if not _fits(spec, sizes, scalars):
        raise UsageError(
            f"{spec.name} is not run at {label(sizes)}: a tensor is empty or has more than "
            f"{_MOST_ELEMENTS} elements, or a constraint is not met",
            hint="Choose other sizes; its description has the constraints.",
        )
    return {name: sizes[name] for name in dims}


def _hint(spec: OperatorSpec) -> str:
    """How a file of shapes looks for this operator."""
    first = {
        name: list(dim.typical[0]) if isinstance(dim, Shape) else dim.typical[0]
        for name, dim in spec.dims.items()
    }
    return f"Write a list with an entry a row, each with all dims: [{json.dumps(first)}]."


def _require_size(spec: OperatorSpec, name: str, value: Any, *, several: bool) -> None:
    parts = value if several and isinstance(value, tuple) else (value,)
    right = isinstance(value, tuple) == several and all(
        isinstance(size, int) and not isinstance(size, bool) and size >= 0 for size in parts
    )
    if not right:
        kind = "a list of sizes" if several else "one size"
        raise UsageError(f"{spec.name}: {name} is {kind}, and not {value!r}", hint=_hint(spec))


def _chosen_dtypes(spec: OperatorSpec, wanted: Sequence[str]) -> list[dict[str, str]]:
    choices = dtype_choices(spec)
    if not wanted:
        return choices[:1]
    chosen = [each for each in choices if each and next(iter(each.values())) in wanted]
    known = list(dict.fromkeys(next(iter(each.values())) for each in choices if each))
    if missing := [name for name in wanted if name not in known]:
        raise UsageError(
            f"{spec.name} does not take {', '.join(missing)}",
            hint=f"Its first dtype is one of {', '.join(known) or 'none'}.",
        )
    return chosen
