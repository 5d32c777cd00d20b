"""What else is asked of gradients: to be given twice, to agree with differences, to notice changed arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError

from opwright.checks.device.placed import placed
from opwright.checks.learning.expected import called, continuous, differentiable, incoming_like
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case

NOTICED = "has been modified by an inplace operation"  # in autograd's own words


def again(case: Case, subject: Subject, call: Call) -> Outcome:
    """The graph gives the same gradients a second time, where it is retained."""
    leaves, results = _recorded(subject, call)
    incoming = incoming_like(results, case.seed)
    first = _gradients(results, leaves, incoming, retain_graph=True)
    second = _gradients(results, leaves, incoming)
    differing = [
        name
        for name, one, other in zip(differentiable(call.spec, call), first, second, strict=True)
        if _differs(one, other)
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


def _differs(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None:
        return False
    return other is None or not torch.equal(one.nan_to_num(), other.nan_to_num())


def saved_and_changed(case: Case, subject: Subject, call: Call) -> Outcome:
    """Arguments changed in place after the call: the gradient is that of the call, or autograd refuses."""
    findings = []
    if (device := subject.device) and (kernel := subject.kernel):
        # A change on the host would not reach what the call was given.
        call, subject = placed(call, device), replace(subject, call=kernel)
    leaves, results = _recorded(subject, call)
    before = _gradients(results, leaves, incoming_like(results, case.seed))
    for name in differentiable(call.spec, call):
        try:
            after = _gradients_after(case, subject, call, name)
        except RuntimeError as error:
            if NOTICED not in str(error):
                findings.append(_failing(name, error))
            continue
        if any(_differs(a, b) for a, b in zip(before, after, strict=True)):
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
    leaves, results, given = _recorded_views(subject, call)
    with torch.no_grad():
        given[changed].mul_(2).add_(1)
    return _gradients(results, leaves, incoming_like(results, case.seed))


def _failing(name: str, error: Exception) -> Finding:
    return Finding(
        "gradient fails after a change",
        f"`{name}` is changed in place between forward and backward, and the gradient is neither given nor "
        f"refused by autograd: {type(error).__name__}: {str(error).splitlines()[0]}",
        {"argument": name},
    )


def gradcheck(case: Case, subject: Subject, call: Call) -> Outcome:
    """PyTorch's own check by finite differences, where there is a kernel for float64."""
    wide = [call.arguments[n] for n in differentiable(call.spec, call)]
    if any(tensor.dtype != torch.float64 for tensor in wide):
        return not_checked("there is no kernel for float64, which finite differences need")
    if sum(tensor.numel() for tensor in wide) > 512:
        return not_checked("finite differences of so many elements take too long")
    names = differentiable(call.spec, call)

    def function(*values: torch.Tensor) -> Any:
        return tuple(
            continuous(
                called(
                    call.spec,
                    subject.call,
                    {**call.arguments, **dict(zip(names, values, strict=True))},
                )
            )
        )

    operator_runs()
    try:
        torch.autograd.gradcheck(function, [t.clone().requires_grad_() for t in wide])
    except GradcheckError as error:
        return failed(Finding("gradcheck fails", str(error).splitlines()[0]))
    return passed()


def _gradients(
    results: list[torch.Tensor],
    leaves: list[torch.Tensor],
    incoming: list[torch.Tensor],
    **how: bool,
) -> list[torch.Tensor | None]:
    return list(torch.autograd.grad(results, leaves, incoming, allow_unused=True, **how))


def _recorded(subject: Subject, call: Call) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Leaves for all that can have a gradient, and the results that can."""
    leaves, results, _ = _recorded_views(subject, call, views=False)
    return leaves, results


def _recorded_views(
    subject: Subject, call: Call, *, views: bool = True
) -> tuple[list[torch.Tensor], list[torch.Tensor], dict[str, torch.Tensor]]:
    names = differentiable(call.spec, call)
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in names}
    operator_runs()
    with torch.enable_grad():
        given = {n: leaf.clone() if views else leaf for n, leaf in leaves.items()}
        results = continuous(called(call.spec, subject.call, {**call.arguments, **given}))
    return list(leaves.values()), results, given
