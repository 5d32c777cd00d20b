"""What `torch.vmap` makes of a call: one call with a larger `Shape`, or one call for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from opwright.binding.arguments import named
from opwright.spec.operator import OperatorSpec


def batching_rule(spec: OperatorSpec, overload: Callable[..., Any]) -> Callable[..., Any]:
    """A rule for `torch.library.register_vmap`; results have vmap's dimension in front."""

    def rule(info: Any, in_dims: Sequence[int | None], *args: Any, **kwargs: Any) -> Any:
        values = named(spec, args, kwargs)
        dims = {a.name: d for a, d in zip(spec.schema.arguments, in_dims, strict=False)}
        batched = {n: d for n, d in dims.items() if d is not None and values[n] is not None}
        for argument in spec.schema.tensors:
            if argument.mutated and argument.name not in batched:
                raise RuntimeError(
                    f"{spec.name}: argument `{argument.name}`: each sample of vmap would write into it: "
                    "batch it, too"
                )
        if spec.vmap is not None and all(_has_shape(spec, name) for name in batched):
            return _in_one(spec, overload, values, batched, info.batch_size), _fronts(spec)
        if info.batch_size == 0:
            raise RuntimeError(
                f"{spec.name}: vmap over a dimension of size 0, and no Shape of the operator takes it"
            )
        results = [
            _dense_call(
                spec,
                overload,
                {n: v.select(batched[n], i) if n in batched else v for n, v in values.items()},
            )
            for i in range(info.batch_size)
        ]
        if not spec.schema.returns:
            return None, None
        if len(spec.schema.returns) == 1:
            return torch.stack(results), 0
        return tuple(map(torch.stack, zip(*results, strict=True))), _fronts(spec)

    return rule


def _in_one(
    spec: OperatorSpec,
    overload: Callable[..., Any],
    values: dict[str, Any],
    batched: dict[str, int],
    size: int,
) -> Any:
    """One call for all samples."""
    moved = {n: _in_front(spec, n, v, batched.get(n), size) for n, v in values.items()}
    return _dense_call(spec, overload, moved)


def _dense_call(spec: OperatorSpec, overload: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Where the operator takes dense tensors alone, a call on dense copies: vmap's views are not its user's."""
    given = {n: v if _lies_well(spec, n, v) else v.contiguous() for n, v in values.items()}
    positional, keywords = spec.schema.as_call(given)
    results = overload(*positional, **keywords)
    for argument in spec.schema.tensors:
        name = argument.name
        if argument.mutated and given[name] is not values[name]:
            values[name].copy_(given[name])
    return results


def _lies_well(spec: OperatorSpec, name: str, value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or spec.inputs[name].layout != "contiguous":
        return True
    return value.is_contiguous()


def _fronts(spec: OperatorSpec) -> int | tuple[int, ...] | None:
    count = len(spec.schema.returns)
    if count == 0:
        return None
    return 0 if count == 1 else (0,) * count


def _has_shape(spec: OperatorSpec, name: str) -> bool:
    shape = spec.inputs[name].shape
    return shape is not None and shape.name == spec.vmap


def _in_front(spec: OperatorSpec, name: str, value: Any, dim: int | None, size: int) -> Any:
    """The tensor with vmap's dimension in front of its `Shape`: every tensor that has it needs it alike."""
    if not isinstance(value, torch.Tensor) or not _has_shape(spec, name):
        return value
    described = spec.inputs[name]
    assert described.shape is not None
    place = described.sizes.index(described.shape)
    if dim is None:
        sizes = list(value.shape)
        return value.unsqueeze(place).expand(*sizes[:place], size, *sizes[place:])
    return value.movedim(dim, place)
