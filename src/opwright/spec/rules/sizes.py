"""Rules that concern sizes over the whole description: names, constraints, reduction, operations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from opwright.errors import SpecError
from opwright.spec.dims import Dim, Shape, Size
from opwright.spec.expression import Expression
from opwright.spec.naming import require_known
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Schema
from opwright.spec.tensor import Tensor


def check_constraints(schema: Schema, constraints: object) -> tuple[Expression, ...]:
    """Comparisons over dims and int arguments."""
    listed = (constraints,) if isinstance(constraints, (str, Expression)) else constraints
    if not isinstance(listed, Sequence):
        raise SpecError(f"is {constraints!r}", hint='Give comparisons: ("k <= experts",).')
    checked = tuple(item if isinstance(item, Expression) else Expression(item) for item in listed)
    for item in checked:
        if not item.is_condition:
            raise SpecError(f"{item} is not a comparison", hint="Write one such as 'k <= experts'.")
    return checked


def check_reduction(schema: Schema, reduction: object) -> Expression | None:
    """How many terms the longest sum behind an output element has."""
    return _count(reduction, "Give the number of terms: a Dim, or text such as 'rows * 2'.")


def check_flops(schema: Schema, flops: object) -> Expression | None:
    """How many floating-point operations one call does."""
    return _count(flops, "Give the operations of one call: text such as '2 * rows * columns'.")


def _count(value: object, hint: str) -> Expression | None:
    if value is None:
        return None
    if isinstance(value, (str, int, Dim, Shape, Expression)) and not isinstance(value, bool):
        name = value.name if isinstance(value, Shape) else str(value)
        checked = Expression(name)
        if not checked.is_condition:
            return checked
    raise SpecError(f"is {value!r}", hint=hint)


def check_dims(schema: Schema, spec: OperatorSpec) -> None:
    """Each name means one thing, and has a value in every call that needs it."""
    names = {"T", *(f"T_{argument.name}" for argument in schema.tensors)}
    for argument in schema.arguments:
        if argument.name in names:
            raise SpecError(
                f"{argument.name!r} names a dtype in kernels, and an argument",
                hint="Rename the argument.",
            )
    names |= {argument.name for argument in schema.arguments}
    names |= {item.name for item in schema.fresh_returns}
    for dim in _dims(spec.inputs.values(), spec.outputs):
        if dim.name in names:
            raise SpecError(
                f"{dim.name!r} names a dim, and an argument, a return or a dtype in kernels",
                hint="Rename the dim: the two would mean different things in sizes and in kernels.",
            )
    _one_meaning(spec)


def _one_meaning(spec: OperatorSpec) -> None:
    seen: dict[str, Dim | Shape] = {}
    for dim in _dims(spec.inputs.values(), spec.outputs):
        if seen.setdefault(dim.name, dim) != dim:
            raise SpecError(
                f"two different dims are named {dim.name!r}", hint="Make it once, and use it twice."
            )


def check_input_sizes(schema: Schema, spec: OperatorSpec) -> None:
    """Sizes in ``inputs`` that are worked out from others need those others."""
    for argument in schema.tensors:
        _check_sizes(spec.inputs[argument.name].sizes, known_names(spec))
    _shared_between_optionals(spec)


def check_output_sizes(schema: Schema, spec: OperatorSpec) -> None:
    """Sizes in ``outputs`` come from dims of arguments that are always there, and from ints."""
    known = known_names(spec)
    shapes = [dim.name for dim in _required_dims(spec) if isinstance(dim, Shape)]
    for output in spec.outputs:
        _check_sizes(output.sizes, known)
        plain = [size.name for size in output.sizes if isinstance(size, (Dim, Shape))]
        require_known(plain, [*known, *shapes], "dim of an input that is always there")


def check_names(schema: Schema, expressions: Sequence[Expression], spec: OperatorSpec) -> None:
    """Every name in a constraint or a reduction is a dim or an int argument."""
    for expression in expressions:
        _known_in(expression, known_names(spec))


def check_flops_names(schema: Schema, spec: OperatorSpec) -> None:
    """Every name in ``flops`` is a dim, a shape (its number of elements) or an int argument."""
    if spec.flops is not None:
        shapes = [dim.name for dim in _required_dims(spec) if isinstance(dim, Shape)]
        _known_in(spec.flops, [*known_names(spec), *shapes])


def check_satisfiable(schema: Schema, spec: OperatorSpec) -> None:
    """Some declared sizes and scalars have to keep every constraint."""
    if not spec.constraints:
        return
    from opwright.spec.sampling import assignments  # few descriptions need it

    candidates, complete = assignments(spec)
    if not complete:
        return
    for constraints in (*((item,) for item in spec.constraints), spec.constraints):
        found = any(
            all(item.evaluate({**sizes, **scalars}) for item in constraints)
            for scalars in _scalar_values(spec)
            for sizes in candidates
        )
        if not found:
            text = " and ".join(map(str, constraints))
            raise SpecError(
                f"no declared sizes satisfy {text}",
                hint="Correct it, or declare typical or edge sizes that do.",
            )


def known_names(spec: OperatorSpec) -> list[str]:
    """The names whose value every call has: dims of arguments that are always there, and ints."""
    dims = [dim.name for dim in _required_dims(spec) if isinstance(dim, Dim)]
    ints = [a.name for a in spec.schema.scalars if a.type == "int" and not a.optional]
    return list(dict.fromkeys([*dims, *ints]))


def _required_dims(spec: OperatorSpec) -> list[Dim | Shape]:
    always = [spec.inputs[a.name] for a in spec.schema.required_tensors]
    return list(_dims(always, ()))


def _shared_between_optionals(spec: OperatorSpec) -> None:
    """Two arguments that may both be None cannot be compared by a dim that nobody else has."""
    required = {dim.name for dim in _required_dims(spec)}
    owners: dict[str, str] = {}
    for argument in spec.schema.tensors:
        if argument.optional:
            for dim in _dims([spec.inputs[argument.name]], ()):
                other = owners.setdefault(dim.name, argument.name)
                if other != argument.name and dim.name not in required:
                    raise SpecError(
                        f"only {other!r} and {argument.name!r} have dim {dim.name!r}, and both may "
                        "be None",
                        hint="Use it in an argument that is always there, or give each its own dim.",
                    )


def _check_sizes(sizes: Sequence[Size | Shape], known: list[str]) -> None:
    for size in sizes:
        if isinstance(size, Expression):
            if size.is_condition:
                raise SpecError(f"size {size} is a comparison", hint="Write arithmetic.")
            _known_in(size, known)


def _known_in(expression: Expression, known: list[str]) -> None:
    what = f"dim of an argument that is always there, nor an int argument (in {str(expression)!r})"
    require_known(expression.names, known, what)


def _dims(tensors: Any, more: Sequence[Tensor]) -> Iterator[Dim | Shape]:
    for tensor in (*tensors, *more):
        yield from (size for size in tensor.sizes if isinstance(size, (Dim, Shape)))


def _scalar_values(spec: OperatorSpec) -> list[dict[str, Any]]:
    ints = [a for a in spec.schema.scalars if a.type == "int" and not a.optional]
    values = [spec.scalars[a.name].values if a.name in spec.scalars else (a.default,) for a in ints]
    return [
        {a.name: value for a, value in zip(ints, chosen, strict=True)}
        for chosen in itertools.product(*values)
    ]
