"""`torch.func`'s transforms of the samples of an operator, each to gradients or tangents with the samples in front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from opwright.checks.learning.batch import Batch, Function, stacked
from opwright.checks.learning.expected import called, continuous
from opwright.inputs.call import Call
from opwright.spec.operator import OperatorSpec


@dataclass(frozen=True)
class Question:
    """Samples, the arguments asked about, and a gradient that comes in (or a tangent) for each sample."""

    spec: OperatorSpec
    batch: Batch
    wanted: tuple[str, ...]
    given: tuple[tuple[torch.Tensor, ...], ...]

    def on(self, device: torch.device) -> Question:
        """The same question, asked on a device."""
        given = tuple(tuple(one.to(device) for one in of_sample) for of_sample in self.given)
        return replace(self, batch=self.batch.on(device), given=given)

    def function(self, function: Function) -> Function:
        """The continuous results of the wanted arguments alone; the others are the first sample's."""
        call = self.batch.samples[0]

        def of(*leaves: Any) -> tuple[Any, ...]:
            arguments = {**call.arguments, **dict(zip(self.wanted, leaves, strict=True))}
            return tuple(continuous(called(self.spec, function, arguments)))

        return of

    def leaves(self, call: Call) -> tuple[torch.Tensor, ...]:
        """Copies of the wanted arguments."""
        return tuple(call.tensors[name].clone() for name in self.wanted)

    def leaves_of_all(self) -> tuple[torch.Tensor, ...]:
        """Those of all samples, as `torch.vmap` takes them."""
        given = dict(zip(self.batch.names, self.batch.stacked(), strict=True))
        return tuple(given[name] for name in self.wanted)

    @property
    def in_dims(self) -> tuple[int | None, ...]:
        """Where `torch.vmap` finds the samples in them."""
        return tuple(self.batch.dims.get(name) for name in self.wanted)


def _total(of: Function, leaves: Sequence[Any], incoming: Sequence[Any]) -> Any:
    """A number whose gradient for each result is the one that comes in."""
    return sum((r * g).sum() for r, g in zip(of(*leaves), incoming, strict=True))


def _places(question: Question) -> tuple[int, ...]:
    return tuple(range(len(question.wanted)))


def _grad(question: Question, of: Function) -> list[torch.Tensor]:
    incoming, leaves = question.given[0], question.leaves(question.batch.samples[0])
    total: Function = lambda *values: _total(of, values, incoming)  # noqa: E731
    return [one[None] for one in torch.func.grad(total, _places(question))(*leaves)]


def _vjp(question: Question, of: Function) -> list[torch.Tensor]:
    pull: Any = torch.func.vjp(of, *question.leaves(question.batch.samples[0]))[1]
    return [one[None] for one in pull(question.given[0])]


def _per_sample(question: Question, of: Function) -> list[torch.Tensor]:
    incoming = tuple(stacked(question.given))

    def gradients(grads: Any, *values: Any) -> Any:
        return torch.func.grad(lambda *v: _total(of, v, grads), _places(question))(*values)

    mapped: Function = torch.vmap(gradients, (0, *question.in_dims))
    return list(mapped(incoming, *question.leaves_of_all()))


def _through_vmap(question: Question, of: Function) -> list[torch.Tensor]:
    leaves = [leaf.requires_grad_() for leaf in question.leaves_of_all()]
    results: Any = torch.vmap(of, question.in_dims)(*leaves)
    pairs = [
        (result, grad)
        for result, grad in zip(results, stacked(question.given), strict=True)
        if result.requires_grad
    ]
    found: Sequence[torch.Tensor] = [torch.zeros_like(leaf) for leaf in leaves]
    if pairs:
        found = torch.autograd.grad(
            [result for result, _ in pairs],
            leaves,
            [grad for _, grad in pairs],
            materialize_grads=True,
        )
    return list(found)  # all arguments are stacked, and in front


def _jvp(question: Question, of: Function) -> list[torch.Tensor]:
    leaves = question.leaves(question.batch.samples[0])
    pushed: Any = torch.func.jvp(of, leaves, question.given[0])
    return [one[None] for one in (*pushed[0], *pushed[1])]


def _mapped_jvp(question: Question, of: Function) -> list[torch.Tensor]:
    def pushed(tangents: Any, *values: Any) -> Any:
        return torch.func.jvp(of, values, tangents)

    mapped: Function = torch.vmap(pushed, (0, *question.in_dims))
    results, tangents = mapped(tuple(stacked(question.given)), *question.leaves_of_all())
    return [*results, *tangents]


ALONG = "torch.func.jvp"
FORWARD = (ALONG, "torch.func.jvp in torch.vmap")
TRANSFORMS: dict[str, Callable[[Question, Function], list[torch.Tensor]]] = {
    "torch.func.grad": _grad,
    "torch.func.vjp": _vjp,
    "torch.func.grad in torch.vmap": _per_sample,
    "autograd through torch.vmap": _through_vmap,
    ALONG: _jvp,
    "torch.func.jvp in torch.vmap": _mapped_jvp,
}
