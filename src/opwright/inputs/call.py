"""A case as a concrete call: arguments by name, and what the reference makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from opwright.errors import ReferenceFailed
from opwright.inputs.layouts import lay_out
from opwright.inputs.values import draw, of_kind
from opwright.running import running_reference
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sizing import known_values, sizes_of


@dataclass(frozen=True)
class Call:
    """Arguments of one call by name: tensors, scalars, None for what is left out."""

    spec: OperatorSpec
    arguments: Mapping[str, Any]

    @property
    def in_order(self) -> list[Any]:
        """All arguments in the schema's order, those by keyword alone as well."""
        return [self.arguments[argument.name] for argument in self.spec.schema.arguments]

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensor arguments that are there."""
        return {n: v for n, v in self.arguments.items() if isinstance(v, torch.Tensor)}

    @property
    def written(self) -> list[str]:
        """Names of the arguments that the schema says are written to."""
        return [
            a.name
            for a in self.spec.schema.tensors
            if a.mutated and self.arguments[a.name] is not None
        ]

    def cloned(self) -> Call:
        """The same values in memory of their own, dense."""
        copies = {
            n: v.clone(memory_format=torch.contiguous_format) if isinstance(v, torch.Tensor) else v
            for n, v in self.arguments.items()
        }
        return Call(self.spec, copies)

    def widened(self) -> Call:
        """The same values in float64 (complex128), for the oracle."""
        copies = {
            n: _wide(v) if isinstance(v, torch.Tensor) else v for n, v in self.arguments.items()
        }
        return Call(self.spec, copies)


def make_call(spec: OperatorSpec, case: Case, place: torch.device | None = None) -> Call:
    """The call that ``case`` describes: the same one every time. ``place`` is the host where it is None.

    Each device draws other values.
    """
    generator = torch.Generator(place or "cpu").manual_seed(case.seed)
    scalars = {a.name: case.scalars.get(a.name, a.default) for a in spec.schema.scalars}
    known = known_values(case.sizes, scalars)
    arguments: dict[str, Any] = {}
    for argument in spec.schema.arguments:
        if not argument.is_tensor:
            arguments[argument.name] = scalars[argument.name]
        elif argument.name in case.absent:
            arguments[argument.name] = None
        else:
            tensor = spec.inputs[argument.name]
            name = spec.dtype_of(tensor)
            dtype = getattr(torch, case.dtypes.get(name, name))
            drawn = draw(sizes_of(tensor, known), dtype, tensor, generator)
            value = of_kind(drawn, case.values, tensor)
            if argument.name in case.layouts:
                value = lay_out(value, case.layouts[argument.name])
            arguments[argument.name] = value
    return Call(spec, arguments)


def results_of(spec: OperatorSpec, function: Callable[..., Any], call: Call) -> list[torch.Tensor]:
    """Call ``function`` and give all that it computed: fresh returns, then the written arguments.

    The written arguments are those of ``call`` itself, changed in place.
    """
    positional, keywords = spec.schema.as_call(call.arguments)
    return [
        *fresh_results(spec, function(*positional, **keywords)),
        *(call.arguments[n] for n in call.written),
    ]


def fresh_results(spec: OperatorSpec, returned: Any) -> list[torch.Tensor]:
    """The fresh tensors among what a call returned, in schema order.

    Where the schema returns nothing, what a reference returns all the same (``c.copy_(a)``) is dropped.
    """
    if not spec.schema.returns:
        return []
    listed: Sequence[Any] = (
        () if returned is None else returned if isinstance(returned, (tuple, list)) else (returned,)
    )
    if len(listed) != len(spec.schema.returns):
        return list(listed)  # a wrong count is the judge's to report
    return [v for v, item in zip(listed, spec.schema.returns, strict=True) if item.alias is None]


def reference_results(spec: OperatorSpec, call: Call, *, wide: bool) -> list[torch.Tensor]:
    """What the reference computes: at the call's dtypes, or as the oracle in float64.

    Raises `ReferenceFailed` where the reference raises.
    """
    own = call.widened() if wide else call.cloned()
    try:
        with torch.no_grad(), running_reference():
            return [tensor.clone() for tensor in results_of(spec, spec.reference, own)]
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        kind = "in float64 " if wide else ""
        raise ReferenceFailed(
            f"{spec.name}: the reference raises {kind}{type(error).__name__}: {error}",
            hint="A reference takes the schema's arguments and returns what the schema returns.",
        ) from error


def unread_arguments(call: Call) -> list[str]:
    """The written arguments that are results alone, as an ``out=`` is: whatever they hold, the reference gives
    the same. Raises as `reference_results`.
    """
    return [name for name in call.written if _is_unread(call, name)]


def _is_unread(call: Call, name: str) -> bool:
    other = call.cloned()
    held = other.arguments[name]
    held.fill_(math.nan if held.is_floating_point() or held.is_complex() else 1)
    results = (reference_results(call.spec, one, wide=False) for one in (call, other))
    return all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.dtype.is_complex:
        return tensor.to(torch.complex128, copy=True).contiguous()
    if tensor.dtype.is_floating_point:
        return tensor.to(torch.float64, copy=True).contiguous()
    return tensor.clone(memory_format=torch.contiguous_format)
