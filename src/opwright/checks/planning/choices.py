"""What the plans of several checks have in common: dtypes, scalars and sizes of cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from opwright.spec.dtypes import DTYPES
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import label


def dtype_choices(spec: OperatorSpec) -> list[dict[str, str]]:
    """Every combination of dtypes by type variable."""
    variables = spec.type_variables
    return [
        {v.name: dtype for v, dtype in zip(variables, combination, strict=True)}
        for combination in itertools.product(*(variable.dtypes for variable in variables))
    ]


def smallest_dtypes(spec: OperatorSpec) -> dict[str, str]:
    """The combination whose elements take the fewest bytes."""
    return min(
        dtype_choices(spec), key=lambda dtypes: sum(DTYPES[n].size_bytes for n in dtypes.values())
    )


def scalar_choices(spec: OperatorSpec) -> list[dict[str, Any]]:
    """Scalars at their first values; then each other value, the rest at their first."""
    first = {a.name: _values(spec, a.name)[0] for a in spec.schema.scalars}
    choices = [first]
    for name in first:
        choices += [{**first, name: value} for value in _values(spec, name)[1:]]
    return choices


def absences(spec: OperatorSpec) -> Iterator[tuple[str, ...]]:
    """With every optional tensor; then without each of them, and without all."""
    optional = tuple(a.name for a in spec.schema.tensors if a.optional)
    yield ()
    if len(optional) > 1:
        yield from ((name,) for name in optional)
    if optional:
        yield optional


def case_name(
    sizes: dict[str, Any],
    dtypes: dict[str, str],
    scalars: dict[str, Any] | None = None,
    absent: tuple[str, ...] = (),
    *more: str,
) -> str:
    """The part of a case's name that says what its inputs are."""
    parts = [label(sizes), *dtypes.values()]
    parts += [f"{name}={value}" for name, value in (scalars or {}).items()]
    parts += [f"without {name}" for name in absent]
    return " ".join([*parts, *more])


def _values(spec: OperatorSpec, name: str) -> tuple[Any, ...]:
    if name in spec.scalars:
        return spec.scalars[name].values
    return (spec.schema.argument(name).default,)
