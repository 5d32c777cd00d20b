"""Gradients and tangents of `torch.func`, beside those of the reference."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opwright.checks.judging.outputs import reduction_length
from opwright.checks.learning.batch import Function, batch_of, stacked
from opwright.checks.learning.expected import (
    differentiable,
    incoming_like,
    reference_gradients,
    standards_of_gradients,
)
from opwright.checks.learning.refusing import refusal
from opwright.checks.learning.tangents import reference_tangents
from opwright.checks.learning.transforms import FORWARD, TRANSFORMS, Question
from opwright.inputs.call import reference_results
from opwright.judge import Standard, judge, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec


def derived(case: Case, spec: OperatorSpec, function: Function, device: torch.device) -> Outcome:
    """Judge one transform's gradients, or tangents, of ``function`` on a device."""
    how = case.extra["how"]
    forward = how in FORWARD
    batch = batch_of(spec, case, case.extra["in_dims"], case.extra["batch"])
    wanted = tuple(differentiable(batch.samples[0]))
    if (only := case.extra.get("wanted")) is not None:
        wanted = tuple(name for name in wanted if name == only)
        if not wanted:
            return not_checked(f"`{only}` can have no tangent")
    given = tuple(
        tuple(
            incoming_like(
                [call.tensors[name] for name in wanted]
                if forward
                else reference_results(spec, call, wide=False),
                case.seed + number,
            )
        )
        for number, call in enumerate(batch.samples)
    )
    question = Question(spec, batch, wanted, given)
    there = question.on(device)
    operator_runs()
    try:
        with torch.enable_grad():
            found = [one.cpu() for one in TRANSFORMS[how](there, there.function(function))]
    except Exception as error:
        promised = "" if forward or spec.backward in (None, OWN) else "a backward"
        return refusal(spec, error, how, declared=promised)
    if forward:
        return _tangents(case, question, found)
    own = None if spec.backward is None else _own_gradients(there, function)
    return _gradients(case, question, found, own)


def _gradients(
    case: Case,
    question: Question,
    found: Sequence[torch.Tensor],
    own: Sequence[torch.Tensor] | None,
) -> Outcome:
    """``own`` are autograd's gradients, where there are any."""
    spec, calls = question.spec, question.batch.samples
    references, oracles = (
        stacked(
            [
                reference_gradients(call, question.wanted, list(grads), wide=wide)
                for call, grads in zip(calls, question.given, strict=True)
            ]
        )
        for wide in (False, True)
    )
    most = max((grad.numel() for grad in question.given[0]), default=1)
    terms = {
        name: most // max(one[0].numel(), 1)
        for name, one in zip(question.wanted, references, strict=True)
    }
    standards = standards_of_gradients(spec, case, terms, references, oracles)
    names = [f"gradient of {name}" for name in question.wanted]
    return _compared(case, found, standards, names, own)


def _tangents(case: Case, question: Question, found: Sequence[torch.Tensor]) -> Outcome:
    calls = question.batch.samples
    references, oracles = (
        stacked(
            [
                reference_tangents(call, question.wanted, tangents, wide=wide)
                for call, tangents in zip(calls, question.given, strict=True)
            ]
        )
        for wide in (False, True)
    )
    # A tangent is a sum over all that depends on an argument.
    length = reduction_length(question.spec, case) * (1 + len(question.wanted))
    standards = set_standards(references, oracles, None, reduction_length=length)
    half = len(standards) // 2
    names = [
        *(f"result {i}" for i in range(half)),
        *(f"tangent of result {i}" for i in range(half)),
    ]
    return _compared(case, found, standards, names, None)


def _compared(
    case: Case,
    found: Sequence[torch.Tensor],
    standards: Sequence[Standard],
    names: Sequence[str],
    own: Sequence[torch.Tensor] | None,
) -> Outcome:
    how = case.extra["how"]
    comparison = judge(list(found), standards, names=names)
    if comparison.passed:
        return passed(comparison.to_json()["figures"], comparison.notes)
    if own is not None and not judge(list(own), standards, names=names).passed:
        return not_checked("autograd's gradient is wrong as well: the check of gradients tells why")
    asked = "tangent" if how in FORWARD else "gradient"
    for name, one, standard in zip(names, found, standards, strict=True):
        if asked in name and not one.count_nonzero() and standard.oracle.count_nonzero():
            return failed(_lost(name, how))
    return failed(_differs(comparison.reasons[0].message, how))


def _lost(name: str, how: str) -> Finding:
    message = f"the {name} of {how} is silently zero, and the reference's is not"
    details = {"transform": how}
    if how in FORWARD:
        return Finding("tangent lost", message, details)
    return Finding("gradient lost", message, details)


def _differs(reason: str, how: str) -> Finding:
    message = f"{how} gives silently what the reference does not: {reason}"
    details = {"transform": how}
    if how in FORWARD:
        return Finding("tangent differs", message, details)
    return Finding("gradient differs", message, details)


def _own_gradients(question: Question, function: Function) -> list[torch.Tensor] | None:
    """Autograd's gradients of the same calls, without `torch.func`; None where it gives none."""
    each = []
    try:
        for call, incoming in zip(question.batch.samples, question.given, strict=True):
            leaves = [leaf.requires_grad_() for leaf in question.leaves(call)]
            with torch.enable_grad():
                results = question.function(function)(*leaves)
            each.append(
                torch.autograd.grad(results, leaves, list(incoming), materialize_grads=True)
            )
    except RuntimeError:
        return None
    return [one.cpu() for one in stacked(each)]
