"""The field that says how gradients come about: each `Backward` with a schema becomes an operator of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opwright.errors import SpecError
from opwright.frozen import replace
from opwright.spec.backward import GRAD, Backward
from opwright.spec.dims import Shape
from opwright.spec.naming import require_known
from opwright.spec.operator import OWN, REFERENCE, OperatorSpec
from opwright.spec.rules.implementations import (
    check_function,
    check_sources,
    check_words,
    one_implementation,
)
from opwright.spec.rules.sizes import (
    check_flops,
    check_flops_names,
    check_names,
    check_output_sizes,
    check_reduction,
    known_names,
)
from opwright.spec.rules.tensors import check_tolerance
from opwright.spec.rules.unchanged import unchanged_of
from opwright.spec.schema import Argument, Schema, parse_schema
from opwright.spec.tensor import Scalar, Tensor
from opwright.spec.tolerance import Tolerance

GradientOf = Callable[[OperatorSpec, Schema, Mapping[str, Tensor]], Callable[..., Any]]

_EXAMPLE = (
    'Give Backward("f_backward(Tensor grad_output, Tensor x) -> Tensor grad_x", sources={...}), '
    f"{REFERENCE!r} (autograd of the reference), {OWN!r} (the function records its own), or None."
)


def check_backward(
    schema: Schema, backward: object, spec: OperatorSpec, gradient_of: GradientOf
) -> OperatorSpec:
    """``spec`` with what it says of gradients: an operator for each `Backward` with a schema, in that order.

    ``gradient_of`` works out a backward's reference from the operator, its schema and its inputs.
    """
    if backward is None:
        return spec
    if any(argument.mutated for argument in schema.tensors):
        raise SpecError(
            "is given for an operator that writes into its arguments",
            hint="Return a fresh tensor, or leave gradients out: such an operator refuses them.",
        )
    if backward == OWN:
        if spec.sources:
            raise SpecError(
                f"is {OWN!r}, and a kernel records nothing",
                hint="That is for a function or an extension that does. " + _EXAMPLE,
            )
        return replace(spec, backward=OWN)
    if not spec.learning_arguments:
        raise SpecError("is given, and no argument can have a gradient", hint="Leave it out.")
    if not spec.learning_returns:
        raise SpecError("is given, and no return can have a gradient", hint="Leave it out.")
    if backward == REFERENCE:
        return replace(spec, backward=(_of_reference(spec, gradient_of),))
    listed = (backward,) if isinstance(backward, Backward) else backward
    if (
        not isinstance(listed, Sequence)
        or not listed
        or not all(isinstance(item, Backward) for item in listed)
    ):
        raise SpecError(f"is {backward!r}", hint=_EXAMPLE)
    unchanged = unchanged_of(spec, listed)
    made = tuple(_derived(spec, item, gradient_of) for item in listed if item.schema is not None)
    _check_distinct([spec, *(one for backward in made for one in backward.family)])
    for name in spec.learning_arguments:
        _check_given(name, unchanged, made)
    return replace(spec, backward=made, unchanged=unchanged)


def _check_given(name: str, unchanged: Mapping[str, str], made: Sequence[OperatorSpec]) -> None:
    """Refuse an argument whose gradient nobody gives, or both a kernel and ``unchanged``."""
    giving = [one.name for one in made if GRAD + name in _returned(one)]
    if not giving and name not in unchanged:
        raise SpecError(
            f"gives no gradient of {name!r}",
            hint=f"Return Tensor {GRAD}{name} from one of them, or name it in unchanged= where it is the incoming "
            "one itself: a gradient is never lost silently.",
        )
    if giving and name in unchanged:
        raise SpecError(
            f"has {name!r} in unchanged=, and {giving[0]} returns its gradient",
            hint=f"Take {GRAD}{name} out of the schema, or the name out of unchanged=.",
        )


def _check_distinct(specs: Sequence[OperatorSpec]) -> None:
    """The dispatcher and the file know an operator by its name: of two, one would never be checked."""
    names = [one.name for one in specs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SpecError(
            f"names {twice!r} twice: the operator and what computes its gradients have a name each",
            hint="Give each Backward a name of its own; double_backward adds '_backward' to it.",
        )


def _returned(spec: OperatorSpec) -> list[str]:
    return [item.name for item in spec.schema.returns]


def _of_reference(spec: OperatorSpec, gradient_of: GradientOf) -> OperatorSpec:
    """The backward that asks the reference: it takes all that the operator takes."""
    incoming = [f"Tensor {GRAD}{name}" for name in spec.learning_returns]
    own = [_declared(argument) for argument in spec.schema.arguments]
    returned = [f"Tensor {GRAD}{name}" for name in spec.learning_arguments]
    text = f"{spec.name}_backward({', '.join([*incoming, *own])}) -> ({', '.join(returned)})"
    return _derived(spec, Backward(text, double_backward=REFERENCE), gradient_of, by_reference=True)


def _declared(argument: Argument) -> str:
    return f"{argument.type}{'?' if argument.optional else ''} {argument.name}"


def _derived(
    spec: OperatorSpec, backward: Backward, gradient_of: GradientOf, *, by_reference: bool = False
) -> OperatorSpec:
    """The operator that a `Backward` describes: sizes, dtypes and reference follow from ``spec``'s."""
    schema = parse_schema(backward.schema)
    inputs = {argument.name: _input(spec, argument) for argument in schema.tensors}
    _check_saved(schema, backward)
    _check_scalars(spec, schema, backward)
    reference = backward.reference or gradient_of(spec, schema, inputs)
    if backward.double_backward not in (None, REFERENCE):
        raise SpecError(
            f"{schema.name}: double_backward is {backward.double_backward!r}",
            hint=f"Give {REFERENCE!r}, or leave it out: a second derivative raises then.",
        )
    made = OperatorSpec(
        schema=schema,
        namespace=schema.namespace or spec.namespace,
        inputs=inputs,
        outputs=tuple(_output(spec, inputs, item.name) for item in schema.returns),
        dtypes=spec.dtypes,
        reference=reference,
        location=spec.location,
        sources=check_sources(schema, backward.sources),
        function=reference if by_reference else check_function(schema, backward.function),
        scalars={a.name: _scalar(spec, a) for a in schema.scalars},
        tolerance=check_tolerance(schema, backward.tolerance) or _own_tolerance(spec),
        include_dirs=check_words("include_dirs", backward.include_dirs),
        compile_flags=check_words("compile_flags", backward.compile_flags),
        reduction=check_reduction(schema, backward.reduction),
        flops=check_flops(schema, backward.flops),
        forward=spec,
        derived_reference=backward.reference is None,
    )
    one_implementation(schema, made)
    check_output_sizes(schema, made)
    check_names(schema, [made.reduction] if made.reduction else [], made)
    check_flops_names(schema, made)
    kept = [item for item in spec.constraints if set(item.names) <= set(known_names(made))]
    made = replace(made, constraints=tuple(kept), vmap=_vmap(spec, made))
    if by_reference:
        return replace(made, backward=OWN)
    return (
        made
        if backward.double_backward is None
        else replace(made, backward=(_of_reference(made, gradient_of),))
    )


