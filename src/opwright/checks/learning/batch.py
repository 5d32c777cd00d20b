"""Several calls of one operator as one batch: what `torch.vmap` is given, and what a loop gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from opwright.inputs.call import Call, make_call, results_of
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

Function = Callable[..., Any]
Dims = dict[str, int]


@dataclass(frozen=True)
class Batch:
    """``samples`` differ in the arguments that ``dims`` names, and each of these is stacked there."""

    spec: OperatorSpec
    samples: tuple[Call, ...]
    dims: Dims

    def on(self, device: torch.device) -> Batch:
        """The same samples with their tensors on a device."""
        moved = (
            _with(call, {name: tensor.to(device) for name, tensor in call.tensors.items()})
            for call in self.samples
        )
        return replace(self, samples=tuple(moved))

    @property
    def names(self) -> list[str]:
        """The tensor arguments that are there, in order."""
        return list(self.samples[0].tensors)

    @property
    def in_dims(self) -> tuple[int | None, ...]:
        """What `torch.vmap` is told, for the tensors alone."""
        return tuple(self.dims.get(name) for name in self.names)

    def stacked(self) -> list[torch.Tensor]:
        """The tensors as `torch.vmap` takes them, in memory of their own."""
        return [
            torch.stack([call.tensors[name] for call in self.samples], self.dims[name])
            if name in self.dims
            else self.samples[0].tensors[name].clone()
            for name in self.names
        ]

    def looped(self, function: Function) -> list[torch.Tensor]:
        """What ``function`` gives sample by sample, stacked in front."""
        with torch.no_grad():
            each = [results_of(self.spec, function, call.cloned()) for call in self.samples]
        return stacked(each)

    def on_tensors(self, function: Function) -> Function:
        """``function`` of the tensors alone; it gives fresh results and written arguments."""
        call, names = self.samples[0], self.names

        def called(*tensors: Any) -> tuple[Any, ...]:
            given = dict(zip(names, tensors, strict=True))
            return tuple(results_of(self.spec, function, _with(call, given)))

        return called


def batch_of(spec: OperatorSpec, case: Case, dims: Dims, size: int) -> Batch:
    """``size`` samples of a case; what ``dims`` does not name is the same in all of them."""
    drawn = [make_call(spec, replace(case, seed=case.seed + number)) for number in range(size)]
    samples = [_with(drawn[0], {n: call.arguments[n] for n in dims}) for call in drawn]
    return Batch(spec, tuple(samples), dims)


def stacked(each: Sequence[Sequence[torch.Tensor]]) -> list[torch.Tensor]:
    """Tensors of each sample, as one with the samples in front."""
    return [torch.stack(list(of_all)) for of_all in zip(*each, strict=True)]


def _with(call: Call, given: dict[str, Any]) -> Call:
    return Call(call.spec, {**call.arguments, **given})
