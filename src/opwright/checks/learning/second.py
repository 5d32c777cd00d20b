"""Second derivatives: against the reference's, and refused only in words that stand for a refusal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import torch

from opwright.checks.judging.outputs import reduction_length
from opwright.checks.learning.expected import (
    asking_reference,
    called,
    continuous,
    differentiable,
    gradient_standards,
    incoming_like,
    is_not_zero,
    real,
    reference_gradients,
)
from opwright.checks.learning.graphs import differs, gradients_of, recorded
from opwright.checks.learning.twice import NOTICED
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call
from opwright.judge import Standard, holds, judge, loosened, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.tolerance import Tolerance

_PLANTED = (0.0, 1.5)  # a second derivative that is nothing, or half too large, has to be found
# Two chains of roundings are compared: each element may be off by so many eps of the largest one, or of
# what it is made of, but by no more than this part of it, which is less than a missing term.
_ROUNDINGS, _MOST = 64, 1 / 16
_NO_FORMULA = r"derivative for \S+ is not implemented"
# What an operator says that will not be differentiated again: by its binding, by once_differentiable,
# by autograd of what its backward changed or of an operation without a formula, by torch.compile.
_REFUSALS = (
    "its gradient cannot be differentiated again",
    "trying to differentiate twice a function",
    NOTICED,
    _NO_FORMULA,
    "does not currently support double backward",
)
# Autograd's formula in float64 is its own oracle: what it loses where it cancels is no error.
_OF_FLOAT64 = 1e-12


def double_backward(case: Case, subject: Subject, call: Call) -> Outcome:
    """The second derivative is the reference's, or, where none is declared, it is refused when asked for.

    A second derivative of nothing, or half too large, that passes makes it no evidence.
    """
    spec, names = call.spec, differentiable(call)
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in names}
    operator_runs()
    with torch.enable_grad():
        results = continuous(called(spec, subject.call, {**call.arguments, **leaves}))
    incoming = incoming_like(results, case.seed)
    try:
        first, found = _second(results, list(leaves.values()), incoming)
    except Exception as error:
        if any(re.search(words, str(error)) for words in _accepted(spec)):
            return passed(notes=(f"refused: {str(error).splitlines()[0]}",))
        _standards(case, call, incoming)  # where the reference has none, that is what is wrong
        return failed(_failing(spec, error))
    if wrong := _wrong_where_recorded(case, subject, call, first):
        return failed(*wrong)
    labels = [*names, *(f"the gradient that comes in ({i})" for i in range(len(incoming)))]
    outcome = _judged(call, labels, found, _standards(case, call, incoming))
    told = tuple(
        replace(one, message=one.message + _differentiated(spec)) for one in outcome.findings
    )
    return replace(outcome, findings=told)


def _wrong_where_recorded(
    case: Case, subject: Subject, call: Call, first: Sequence[torch.Tensor | None]
) -> list[Finding]:
    """Gradients that are right, and wrong where autograd records how they come about."""
    names = differentiable(call)
    leaves, results = recorded(subject, call)
    incoming = incoming_like(results, case.seed)
    plain = gradients_of(results, leaves, incoming)
    if not any(differs(one, other) for one, other in zip(plain, first, strict=True)):
        return []
    standards = gradient_standards(call, case, names, incoming_like(results, case.seed))
    return [
        Finding(
            "gradient depends on create_graph",
            f"the gradient of `{name}` is right, and another one with create_graph=True, where its backward "
            "is recorded: it takes another way there",
            {"argument": name},
        )
        for name, one, other, standard in zip(names, plain, first, standards, strict=True)
        if one is not None
        and judge([one], [standard]).passed
        and (other is None or not judge([other.detach()], [standard]).passed)
    ]


def _differentiated(spec: OperatorSpec) -> str:
    """What it was that autograd differentiated, where a reader may take the kernels for it."""
    named = [backward.name for backward in spec.backwards if backward.backwards]
    if not named:
        return ""
    return (
        f'. double_backward="reference" differentiates the reference of {" and ".join(named)}, and not its '
        "kernels: nothing in that may be detached"
    )


def _accepted(spec: OperatorSpec) -> tuple[str, ...]:
    """The words that are a refusal; none are where a second derivative is declared, or all gradients are handed on."""
    further = [backward.backward for backward in spec.backwards]
    if None in further or spec.backward == OWN:
        return _REFUSALS
    by_reference = bool(further) and all(one == OWN for one in further)
    return (_NO_FORMULA,) if by_reference else ()


def _second(
    results: Sequence[torch.Tensor],
    leaves: Sequence[torch.Tensor],
    incoming: Sequence[torch.Tensor],
) -> tuple[Sequence[torch.Tensor | None], list[torch.Tensor | None]]:
    """The gradients, and the derivative, by leaves and then by incoming ones, of a weighted sum of them.

    None where nothing leads to one. By ``backward``, which runs the whole graph: what refuses may not
    lie on the way to any of them.
    """
    sources = [*leaves, *(grad.requires_grad_() for grad in incoming)]
    pairs = [(r, g) for r, g in zip(results, incoming, strict=True) if r.requires_grad]
    first: Sequence[torch.Tensor | None] = ()
    if pairs:
        given, grads = zip(*pairs, strict=True)
        first = torch.autograd.grad(given, leaves, grads, create_graph=True, allow_unused=True)
    graded = [g for g in first if g is not None and g.requires_grad]
    if graded:
        torch.autograd.backward(graded, [_weights(g) for g in graded])
    return first, [None if source.grad is None else real(source.grad) for source in sources]


def _weights(gradient: torch.Tensor) -> torch.Tensor:
    """Numbers that float64 and every smaller dtype hold exactly: in each, the same sum is differentiated."""
    steps = torch.arange(gradient.numel(), device=gradient.device) % 13
    return (steps.double() / 16 + 0.5).to(gradient.dtype).view(gradient.shape)


def _standards(case: Case, call: Call, incoming: Sequence[torch.Tensor]) -> tuple[Standard, ...]:
    """What the second derivative by each argument, and by each incoming gradient, is held to."""
    reference = _of_reference(call, incoming, wide=False)
    oracle = _of_reference(call, incoming, wide=True)
    sources = [*(call.arguments[n] for n in differentiable(call)), *incoming]
    first = _size_of_first(call, incoming)
    most = max((one.numel() for one in reference), default=1)
    declared = max(reduction_length(one, case) for one in (call.spec, *call.spec.backwards))
    standards: list[Standard] = []
    for one, exact, source in zip(reference, oracle, sources, strict=True):
        length = max(declared, most // max(one.numel(), 1))
        terms = _terms(source, first)
        lost = exact.abs() <= _ROUNDINGS * torch.finfo(exact.dtype).eps * terms
        told = torch.where(lost, 0, exact)
        held = set_standards(one, told, _tolerance(one, told), reduction_length=length)
        standards += [loosened(each, _least(each, terms.reshape(-1), length)) for each in held]
    return tuple(standards)


def _size_of_first(call: Call, incoming: Sequence[torch.Tensor]) -> float:
    """The root mean square of the terms whose sum is differentiated once more: gradients, with weights."""
    given = [grad.detach() for grad in incoming]
    first = reference_gradients(call, differentiable(call), given, wide=True)
    sizes = torch.cat([(one * _weights(one)).abs().reshape(-1) for one in first])
    finite = sizes[sizes.isfinite()]
    return float(finite.square().mean().sqrt()) if finite.numel() else 0.0


def _terms(source: torch.Tensor, first: float) -> torch.Tensor:
    """How large a second derivative's terms are, which may cancel: the first one's over what it is by."""
    sizes = source.detach().abs().to(torch.float64)
    return (first / sizes).nan_to_num(0.0, 0.0, 0.0)


def _least(standard: Standard, terms: torch.Tensor, length: int) -> torch.Tensor:
    """What each element, a sum of ``length`` terms of either sign, may be off by, however exact the reference."""
    sizes = standard.oracle.abs().nan_to_num(0.0, 0.0, 0.0)
    largest = float(sizes.max()) if sizes.numel() else 0.0
    roundings = _ROUNDINGS * torch.finfo(standard.reference.dtype).eps
    of_terms: torch.Tensor = terms * min(roundings * length**0.5, _MOST)
    return of_terms.clamp(min=min(roundings, _MOST) * largest)


def _tolerance(reference: torch.Tensor, oracle: torch.Tensor) -> Tolerance | None:
    if reference.dtype not in (torch.float64, torch.complex128):
        return None
    largest = float(oracle.abs().nan_to_num(0, 0, 0).max()) if oracle.numel() else 0.0
    return Tolerance(rtol=_OF_FLOAT64, atol=_OF_FLOAT64 * max(largest, 1.0))


def _of_reference(
    call: Call, incoming: Sequence[torch.Tensor], *, wide: bool
) -> list[torch.Tensor]:
    """The reference's second derivative, zero where it has none; raises `ReferenceFailed`."""
    own = call.widened() if wide else call.cloned()
    leaves = [own.arguments[n].requires_grad_() for n in differentiable(own)]
    with asking_reference(own.spec, "second derivative"):
        results = continuous(called(own.spec, own.spec.reference, own.arguments))
        pairs = zip(incoming, results, strict=True)
        grads = [grad.detach().clone().to(result.dtype) for grad, result in pairs]
        _, found = _second(results, leaves, grads)
    given = [*(call.arguments[n] for n in differentiable(call)), *incoming]
    made = [
        torch.zeros_like(source) if one is None else one.detach()
        for one, source in zip(found, given, strict=True)
    ]
    return made if wide else [o.to(source.dtype) for o, source in zip(made, given, strict=True)]