def _own_tolerance(spec: OperatorSpec) -> dict[str, Tolerance]:
    """In float64 a formula is its own oracle: what it loses where it cancels is no kernel's error.

    Derivatives cancel (``1 - t * t``), those of autograd and those that a user writes down.
    """
    if "float64" not in spec.dtypes:
        return {}
    return {"float64": Tolerance(rtol=1e-12, atol=1e-12)}


def _input(spec: OperatorSpec, argument: Argument) -> Tensor:
    """A tensor that the backward takes: as the operator has it; gradients come in any layout."""
    returns = {r.name: t for r, t in zip(spec.schema.fresh_returns, spec.outputs, strict=True)}
    own = {item.name: spec.inputs[item.name] for item in spec.schema.tensors}
    name, comes_in = argument.name.removeprefix(GRAD), False
    if argument.name in own or argument.name in returns:
        name, known = argument.name, own | returns
    elif argument.name.startswith(GRAD):
        comes_in = True
        known = {n: t for n, t in returns.items() if spec.can_have_gradient(t)}
        require_known([name], known, f"return of {spec.name} with a gradient")
    else:
        known = own | returns
    require_known([name], known, f"tensor of {spec.name}")
    tensor = known[name]
    dtype = tensor.dtype
    if isinstance(dtype, str) and dtype.startswith("like:"):
        dtype = spec.inputs[dtype.removeprefix("like:")].dtype
    layout = "copy" if comes_in or tensor.layout == "contiguous" else tensor.layout
    return Tensor(*tensor.sizes, dtype=dtype, layout=layout, range=tensor.range)


