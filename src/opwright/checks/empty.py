"""Empty inputs: a size of zero gives what the reference gives, or a clear refusal where it refuses."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.judging import expect, findings_of, judge_call, run_operator
from opwright.checks.plan import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.errors import ReferenceFailed
from opwright.inputs.call import make_call
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
    """Compare with the reference; where that refuses, the operator has to refuse as well."""
    call = make_call(subject.spec, case)
    try:
        expected = expect(subject.spec, case, call)
    except ReferenceFailed as error:
        return _both_refuse(subject, error, case)
    try:
        results = run_operator(subject, call.cloned())
    except Exception as error:
        return failed(
            Finding(
                "refuses empty input",
                f"{type(error).__name__} on an empty input that the reference takes: {error}",
            )
        )
    comparison = judge_call(expected, results, call)
    return passed() if comparison.passed else failed(*findings_of(comparison))


def _both_refuse(subject: Subject, refusal: ReferenceFailed, case: Case) -> Outcome:
    call = make_call(subject.spec, case)
    try:
        run_operator(subject, call)
    except Exception:
        return passed(notes=("the reference and the operator both refuse",))
    return not_checked(f"the operator takes what the reference refuses: {refusal.what}")


CHECK = Check("empty", "tensors with no elements give what the reference gives", cases, run)
