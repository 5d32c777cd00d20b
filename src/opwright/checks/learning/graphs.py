"""Calls that autograd records, and the gradients that they give."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opwright.checks.learning.expected import (
    called,
    continuous,
    differentiable,
    gradient_standards,
    incoming_like,
)
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call, reference_results
from opwright.judge import Comparison, judge
from opwright.running import operator_runs
from opwright.spec.case import Case

GRADIENTS = "with gradients"  # in names of cases that run the backward, too


def run_learning(subject: Subject, call: Call) -> list[torch.Tensor]:
    """The gradients of all that can have one, zeros where there is none.

    What comes in is the same in each call of a size.
    """
    leaves, results = recorded(subject, call)
    found = gradients_of(results, leaves, incoming_like(results, 0))
    return [torch.zeros_like(r) if g is None else g for g, r in zip(found, leaves, strict=True)]


def judge_learning(case: Case, call: Call, gradients: Sequence[torch.Tensor]) -> Comparison:
    """The judgement of what `run_learning` gave."""
    names = differentiable(call)
    incoming = incoming_like(continuous(reference_results(call.spec, call, wide=False)), 0)
    standards = gradient_standards(call, case, names, incoming)
    return judge(list(gradients), standards, names=[f"gradient of {name}" for name in names])


def recorded(subject: Subject, call: Call) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Leaves for all that can have a gradient, and the results that can."""
    leaves, results, _ = recorded_views(subject, call, views=False)
    return leaves, results


def recorded_views(
    subject: Subject, call: Call, *, views: bool = True
) -> tuple[list[torch.Tensor], list[torch.Tensor], dict[str, torch.Tensor]]:
    """The same, and by name what the operator was given: what a layer before makes of the leaves."""
    names = differentiable(call)
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in names}
    operator_runs()
    with torch.enable_grad():
        given = {n: leaf.clone() if views else leaf for n, leaf in leaves.items()}
        results = continuous(called(call.spec, subject.call, {**call.arguments, **given}))
    return list(leaves.values()), results, given


def gradients_of(
    results: Sequence[torch.Tensor],
    leaves: Sequence[torch.Tensor],
    incoming: Sequence[torch.Tensor],
    **how: bool,
) -> list[torch.Tensor | None]:
    """The gradients of the leaves, None where the results do not lead to one."""
    pairs = [(r, g) for r, g in zip(results, incoming, strict=True) if r.requires_grad]
    if not pairs:
        return [None] * len(leaves)
    given, grads = zip(*pairs, strict=True)
    return list(torch.autograd.grad(given, leaves, grads, allow_unused=True, **how))


def differs(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Whether a gradient that is there is another one than ``other``; NaN is equal to itself."""
    if one is None:
        return False
    return other is None or not torch.equal(one.nan_to_num(), other.nan_to_num())
