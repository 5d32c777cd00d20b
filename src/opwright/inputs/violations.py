"""Calls that break a description in one place: what may be wrong with an argument, kind by kind."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from opwright.inputs.call import Call
from opwright.spec.dims import Shape, Size
from opwright.spec.expression import Expression
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Argument
from opwright.spec.sizing import known_values

# One dtype of each family and size, so that bytes of one can be taken for another's.
_FOREIGN = (
    *("float64", "float32", "bfloat16", "float16", "int64", "int32", "int8", "uint8", "bool"),
    "complex64",
)

_LARGEST_TRIED = 16


@dataclass(frozen=True)
class Violation:
    """One way to break one argument. ``detail`` says which of several, in JSON data."""

    argument: str
    kind: str
    detail: Any = None

    def __str__(self) -> str:
        detail = self.detail if isinstance(self.detail, list) else [self.detail]
        return " ".join(
            str(part) for part in (self.argument, self.kind, *detail) if part is not None
        )


def violations(spec: OperatorSpec, dtypes: Mapping[str, str]) -> Iterator[Violation]:
    """Every way in which an argument of ``spec`` can break its description, the dtypes being ``dtypes``."""
    for argument in spec.schema.arguments:
        kinds = (
            _of_tensor(spec, argument, dtypes) if argument.is_tensor else _of_scalar(spec, argument)
        )
        for kind, detail in kinds:
            yield Violation(argument.name, kind, detail)


def forbidden_sizes(
    spec: OperatorSpec, sizes: Mapping[str, Any], scalars: Mapping[str, Any]
) -> Iterator[tuple[Expression, dict[str, Any]]]:
    """For each constraint, sizes near ``sizes`` that break it and no other; one dim differs."""
    for constraint in spec.constraints:
        others = [other for other in spec.constraints if other is not constraint]
        for name, value in itertools.product(constraint.names, range(1, _LARGEST_TRIED + 1)):
            if name not in sizes:
                continue
            tried = {**sizes, name: value}
            known = known_values(tried, scalars)
            if constraint.evaluate(known) is False and all(o.evaluate(known) for o in others):
                yield constraint, tried
                break


def broken_call(call: Call, violation: Violation) -> Call | None:
    """The call with one argument broken; None where its sizes leave no room for that."""
    if violation.kind == "constraint":  # the case's own sizes break it
        return call
    changed = _BREAKS[violation.kind](call, violation)
    return None if changed is None else Call(call.spec, {**call.arguments, **changed})


def _of_scalar(spec: OperatorSpec, argument: Argument) -> Iterator[tuple[str, Any]]:
    scalar = spec.scalars.get(argument.name)
    if scalar is None:
        return
    if argument.type == "str":
        yield "value", "no such choice"
    if scalar.minimum is not None:
        below = int(scalar.minimum) - 1 if argument.type == "int" else scalar.minimum - 1.0
        yield "value", below
    if scalar.maximum is not None:
        yield "value", int(scalar.maximum) + 1 if argument.type == "int" else scalar.maximum + 1.0


def _of_tensor(
    spec: OperatorSpec, argument: Argument, dtypes: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    tensor = spec.inputs[argument.name]
    for dtype in _foreign_dtypes(spec, argument, dtypes):
        yield "dtype", dtype
    yield "rank", "one more"
    if len(tensor.sizes) - (tensor.shape is not None) > 0:
        yield "rank", "one less"
    for position, size in enumerate(tensor.sizes):
        if _is_bound(spec, argument, position, size):
            yield "size", [position, "one more"]
            yield "size", [position, "one less"]
            if not isinstance(size, Shape):
                yield "size", [position, "only one"]
    if len(spec.inputs) > 1:
        yield "device", "meta"
    if not argument.optional:
        yield "None", None
    if argument.mutated:
        yield "overlap", "with itself"
        for other in spec.schema.tensors:
            if other is not argument:
                yield "overlap", f"with {other.name}"


def _foreign_dtypes(
    spec: OperatorSpec, argument: Argument, dtypes: Mapping[str, str]
) -> Iterator[str]:
    name = spec.dtype_of(spec.inputs[argument.name])
    declared = next((v.dtypes for v in spec.type_variables if v.name == name), (name,))
    shared = sum(spec.dtype_of(tensor) == name for tensor in spec.inputs.values()) > 1
    for dtype in _FOREIGN:
        if dtype not in declared or (shared and dtype != dtypes.get(name, name)):
            yield dtype


def _is_bound(spec: OperatorSpec, argument: Argument, position: int, size: Size | Shape) -> bool:
    """Whether the rest of the call decides this size; a dim that stands nowhere else is whatever comes."""
    if isinstance(size, (int, Expression)):
        return True
    others = [
        other
        for name, tensor in spec.inputs.items()
        for place, other in enumerate(tensor.sizes)
        if (name, place) != (argument.name, position)
    ]
    return any(
        size.name in other.names if isinstance(other, Expression) else size == other
        for other in others
    )


def _break_dtype(call: Call, violation: Violation) -> dict[str, Any]:
    value, dtype = call.arguments[violation.argument], getattr(torch, violation.detail)
    if value.is_complex() and not dtype.is_complex:
        value = value.real
    return {violation.argument: value.to(dtype)}


def _break_rank(call: Call, violation: Violation) -> dict[str, Any] | None:
    value, tensor = call.arguments[violation.argument], call.spec.inputs[violation.argument]
    if violation.detail == "one more":
        # In front of a Shape one more dimension is allowed; behind the last one it never is.
        return {violation.argument: value.unsqueeze(-1)}
    fewest = len(tensor.sizes) - (tensor.shape is not None)
    if not value.numel():
        return None
    return {violation.argument: value.reshape(-1)[:1].reshape((1,) * (fewest - 1))}


def _break_size(call: Call, violation: Violation) -> dict[str, Any] | None:
    value = call.arguments[violation.argument]
    described, change = violation.detail
    sizes, position = list(value.shape), _position(call, violation.argument, described)
    if position is None:
        return None
    before = sizes[position]
    sizes[position] = {"one more": before + 1, "one less": before - 1, "only one": 1}[change]
    if sizes[position] < 1 or sizes[position] == before:
        return None
    return {violation.argument: _resized(value, position, sizes[position])}


def _position(call: Call, name: str, described: int) -> int | None:
    """Where the described size stands in the tensor, or None where the tensor has no such dimension."""
    tensor = call.spec.inputs[name]
    rank: int = call.arguments[name].dim()
    shape = tensor.shape
    if shape is None or described < tensor.sizes.index(shape):
        return described
    if tensor.sizes[described] is shape:
        return described if rank >= len(tensor.sizes) else None
    return rank - (len(tensor.sizes) - described)


def _resized(value: torch.Tensor, position: int, size: int) -> torch.Tensor:
    """The same elements, cut off or repeated from the front along one dimension."""
    index = torch.arange(size) % max(1, value.shape[position])
    if value.shape[position] == 0:
        return value.new_ones([*value.shape[:position], size, *value.shape[position + 1 :]])
    return value.index_select(position, index)


def _break_device(call: Call, violation: Violation) -> dict[str, Any]:
    return {violation.argument: call.arguments[violation.argument].to(violation.detail)}


def _break_none(call: Call, violation: Violation) -> dict[str, Any]:
    return {violation.argument: None}


def _break_overlap(call: Call, violation: Violation) -> dict[str, Any] | None:
    value = call.arguments[violation.argument]
    if violation.detail == "with itself":
        if value.dim() == 0 or value.shape[0] < 2:
            return None
        return {violation.argument: value[:1].clone().expand(value.shape)}
    name = violation.detail.removeprefix("with ")
    other = call.arguments[name]
    if other is None or other.dtype != value.dtype or min(value.numel(), other.numel()) < 2:
        return None
    # The other one begins one element later in the same memory.
    storage = torch.cat([value.reshape(-1)[:1], other.reshape(-1), value.reshape(-1)])
    return {
        violation.argument: storage[: value.numel()].view(value.shape),
        name: storage[1 : 1 + other.numel()].view(other.shape),
    }


def _break_value(call: Call, violation: Violation) -> dict[str, Any]:
    return {violation.argument: violation.detail}


_BREAKS: dict[str, Callable[[Call, Violation], dict[str, Any] | None]] = {
    "dtype": _break_dtype,
    "rank": _break_rank,
    "size": _break_size,
    "device": _break_device,
    "None": _break_none,
    "overlap": _break_overlap,
    "value": _break_value,
}
