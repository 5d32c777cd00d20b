"""What a gradient must not depend on: other calls, results changed meanwhile, one tensor given twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from opwright.checks.device.placed import placed
from opwright.checks.judging.outputs import findings_of, same_bits
from opwright.checks.learning.expected import (
    called,
    continuous,
    differentiable,
    gradient_standards,
    incoming_like,
    reference_gradients,
    standards_of_gradients,
)
from opwright.checks.learning.graphs import differs, gradients_of, recorded
from opwright.checks.learning.twice import NOTICED
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call, make_call
from opwright.judge import Standard, judge
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.running import operator_runs
from opwright.spec.case import Case

Gradients = Sequence[torch.Tensor | None]


def beside_another(case: Case, subject: Subject, call: Call) -> Outcome:
    """Another call between forward and backward, and its backward afterwards, change nothing."""
    other = replace(
        case.with_other_values(), scalars={**case.scalars, **case.extra.get("other", {})}
    )
    alone_leaves, alone_results = recorded(subject, call)
    incoming = incoming_like(alone_results, case.seed)
    given = incoming_like(alone_results, case.seed)  # of its own: a backward may write to it
    alone = _copied(gradients_of(alone_results, alone_leaves, given))
    leaves, results = recorded(subject, call)
    other_leaves, other_results = recorded(subject, make_call(subject.spec, other))
    found = gradients_of(results, leaves, incoming_like(results, case.seed))
    kept = _copied(found)
    findings = _depending(case, call, incoming, alone, kept)
    gradients_of(other_results, other_leaves, incoming_like(other_results, other.seed))
    names = differentiable(call)
    findings += [
        Finding(
            "gradient overwritten by a later call",
            f"the gradient of `{name}` changed when another call's backward ran: the memory is kept between "
            "calls. Allocate it anew in each backward.",
            {"argument": name},
        )
        for name, before, after in zip(names, kept, found, strict=True)
        if before is not None and after is not None and not same_bits(before, after)
    ]
    return failed(*findings) if findings else passed()


def _copied(gradients: Gradients) -> list[torch.Tensor | None]:
    return [None if one is None else one.clone() for one in gradients]


def _depending(
    case: Case, call: Call, incoming: Sequence[torch.Tensor], alone: Gradients, found: Gradients
) -> list[Finding]:
    """Gradients that are right alone, and wrong with another graph alive."""
    names = differentiable(call)
    if not any(differs(one, other) for one, other in zip(alone, found, strict=True)):
        return []
    standards = gradient_standards(call, case, names, incoming)
    wrong = [
        name
        for name, one, other, standard in zip(names, alone, found, standards, strict=True)
        if one is not None
        and judge([one], [standard]).passed
        and (other is None or not judge([other], [standard]).passed)
    ]
    return [
        Finding(
            "gradient depends on another call",
            f"the gradient of `{name}` is right alone, and wrong where another call is made before its backward "
            "runs: what the backward needs is kept in one place for all calls. Keep it on ctx.",
            {"argument": name},
        )
        for name in wrong
    ]


def results_changed(case: Case, subject: Subject, call: Call) -> Outcome:
    """Results changed in place after the call: the gradient is that of the call, or autograd refuses."""
    if (device := subject.device) and (kernel := subject.kernel):
        # A change on the host would not reach what the call gave.
        call, subject = placed(call, device), replace(subject, call=kernel)
    leaves, results = recorded(subject, call)
    incoming = incoming_like(results, case.seed)
    before = _copied(gradients_of(results, leaves, incoming))
    findings = []
    for place in range(len(results)):
        leaves, results = recorded(subject, call)
        try:
            with torch.no_grad():
                results[place].mul_(2).add_(1)
        except RuntimeError:  # elements that share memory, or a view that may not be written to
            continue
        try:
            # Drawn anew: a backward may have written to the others.
            after = gradients_of(results, leaves, incoming_like(results, case.seed))
        except RuntimeError as error:
            if NOTICED not in str(error):
                raise
            continue
        if any(differs(a, b) for a, b in zip(before, after, strict=True)):
            findings.append(_of_changed(place))
    return failed(*findings) if findings else passed()


def _of_changed(place: int) -> Finding:
    return Finding(
        "gradient of a changed result",
        f"result {place} is changed in place between forward and backward, and the gradient is silently another "
        "one: keep results with ctx.save_for_backward, which notices",
        {"result": place},
    )


def one_tensor_twice(case: Case, subject: Subject, call: Call) -> Outcome:
    """One tensor for two arguments has the sum of both gradients."""
    first, second = case.extra["twice"]
    same = Call(call.spec, {**call.arguments, second: call.arguments[first]})
    leaf = call.arguments[first].clone().requires_grad_()
    operator_runs()
    with torch.enable_grad():
        results = continuous(
            called(call.spec, subject.call, {**call.arguments, first: leaf, second: leaf})
        )
    incoming = incoming_like(results, case.seed)
    (standard,) = _sums(case, same, (first, second), incoming)
    (found,) = gradients_of(results, [leaf], incoming)
    given = torch.zeros_like(leaf) if found is None else found
    comparison = judge([given], [standard], names=[f"gradient of {first} given for {second}, too"])
    return passed() if comparison.passed else failed(*findings_of(comparison))


def _sums(
    case: Case, call: Call, names: tuple[str, str], incoming: Sequence[torch.Tensor]
) -> tuple[Standard, ...]:
    reference, oracle = (
        sum(reference_gradients(call, names, incoming, wide=wide), torch.zeros(()))
        for wide in (False, True)
    )
    dtype = call.arguments[names[0]].dtype
    return standards_of_gradients(
        call.spec, case, {names[0]: 2}, [torch.as_tensor(reference).to(dtype)], [oracle]
    )
