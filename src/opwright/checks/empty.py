"""Empty inputs: a size of zero gives what the reference gives, or a clear refusal where it refuses."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator
from opwright.checks.judging.programs import Program
from opwright.checks.judging.refusals import refused, unclear
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each way in which a tensor can be empty, for every dtype."""
    for scalars in scalar_choices(spec)[:1]:
        for sizes in size_sets(spec, scalars, count=8, empty=True):
            for dtypes in dtype_choices(spec):
                yield Case("empty", case_name(sizes, dtypes), dtypes, sizes, scalars)


def run(case: Case, subject: Subject) -> Outcome:
    """Compare with the reference; where that refuses, a refusal is right and an answer proves nothing."""
    call = make_call(subject.spec, case)
    try:
        expected = expect(subject.spec, case, call)
    except ReferenceFailed as error:
        return _reference_refuses(subject, call, error)
    try:
        results = run_operator(subject, call.cloned())
    except Exception as error:
        return failed(
            Finding(
                "refuses empty input",
                f"{refused(error)}, on {_shapes(call)}, which the reference takes. Return early when an "
                "output is empty, and give the reduction's neutral element where only an input is.",
                {"exception": type(error).__name__},
            )
        )
    comparison = judge_call(expected, results, call)
    if comparison.passed:
        return passed()
    return failed(
        *(
            Finding(finding.kind, f"on {_shapes(call)}: {finding.message}", finding.details)
            for finding in findings_of(comparison)
        )
    )


def _reference_refuses(subject: Subject, call: Call, refusal: ReferenceFailed) -> Outcome:
    try:
        run_operator(subject, call.cloned())
    except Exception as error:
        finding = unclear(error, f"on {_shapes(call)}")
        same = type(refusal.__cause__) is type(error)
        return (
            failed(finding)
            if finding and not same
            else passed(notes=(f"refused: {refused(error)}",))
        )
    return not_checked(
        f"the operator takes {_shapes(call)}, and there is no answer to compare with: {refusal.what}"
    )


def _shapes(call: Call) -> str:
    """``empty input: `input` with shape [0, 16]``, for all tensors of the call."""
    parts = (f"`{name}` with shape {list(tensor.shape)}" for name, tensor in call.tensors.items())
    return "empty input: " + ", ".join(parts)


def _why_none(spec: OperatorSpec) -> str:
    return f"no declared size of {spec.name} is 0, or its constraints allow none"


CHECK = Check(
    "empty",
    "tensors with no elements give what the reference gives",
    cases,
    run,
    why_none=_why_none,
    shrinks=True,
    program=Program(),
)
