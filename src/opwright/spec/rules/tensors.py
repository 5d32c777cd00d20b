"""Fields that describe tensors: inputs, outputs, dtypes, and how exact outputs have to be."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from opwright.errors import SpecError
from opwright.spec.dtypes import check_dtype, check_dtype_set
from opwright.spec.naming import require_known, require_same
from opwright.spec.schema import Schema
from opwright.spec.tensor import Tensor

if TYPE_CHECKING:
    from opwright.spec.tolerance import Tolerance


def check_inputs(schema: Schema, inputs: object) -> dict[str, Tensor]:
    """One `Tensor` for each tensor argument, in the schema's order."""
    if not isinstance(inputs, Mapping):
        raise SpecError(
            f"is {inputs!r}", hint='Give {"argument": Tensor(...)} for each tensor argument.'
        )
    if not schema.required_tensors:
        raise SpecError(
            "needs a tensor argument that is always there",
            hint="Its device decides where the operator runs: make one a plain Tensor.",
        )
    wanted = [argument.name for argument in schema.tensors]
    require_same(inputs, wanted, "tensor argument")
    for name, tensor in inputs.items():
        _check_input(schema, name, tensor)
    # A description may use one Tensor twice; a dtype set of its own belongs to one argument.
    return {name: copy.copy(inputs[name]) for name in wanted}


def _check_input(schema: Schema, name: str, tensor: object) -> None:
    if not isinstance(tensor, Tensor):
        raise SpecError(f"{name!r} is {tensor!r}, not a Tensor", hint="Write Tensor(rows, hidden).")
    argument = schema.argument(name)
    if isinstance(tensor.dtype, str) and tensor.dtype.startswith("like:"):
        raise SpecError(f"{name!r} has dtype {tensor.dtype!r}", hint="'like:' is for outputs.")
    if isinstance(tensor.dtype, tuple) and argument.optional:
        raise SpecError(
            f"{name!r} may be None and has a set of dtypes",
            hint="Give it one dtype, or the operator's own: a kernel is chosen by what is there.",
        )
    if argument.mutated and tensor.layout == "copy":
        raise SpecError(
            f"{name!r} is written to and has layout 'copy'",
            hint="A copy would swallow what is written: use 'contiguous' or 'strided'.",
        )


def check_outputs(
    schema: Schema, outputs: object, inputs: Mapping[str, Tensor]
) -> tuple[Tensor, ...]:
    """One `Tensor` for each fresh return; by default like the first tensor that is always there."""
    fresh = schema.fresh_returns
    if outputs is None:
        name = schema.required_tensors[0].name
        first = inputs[name]
        like = None if first.dtype is None else f"like:{name}"
        return tuple(Tensor(*first.sizes, dtype=like, range=None) for _ in fresh)
    listed = (outputs,) if isinstance(outputs, Tensor) else outputs
    if isinstance(listed, Mapping):
        require_same(listed, [item.name for item in fresh], "output")
        listed = tuple(listed[item.name] for item in fresh)
    if not isinstance(listed, Sequence) or not all(isinstance(item, Tensor) for item in listed):
        raise SpecError(
            f"is {outputs!r}", hint="Give one Tensor(...) for each fresh return, in order."
        )
    if len(listed) != len(fresh):
        raise SpecError(
            f"describes {len(listed)} outputs, the schema returns {len(fresh)} fresh tensors",
            hint="Returned Tensor(a!) are the argument itself and are not described.",
        )
    for item in listed:
        _check_output(schema, item)
    return tuple(listed)


def _check_output(schema: Schema, output: Tensor) -> None:
    if isinstance(output.dtype, tuple):
        raise SpecError("an output has a set of dtypes", hint="Use one dtype, or 'like:ARGUMENT'.")
    if output.layout != "contiguous":
        raise SpecError(
            f"an output has layout {output.layout!r}", hint="Outputs are made dense: leave it out."
        )
    if isinstance(output.dtype, str) and output.dtype.startswith("like:"):
        always = [argument.name for argument in schema.required_tensors]
        name = output.dtype.removeprefix("like:")
        require_known([name], always, f"tensor argument that is always there ({output.dtype!r})")


def check_dtypes(
    schema: Schema, dtypes: object, inputs: Mapping[str, Tensor], outputs: Sequence[Tensor]
) -> tuple[str, ...]:
    """The operator's own dtypes: those of every tensor without a dtype of its own."""
    leaders = [a.name for a in schema.tensors if inputs[a.name].dtype is None]
    used = bool(leaders) or any(output.dtype is None for output in outputs)
    if dtypes is None:
        if used:
            raise SpecError("is missing", hint='Name at least one dtype, such as ("float32",).')
        return ()
    if not used:
        raise SpecError("speaks of no tensor: each has a dtype of its own", hint="Leave it out.")
    if all(schema.argument(name).optional for name in leaders):
        raise SpecError(
            "no argument decides it: a tensor that is always there has to have the operator's dtype",
            hint="Give the outputs and the optional arguments dtypes of their own.",
        )
    listed = (dtypes,) if isinstance(dtypes, str) else dtypes
    if not isinstance(listed, Sequence):
        raise SpecError(f"is {dtypes!r}", hint='Name dtypes, such as ("float32", "bfloat16").')
    return check_dtype_set(listed, "it")


def check_tolerance(schema: Schema, tolerance: object) -> dict[str, Tolerance]:
    """What is allowed beside the default rule, by dtype; ``"*"`` for all of them."""
    if tolerance is None:
        return {}
    from opwright.spec.tolerance import Tolerance  # most descriptions need none

    if isinstance(tolerance, Tolerance):
        return {"*": tolerance}
    if isinstance(tolerance, Mapping):
        values = {check_dtype(name): value for name, value in tolerance.items()}
        if all(isinstance(value, Tolerance) for value in values.values()):
            return values
    raise SpecError(f"is {tolerance!r}", hint='Give a Tolerance, or {"float32": Tolerance(...)}.')