def _output(spec: OperatorSpec, inputs: dict[str, Tensor], returned: str) -> Tensor:
    """A gradient: sizes and dtype of what it is the gradient of."""
    name = returned.removeprefix(GRAD)
    if not returned.startswith(GRAD):
        raise SpecError(f"returns {returned!r}", hint=f"Call gradients {GRAD}<argument>.")
    require_known([name], spec.learning_arguments, f"argument of {spec.name} with a gradient")
    tensor = spec.inputs[name]
    dtype: Any = tensor.dtype
    if isinstance(dtype, tuple):
        if name not in inputs:
            raise SpecError(
                f"returns {returned!r}, and {name!r} has a set of dtypes of its own",
                hint=f"Save {name!r}: its dtype is the gradient's.",
            )
        dtype = f"like:{name}"
    return Tensor(*tensor.sizes, dtype=dtype)


def _vmap(spec: OperatorSpec, made: OperatorSpec) -> str | None:
    """The operator's Shape for vmap, where all gradients begin with it."""
    firsts = [tensor.sizes[0] if tensor.sizes else None for tensor in made.outputs]
    is_first = [isinstance(first, Shape) and first.name == spec.vmap for first in firsts]
    return spec.vmap if all(is_first) else None


def _scalar(spec: OperatorSpec, argument: Argument) -> Scalar:
    own = spec.schema.argument(argument.name)
    return spec.scalars.get(argument.name) or Scalar(own.default)


def _check_saved(schema: Schema, backward: Backward) -> None:
    """``saved=`` repeats which tensors beside gradients the schema takes."""
    if backward.saved is None:
        return
    saved = (backward.saved,) if isinstance(backward.saved, str) else backward.saved
    listed = check_words("saved", saved)
    taken = [a.name for a in schema.tensors if not a.name.startswith(GRAD)]
    if sorted(listed) != sorted(taken):
        raise SpecError(
            f"{schema.name}: saved is {listed!r}, and the schema takes {tuple(taken)!r}",
            hint="Name in saved= what the schema takes beside gradients, or leave it out.",
        )


def _check_scalars(spec: OperatorSpec, schema: Schema, backward: Backward) -> None:
    """Scalars are the operator's; a gradient by autograd depends on all of them."""
    known = {argument.name: argument for argument in spec.schema.scalars}
    require_known([a.name for a in schema.scalars], known, f"scalar of {spec.name}")
    for argument in schema.scalars:
        if (argument.type, argument.optional) != (
            known[argument.name].type,
            known[argument.name].optional,
        ):
            raise SpecError(
                f"{schema.name}: {argument.name!r} is {_declared(argument)!r}",
                hint=f"Write it as the operator does: {_declared(known[argument.name])!r}.",
            )
    missing = [name for name in known if name not in {a.name for a in schema.scalars}]
    if missing and backward.reference is None:
        raise SpecError(
            f"{schema.name} does not take {missing[0]!r}, on which the gradient may depend",
            hint=f"Add {_declared(known[missing[0]])!r} to its schema, or give a reference= of its own.",
        )
