"""Simpler cases than one that fails: fewer elements, dense, the first dtype, plainer values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from opwright.checks.planning.choices import dtype_choices, scalar_choices
from opwright.inputs.values import SIMPLE_VALUES
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import MAX_ELEMENTS, Sizes, allowed, has_empty


def simpler(spec: OperatorSpec, case: Case) -> Iterator[Case]:
    """Cases that differ from ``case`` in one thing, which is simpler; the largest steps first."""
    for sizes in _smaller(spec, case):
        yield replace(case, sizes=sizes)
    for name in case.layouts:
        yield replace(case, layouts={n: layout for n, layout in case.layouts.items() if n != name})
    for name in case.absent:
        yield replace(case, absent=tuple(n for n in case.absent if n != name))
    first = scalar_choices(spec)[0]
    if case.scalars != first:
        yield replace(case, scalars=first)
    dtypes = dtype_choices(spec)
    for simplest in dtypes[: dtypes.index(case.dtypes) if case.dtypes in dtypes else 1]:
        yield replace(case, dtypes=simplest)
    known = [*SIMPLE_VALUES, case.values]
    for values in known[: known.index(case.values)]:
        yield replace(case, values=values)
    if case.seed:
        yield replace(case, seed=0)


def weight(case: Case) -> tuple[Any, ...]:
    """What shrinking makes smaller: elements, then everything else that is out of the ordinary."""
    sizes = sum(_extent(value) for value in case.sizes.values())
    plain = [*SIMPLE_VALUES, "normal"].index(case.values) if case.values in SIMPLE_VALUES else 9
    return (sizes, len(case.layouts), len(case.absent), plain, case.seed)


def _smaller(spec: OperatorSpec, case: Case) -> Iterator[Sizes]:
    """All sizes at once, then each alone, towards 1; an empty tensor stays empty, and no other becomes so."""
    empty = has_empty(spec, case.sizes, case.scalars)
    wanted = [{name: _least(value) for name, value in case.sizes.items()}]
    wanted.append({name: _half(value) for name, value in case.sizes.items()})
    for name, value in case.sizes.items():
        wanted += [{**case.sizes, name: smaller} for smaller in _towards_one(value)]
    for sizes in wanted:
        if sizes == case.sizes or not allowed(spec, sizes, case.scalars, MAX_ELEMENTS):
            continue
        if has_empty(spec, sizes, case.scalars) == empty:
            yield sizes


def _least(value: Any) -> Any:
    return tuple(min(size, 1) for size in value) if isinstance(value, tuple) else min(value, 1)


def _half(value: Any) -> Any:
    return (
        tuple((size + 1) // 2 for size in value) if isinstance(value, tuple) else (value + 1) // 2
    )


def _towards_one(value: Any) -> Iterator[Any]:
    if not isinstance(value, tuple):
        smaller = {1, 2, 3, value // 4, value // 2, value - 1}
        yield from sorted(size for size in smaller if 0 < size < value)
        return
    for place, size in enumerate(value):
        yield (*value[:place], *value[place + 1 :])
        for smaller_size in _towards_one(size):
            yield (*value[:place], smaller_size, *value[place + 1 :])


def _extent(value: Any) -> int:
    return sum(value) + len(value) if isinstance(value, tuple) else value
