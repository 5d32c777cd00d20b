"""What gradients that a description states are asked beside the others: what kernels are, as operators."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from opwright.checks.learning.gradient_case import gradient_case
from opwright.checks.learning.incoming import DENSE
from opwright.checks.learning.places import rich_sizes
from opwright.checks.learning.varied import VALUES
from opwright.checks.planning.choices import dtype_choices, scalar_choices
from opwright.inputs.call import make_call
from opwright.inputs.layouts import LAYOUTS, OFFSETS, can_lay_out, is_covered, lay_out
from opwright.spec.case import Case
from opwright.spec.formats import float_format
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import (
    MAX_ELEMENTS,
    Sizes,
    large_size_sets,
    largest,
    roomy_size_sets,
    size_sets,
)
from opwright.spec.sizing import known_values, sizes_of
from opwright.spec.undeclared import sizes_past_a_million, undeclared_scalars

BESIDE_ANOTHER = "another call alive"
RESULTS_CHANGED = "results changed afterwards"
ONE_TWICE = "one tensor twice"

_MIDDLING_ELEMENTS, _LARGE_ELEMENTS = 1 << 13, 1 << 20
_UNDEFINED_SIZES = 3
# As of a mean over many, of a sum, and of a loss that is scaled: by 65,536, where users begin.
_TIMES = (2.0**-20, 2.0**10, 2.0**17)
_LARGEST_DRAWN = 8.0
_LAYOUTS = [layout for layout in LAYOUTS if layout not in OFFSETS] + ["offset 1"]


def own_cases(spec: OperatorSpec, several: Sequence[str]) -> Iterator[Case]:
    """Sizes, scalars, layouts and values of arguments, magnitudes of gradients, and what calls share.

    ``several`` are names of results, of which just one is used.
    """
    first, dtypes = scalar_choices(spec)[0], dtype_choices(spec)
    yield from _sizes(spec, first)
    for name, value in undeclared_scalars(spec):
        for sizes in size_sets(spec, {**first, name: value}, count=1):
            yield gradient_case(sizes, dtypes[0], {**first, name: value}, DENSE, unlisted=True)
    for sizes in rich_sizes(spec, first):
        for layout in _LAYOUTS:
            if layouts := _laid_out(spec, sizes, first, layout):
                yield gradient_case(sizes, dtypes[0], first, DENSE, layouts=layouts)
        yield from _kept(spec, sizes, first)
    for sizes, chosen in itertools.product(roomy_size_sets(spec, first, count=1), dtypes):
        for values in VALUES:
            yield gradient_case(sizes, chosen, first, DENSE, values=values, unlisted=True)
        for times in _held(chosen):
            yield gradient_case(sizes, chosen, first, DENSE, times=times)
    yield from _at_a_larger_size(spec, first)
    for sizes in size_sets(spec, first, count=_UNDEFINED_SIZES):
        for chosen, name in itertools.product(dtypes, several):
            yield gradient_case(sizes, chosen, first, "undefined", undefined=name)


def _sizes(spec: OperatorSpec, scalars: dict[str, Any]) -> Iterator[Case]:
    """Each typical and edge size in one dtype or two; one past what other cases have, in the first."""
    dtypes = dtype_choices(spec)
    listed = sum(len(dim.typical) + len(dim.edge) for dim in spec.dims.values())
    further = itertools.cycle(dtypes)
    for sizes in size_sets(spec, scalars, count=listed):
        for chosen in {str(d): d for d in (dtypes[0], next(further))}.values():
            yield gradient_case(sizes, chosen, scalars, DENSE)
    for sizes in size_sets(spec, scalars, count=listed, empty=True):
        yield gradient_case(sizes, dtypes[0], scalars, DENSE)
    large = large_size_sets(spec, scalars, count=1, max_elements=_LARGE_ELEMENTS)
    if large and largest(spec, large[0], scalars) > MAX_ELEMENTS:
        yield gradient_case(large[0], dtypes[0], scalars, DENSE)
    elif (past := sizes_past_a_million(spec, scalars)) is not None:
        yield gradient_case(past, dtypes[0], scalars, DENSE, unlisted=True)


def _at_a_larger_size(spec: OperatorSpec, scalars: dict[str, Any]) -> Iterator[Case]:
    """Each argument's gradient while no other needs one, as beside frozen weights; second derivatives."""
    names, dtypes = [a.name for a in spec.schema.tensors], dtype_choices(spec)[0]
    for sizes in large_size_sets(spec, scalars, count=1, max_elements=_MIDDLING_ELEMENTS):
        for name in names if len(names) > 1 else ():
            yield gradient_case(sizes, dtypes, scalars, DENSE, asked=(name,))
        yield gradient_case(sizes, dtypes, scalars, "double backward")


def _held(dtypes: dict[str, str]) -> list[float]:
    """The magnitudes of gradients in which each dtype can hold them."""
    most = min((f.max for d in dtypes.values() if (f := float_format(d))), default=math.inf)
    return [times for times in _TIMES if times * _LARGEST_DRAWN <= most]


def _laid_out(
    spec: OperatorSpec, sizes: Sizes, scalars: dict[str, Any], layout: str
) -> dict[str, str]:
    """The arguments that can lie so, and that the description promises to take so."""
    known = known_values(sizes, scalars)
    taking = [
        a.name
        for a in spec.schema.tensors
        if not a.mutated and can_lay_out(sizes_of(spec.inputs[a.name], known), layout)
    ]
    call = make_call(spec, gradient_case(sizes, dtype_choices(spec)[0], scalars, DENSE))
    return {
        name: layout
        for name in taking
        if is_covered(spec.inputs[name], lay_out(call.tensors[name], layout))
    }


def _kept(spec: OperatorSpec, sizes: Sizes, scalars: dict[str, Any]) -> Iterator[Case]:
    dtypes = dtype_choices(spec)[0]
    yield gradient_case(sizes, dtypes, scalars, BESIDE_ANOTHER)
    for other in scalar_choices(spec)[1:]:
        if size_sets(spec, other, count=1):
            changed = {name: value for name, value in other.items() if value != scalars[name]}
            yield gradient_case(sizes, dtypes, scalars, BESIDE_ANOTHER, other=changed)
    yield gradient_case(sizes, dtypes, scalars, RESULTS_CHANGED)
    known = known_values(sizes, scalars)
    for one, two in itertools.combinations(spec.schema.tensors, 2):
        first, second = spec.inputs[one.name], spec.inputs[two.name]
        alike = sizes_of(first, known) == sizes_of(second, known) and first.range == second.range
        same = spec.dtype_of(first) == spec.dtype_of(second) and not (one.mutated or two.mutated)
        if alike and same and spec.can_have_gradient(first):
            yield gradient_case(sizes, dtypes, scalars, ONE_TWICE, twice=(one.name, two.name))