def _judged(
    call: Call,
    labels: Sequence[str],
    found: Sequence[torch.Tensor | None],
    standards: Sequence[Standard],
) -> Outcome:
    lost = [
        place
        for place, (one, standard) in enumerate(zip(found, standards, strict=True))
        if one is None and is_not_zero(standard)
    ]
    given = [
        torch.zeros_like(standard.reference) if one is None else one
        for one, standard in zip(found, standards, strict=True)
    ]
    names = [f"derivative of the gradient by {label}" for label in labels]
    comparison = judge(given, standards, names=names, inputs=call.tensors)
    wrong = [
        Finding("wrong second derivative", reason.message, {"by": labels[reason.output]})
        for reason in comparison.reasons
        if reason.output not in lost
    ]
    if findings := [*(_lost(labels[place]) for place in lost), *wrong]:
        return failed(*findings, figures=comparison.to_json()["figures"])
    for name, standard in zip(names, standards, strict=True):
        if (passing := _passing_plant(standard)) is not None:
            return not_checked(f"not evidence: {passing} times the {name} passes")
    return passed(comparison.to_json()["figures"], comparison.notes)


def _passing_plant(standard: Standard) -> float | None:
    """The factor of a planted error that is not seen; where all is zero there is none to plant."""
    if not is_not_zero(standard):
        return None
    for factor in _PLANTED:
        wrong = (standard.oracle * factor).to(standard.reference.dtype)
        if holds([wrong.reshape(standard.reference.shape)], [standard]):
            return factor
    return None


def _lost(label: str) -> Finding:
    return Finding(
        "second derivative lost",
        f"the derivative of the gradient by {label} is lost silently: make the backward differentiable, or "
        "have it raise (once_differentiable)",
        {"by": label},
    )


def _failing(spec: OperatorSpec, error: Exception) -> Finding:
    said = (str(error).splitlines() or [""])[0]
    return Finding(
        "second derivative fails",
        f"the derivative of the gradient of {spec.name} is neither given nor refused as autograd refuses one "
        f"(once_differentiable): {type(error).__name__}: {said}",
    )
