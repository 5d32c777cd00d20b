"""The rows of an operator: the leading size that its outputs share with some of its inputs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from opwright.inputs.call import Call
from opwright.spec.dims import Dim, Shape
from opwright.spec.operator import OperatorSpec
from opwright.spec.tensor import Tensor


@dataclass(frozen=True)
class Rows:
    """``size`` is the name of the leading dim (or shape); ``inputs`` are the arguments that have it."""

    size: str
    inputs: tuple[str, ...]

    def count(self, call: Call) -> int:
        """How many rows a call has."""
        tensors = call.tensors
        first = next(tensors[name] for name in self.inputs if name in tensors)
        return int(first.shape[0]) if first.dim() else 0


def rows_of(spec: OperatorSpec) -> Rows | None:
    """The leading size that all outputs have, if it is the first of each input that has it at all."""
    written = [spec.inputs[a.name] for a in spec.schema.tensors if a.mutated]
    leading = {_leading(tensor) for tensor in (*spec.outputs, *written)}
    if len(leading) != 1 or (name := leading.pop()) is None:
        return None
    having = [a for a in spec.schema.tensors if name in _names(spec.inputs[a.name])]
    if not having or any(_leading(spec.inputs[a.name]) != name for a in having):
        return None
    if any(_names(spec.inputs[a.name]).count(name) > 1 for a in having):
        return None
    if all(argument.optional for argument in having):
        return None
    return Rows(name, tuple(a.name for a in having))


def take_rows(rows: Rows, call: Call, first: int, last: int) -> Call:
    """The same call with some of the rows."""
    taken = {
        name: value[first:last]
        if name in rows.inputs and isinstance(value, torch.Tensor)
        else value
        for name, value in call.arguments.items()
    }
    return Call(call.spec, taken)


def _leading(tensor: Tensor) -> str | None:
    first = tensor.sizes[0] if tensor.sizes else None
    return first.name if isinstance(first, (Dim, Shape)) else None


def _names(tensor: Tensor) -> list[str]:
    """Every name that the sizes mention; an expression may need the size as well."""
    named = [size.name for size in tensor.sizes if isinstance(size, (Dim, Shape))]
    others = [str(size) for size in tensor.sizes if not isinstance(size, (Dim, Shape, int))]
    return [*named, *(word for text in others for word in _words(text))]


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
