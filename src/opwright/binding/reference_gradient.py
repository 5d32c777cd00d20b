"""Gradients worked out from an operator's reference, by autograd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from opwright.spec.backward import GRAD
from opwright.spec.dtypes import DTYPES
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Argument, Schema
from opwright.spec.sizing import bind_sizes, sizes_of
from opwright.spec.tensor import Tensor


class ReferenceGradient:
    """A function of a backward's arguments, which asks the operator's reference for its gradients.

    What the operator takes and the backward does not, no gradient can depend on: zeros stand in for it.
    ``inputs`` describes the backward's tensors.
    """

    def __init__(self, forward: OperatorSpec, schema: Schema, inputs: Mapping[str, Tensor]) -> None:
        self.forward = forward
        self.schema = schema
        self.inputs = inputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients that the backward's schema returns; differentiable where autograd records."""
        values = {a.name: a.default for a in self.schema.arguments if a.has_default}
        values |= {a.name: v for a, v in zip(self.schema.arguments, args, strict=False)} | kwargs
        create_graph = torch.is_grad_enabled()
        with torch.enable_grad():
            inputs = self._inputs(values)
            leaves = {n: inputs[n] for n in self._wanted if inputs[n] is not None}
            pairs = list(self._pairs(self._results(inputs), values))
            gradients = torch.autograd.grad(
                [result for result, _ in pairs],
                list(leaves.values()),
                [grad for _, grad in pairs],
                create_graph=create_graph,
                materialize_grads=True,
            )
        return self._returned(dict(zip(leaves, gradients, strict=True)), values)

    def in_transforms(self, *args: Any) -> Any:
        """As `__call__`, inside of a transform of torch.func's, where no tensor may ask for a gradient."""
        values = {a.name: v for a, v in zip(self.schema.arguments, args, strict=True)}
        inputs = self._inputs(values, record=False)
        leaves = {n: inputs[n] for n in self._wanted if inputs[n] is not None}
        incoming: list[Any] = []

        def differentiated(*recorded: Any) -> tuple[Any, ...]:
            results = self._results(inputs | dict(zip(leaves, recorded, strict=True)))
            pairs = list(self._pairs(results, values))
            incoming[:] = [grad for _, grad in pairs]
            return tuple(result for result, _ in pairs)

        pull: Any = torch.func.vjp(differentiated, *leaves.values())[1]
        return self._returned(dict(zip(leaves, pull(tuple(incoming)), strict=True)), values)

    def _returned(self, found: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
        """What the schema returns; the gradient of an argument that is absent is zero."""
        made = tuple(
            found[name]
            if name in found
            else self._zeros(self.forward.schema.argument(name), values)
            for name in self._wanted
        )
        return made[0] if len(made) == 1 else made

    @property
    def _wanted(self) -> list[str]:
        return [item.name.removeprefix(GRAD) for item in self.schema.returns]

    def _results(self, inputs: Mapping[str, Any]) -> list[Any]:
        positional, keywords = self.forward.schema.as_call(inputs)
        results = self.forward.reference(*positional, **keywords)
        return list(results) if isinstance(results, (tuple, list)) else [results]

    def _pairs(self, results: list[Any], values: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
        """Each result that has a gradient coming in, and that gradient."""
        for item, result in zip(self.forward.schema.returns, results, strict=True):
            grad = values.get(GRAD + item.name)
            if grad is not None and result.requires_grad:
                yield result, grad.to(result.dtype)

    def _inputs(self, values: Mapping[str, Any], *, record: bool = True) -> dict[str, Any]:
        """The operator's arguments by name; those whose gradient is wanted are recorded."""
        wanted = self._wanted
        inputs: dict[str, Any] = {}
        for argument in self.forward.schema.arguments:
            name = argument.name
            value = values[name] if name in values else self._stand_in(argument, values, wanted)
            inputs[name] = (
                _as_leaf(value) if record and name in wanted and value is not None else value
            )
        return inputs

    def _stand_in(self, argument: Argument, values: Mapping[str, Any], wanted: list[str]) -> Any:
        if not argument.is_tensor or (argument.optional and argument.name not in wanted):
            return argument.default
        return self._zeros(argument, values)

    def _zeros(self, argument: Argument, values: Mapping[str, Any]) -> Any:
        """A tensor of the argument's size and dtype: what it would be is not known, or does not matter."""
        tensors = {n: v for n, v in values.items() if n in self.inputs and v is not None}
        known = bind_sizes(self.inputs, {n: v.shape for n, v in tensors.items()}, values)
        described = self.forward.inputs[argument.name]
        leader = next((v for v in tensors.values() if v.is_floating_point()), None)
        if leader is None:
            given = ", ".join(f"`{name}` as {v.dtype}" for name, v in tensors.items())
            raise TypeError(f"{self.schema.name}: expected a floating-point tensor, got {given}")
        fixed = DTYPES.get(self.forward.dtype_of(described))
        dtype = leader.dtype
        if fixed is not None and fixed.family != "float":
            dtype = getattr(torch, fixed.name)
        return leader.new_zeros(sizes_of(described, known), dtype=dtype)


def _as_leaf(tensor: Any) -> Any:
    """The tensor as a node of its own, so that one that comes twice has two gradients."""
    if tensor.requires_grad:
        return tensor.view_as(tensor)
    return tensor.detach().requires_grad_()
