"""Gradients that are the incoming one itself: which arguments a description says that of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright.errors import SpecError
from opwright.spec.backward import Backward
from opwright.spec.naming import require_known
from opwright.spec.operator import OperatorSpec
from opwright.spec.rules.implementations import check_words


def unchanged_of(spec: OperatorSpec, backwards: Sequence[Backward]) -> dict[str, str]:
    """Argument -> the return whose incoming gradient is the argument's, of all ``backwards``."""
    found: dict[str, str] = {}
    for backward in backwards:
        pairs = _pairs(spec, backward.unchanged)
        require_known(pairs, spec.learning_arguments, f"argument of {spec.name} with a gradient")
        require_known(
            pairs.values(), spec.learning_returns, f"return of {spec.name} with a gradient"
        )
        _check_schema(backward, pairs)
        for argument, returned in pairs.items():
            _check_one(argument, found.setdefault(argument, returned), returned)
    for argument, returned in found.items():
        _check_alike(spec, argument, returned)
    return found


def _pairs(spec: OperatorSpec, given: Mapping[str, str] | Sequence[str] | str) -> dict[str, str]:
    if isinstance(given, Mapping):
        return dict(given)
    names = check_words("unchanged", (given,) if isinstance(given, str) else given)
    returns = spec.learning_returns
    if names and len(returns) > 1:
        raise SpecError(
            f"has unchanged={given!r}, and gradients come in for {', '.join(returns)}",
            hint=f"Say whose it is: unchanged={{{names[0]!r}: {returns[0]!r}}}.",
        )
    return dict.fromkeys(names, returns[0])


def _check_schema(backward: Backward, pairs: Mapping[str, str]) -> None:
    """Only a `Backward` all of whose gradients are unchanged does without."""
    if backward.schema is not None:
        return
    if not pairs:
        raise SpecError(
            "has a Backward with neither a schema nor unchanged=",
            hint='Give it a schema, "f_backward(Tensor grad_output) -> Tensor grad_x" say, and sources=.',
        )
    whole = Backward(unchanged=backward.unchanged)
    if backward != whole:
        raise SpecError(
            "has a Backward without a schema, and with more than unchanged=",
            hint="Give the schema of the kernel that computes the other gradients, or leave the rest out.",
        )


def _check_one(argument: str, first: str, second: str) -> None:
    if first != second:
        raise SpecError(
            f"has {argument!r} in unchanged= twice, of {first!r} and of {second!r}",
            hint="Both together would be a sum: have a kernel return it.",
        )


def _check_alike(spec: OperatorSpec, argument: str, returned: str) -> None:
    outputs = zip(spec.schema.fresh_returns, spec.outputs, strict=True)
    taken = spec.inputs[argument]
    made = next(tensor for item, tensor in outputs if item.name == returned)
    if taken.sizes != made.sizes or spec.dtype_of(taken) != spec.dtype_of(made):
        raise SpecError(
            f"has {argument!r} in unchanged=, and its sizes or dtype are not those of {returned!r}",
            hint="Such a gradient is a sum, or a cast: have a kernel return it.",
        )
