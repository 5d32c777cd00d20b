"""What an operator returns for tensors without data: sizes, strides and dtypes, also symbolic ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from opwright.binding.arguments import named, refuse_gradients
from opwright.spec.operator import OperatorSpec
from opwright.spec.sizing import bind_sizes, sizes_of
from opwright.spec.tensor import Tensor


def fake_results(spec: OperatorSpec, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The fake kernel: what the schema returns, as `torch.library.register_fake` asks for it."""
    values = named(spec, args, kwargs)
    refuse_gradients(spec, values)
    tensors = {n: v for n, v in values.items() if isinstance(v, torch.Tensor)}
    _check_ranks_and_devices(spec, tensors)
    known = bind_sizes(spec.inputs, {n: t.shape for n, t in tensors.items()}, values)
    if spec.sources:
        _check_sizes(spec, tensors, known)
    leader = tensors[spec.schema.required_tensors[0].name]
    made = iter(
        leader.new_empty(sizes_of(tensor, known), dtype=_dtype(spec, tensor, tensors))
        for tensor in spec.outputs
    )
    written = spec.schema.alias_owners
    results = tuple(
        next(made) if item.alias is None else tensors[written[item.alias]]
        for item in spec.schema.returns
    )
    return results[0] if len(results) == 1 else (results or None)


def _check_ranks_and_devices(spec: OperatorSpec, tensors: Mapping[str, torch.Tensor]) -> None:
    """What would make nonsense of the sizes; the rest of the contract is the real kernel's."""
    always = [argument.name for argument in spec.schema.required_tensors]
    for name in always:
        if name not in tensors:
            raise RuntimeError(f"{spec.name}: argument `{name}`: expected a tensor, got None")
    first = always[0]
    for name, tensor in tensors.items():
        described = spec.inputs[name]
        fixed = len(described.sizes) - (described.shape is not None)
        if tensor.dim() < fixed or (described.shape is None and tensor.dim() != fixed):
            least = "" if described.shape is None else "at least "
            raise RuntimeError(
                f"{spec.name}: argument `{name}`: expected {least}{fixed} dimensions {described}, "
                f"got shape {list(tensor.shape)}"
            )
        if tensor.device != tensors[first].device:
            raise RuntimeError(
                f"{spec.name}: argument `{name}`: expected the device of `{first}` "
                f"({tensors[first].device}), got {tensor.device}"
            )


def _check_sizes(
    spec: OperatorSpec, tensors: Mapping[str, torch.Tensor], known: Mapping[str, Any]
) -> None:
    """What a binding refuses, too, before a compiler meets gradients of other sizes than their arguments.

    Numbers alone are compared: a question about a symbolic size would fix it.
    """
    for name, tensor in tensors.items():
        described = spec.inputs[name]
        expected, given = sizes_of(described, known), list(tensor.shape)
        fixed = all(type(size) is int for size in (*expected, *given))
        if fixed and expected != given:
            raise RuntimeError(
                f"{spec.name}: argument `{name}`: expected shape {expected} {described}, got shape {given}"
            )


def _dtype(spec: OperatorSpec, tensor: Tensor, tensors: Mapping[str, torch.Tensor]) -> torch.dtype:
    name = spec.dtype_of(tensor)
    leader = next((v.leader for v in spec.type_variables if v.name == name), None)
    dtype: torch.dtype = tensors[leader].dtype if leader else getattr(torch, name)
    return dtype
