"""What else is asked of gradients: to be given twice, to agree with differences, to notice changed arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError

from opwright.checks.device.placed import placed
from opwright.checks.learning.expected import (
    asking_reference,
    called,
    continuous,
    differentiable,
    incoming_like,
)
from opwright.checks.learning.graphs import differs, gradients_of, recorded, recorded_views
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case

NOTICED = "has been modified by an inplace operation"  # in autograd's own words


def again(case: Case, subject: Subject, call: Call) -> Outcome:
    """The graph gives the same gradients a second time, where it is retained."""
    leaves, results = recorded(subject, call)
    incoming = incoming_like(results, case.seed)
    first = gradients_of(results, leaves, incoming, retain_graph=True)
    second = gradients_of(results, leaves, incoming)
    differing = [
        name
        for name, one, other in zip(differentiable(call), first, second, strict=True)
        if differs(one, other)
    ]
    if not differing:
        return passed()
    return failed(
        Finding(
            "second gradient differs",
            f"asked for twice through a retained graph, the gradient of `{differing[0]}` differs: the "
            "backward changes what it was given or what is saved",
            {"arguments": differing},
        )
    )


def saved_and_changed(case: Case, subject: Subject, call: Call) -> Outcome:
    """Arguments changed in place after the call: the gradient is that of the call, or autograd refuses."""
    findings = []
    if (device := subject.device) and (kernel := subject.kernel):
        # A change on the host would not reach what the call was given.
        call, subject = placed(call, device), replace(subject, call=kernel)
    leaves, results = recorded(subject, call)
    before = gradients_of(results, leaves, incoming_like(results, case.seed))
    for name in differentiable(call):
        try:
            after = _gradients_after(case, subject, call, name)
        except RuntimeError as error:
            if NOTICED not in str(error):
                findings.append(_failing(name, error))
            continue
        if any(differs(a, b) for a, b in zip(before, after, strict=True)):
            findings.append(
                Finding(
                    "gradient of changed arguments",
                    f"`{name}` is changed in place between forward and backward, and the gradient is silently "
                    "that of other values: keep tensors with ctx.save_for_backward, which notices",
                    {"argument": name},
                )
            )
    return failed(*findings) if findings else passed()


def _gradients_after(
    case: Case, subject: Subject, call: Call, changed: str
) -> list[torch.Tensor | None]:
    """The gradients where an argument was changed after the call; raises where that is noticed."""
    leaves, results, given = recorded_views(subject, call)
    with torch.no_grad():
        given[changed].mul_(2).add_(1)
    return gradients_of(results, leaves, incoming_like(results, case.seed))


def _failing(name: str, error: Exception) -> Finding:
    return Finding(
        "gradient fails after a change",
        f"`{name}` is changed in place between forward and backward, and the gradient is neither given nor "
        f"refused by autograd: {type(error).__name__}: {str(error).splitlines()[0]}",
        {"argument": name},
    )


def gradcheck(case: Case, subject: Subject, call: Call) -> Outcome:
    """PyTorch's own check by finite differences, where there is a kernel for float64."""
    wide = [call.arguments[n] for n in differentiable(call)]
    if any(tensor.dtype != torch.float64 for tensor in wide):
        return not_checked("there is no kernel for float64, which finite differences need")
    if sum(tensor.numel() for tensor in wide) > 512:
        return not_checked("finite differences of so many elements take too long")
    operator_runs()
    if not (said := _mismatch(subject.call, call)):
        return passed()
    with asking_reference(call.spec, "gradient"):
        own = _mismatch(call.spec.reference, call.cloned())
    if own:
        return not_checked(
            "the reference's own gradient, which decides, is not that of finite differences (what it detaches, "
            f"or a kink there): {own}"
        )
    return failed(Finding("gradcheck fails", said))


def _mismatch(function: Callable[..., Any], call: Call) -> str:
    """Where a function's gradients differ from finite differences, empty if nowhere."""
    names = differentiable(call)

    def of(*values: torch.Tensor) -> Any:
        given = {**call.arguments, **dict(zip(names, values, strict=True))}
        return tuple(continuous(called(call.spec, function, given)))

    try:
        torch.autograd.gradcheck(of, [call.arguments[n].clone().requires_grad_() for n in names])
    except GradcheckError as error:
        return str(error).splitlines()[0].rstrip(",")
    return ""
