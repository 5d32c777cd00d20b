"""What else is asked of gradients: to be given twice, to be differentiated, to notice changed arguments."""

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


def again(case: Case, subject: Subject, call: Call) -> Outcome:
    """The graph gives the same gradients a second time, where it is retained."""
    leaves, results = _recorded(subject, call)
    incoming = incoming_like(results, case.seed)
    first = _gradients(results, leaves, incoming, retain_graph=True)
    second = _gradients(results, leaves, incoming)
    differing = [
        name
        for name, one, other in zip(differentiable(call.spec, call), first, second, strict=True)
        if one is not None
        and (other is None or not torch.equal(one.nan_to_num(), other.nan_to_num()))
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
    leaves, results = _recorded(subject, call)
    before = _gradients(results, leaves, incoming_like(results, case.seed))
    for name in differentiable(call.spec, call):
        after, refused = _gradients_after(case, subject, call, name)
        if refused:
            continue
        pairs = zip(before, after, strict=True)
        if any(a is not None and not torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in pairs):
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
) -> tuple[list[Any], bool]:
    """The gradients where an argument was changed after the call, and whether autograd refused."""
    leaves, results, given = _recorded_views(subject, call)
    with torch.no_grad():
        given[changed].mul_(2).add_(1)
    try:
        return _gradients(results, leaves, incoming_like(results, case.seed)), False
    except RuntimeError:
        return [], True


def double_backward(case: Case, subject: Subject, call: Call) -> Outcome:
    """The second derivative is the reference's, or it is refused when it is asked for."""
    leaves, results = _recorded(subject, call)
    incoming = [grad.requires_grad_() for grad in incoming_like(results, case.seed)]
    sources = [*leaves, *incoming]
    try:
        first = torch.autograd.grad(results, leaves, incoming, create_graph=True, allow_unused=True)
        second = _second(first, sources)
    except RuntimeError as error:
        return passed(notes=(f"refused: {str(error).splitlines()[0]}",))
    own = call.cloned()
    own_leaves = [own.arguments[n].requires_grad_() for n in differentiable(call.spec, call)]
    with torch.enable_grad():
        own_results = continuous(called(own.spec, own.spec.reference, own.arguments))
    own_incoming = [grad.detach().clone().requires_grad_() for grad in incoming]
    right = _second(
        torch.autograd.grad(
            own_results, own_leaves, own_incoming, create_graph=True, allow_unused=True
        ),
        [*own_leaves, *own_incoming],
    )
    return _compared(call, second, right)


def _second(first: Any, sources: list[torch.Tensor]) -> list[torch.Tensor | None]:
    """The derivative of a weighted sum of gradients; None where nothing leads to a source.

    By ``backward``, which runs the whole graph: what refuses may not lie on the way to a source.
    """
    graded = [g for g in first if g is not None and g.requires_grad]
    if graded:
        torch.autograd.backward(sum((g * _weights(g)).sum() for g in graded))
    return [source.grad for source in sources]


def _weights(gradient: torch.Tensor) -> torch.Tensor:
    drawn = torch.linspace(0.5, 1.5, max(gradient.numel(), 1))[: gradient.numel()]
    return drawn.to(gradient.dtype).view(gradient.shape)


def _compared(call: Call, second: list[Any], right: list[Any]) -> Outcome:
    names = differentiable(call.spec, call)
    labels = [
        *names,
        *(f"the gradient that comes in ({i})" for i in range(len(second) - len(names))),
    ]
    findings = []
    for label, got, exact in zip(labels, second, right, strict=True):
        if exact is None or not bool(exact.count_nonzero()):
            continue
        if got is None:
            kind, what = "second derivative lost", "is lost silently"
        elif _is_close(got, exact):
            continue
        else:
            kind, what = "wrong second derivative", "is wrong"
        findings.append(
            Finding(
                kind,
                f"the derivative of the gradient by {label} {what}, undeclared: make the backward "
                "differentiable, or have it raise (once_differentiable)",
                {"by": label},
            )
        )
    return failed(*findings) if findings else passed()


def _is_close(got: torch.Tensor, exact: torch.Tensor) -> bool:
    """Wide: two chains of roundings are compared. A missing or doubled term is far beyond it."""
    eps = 64 * torch.finfo(exact.dtype).eps
    largest = float(exact.abs().max()) if exact.numel() else 0.0
    return torch.allclose(got.double(), exact.double(), rtol=eps, atol=eps * largest)


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
