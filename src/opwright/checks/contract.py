"""Contract: what the description does not allow is refused clearly, or done right; never done wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator, same_bits
from opwright.checks.judging.programs import Program, print_call
from opwright.checks.judging.refusals import first_line, refused, unclear
from opwright.checks.planning.choices import dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call, make_call
from opwright.inputs.violations import Violation, broken_call, forbidden_sizes, violations
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import label, roomy_size_sets

# Whatever the reference makes of these, no operator can do them right.
_NEVER_RIGHT = frozenset({"device", "None", "value"})


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One violation a case, of each kind that an argument can suffer at small sizes."""
    scalars = scalar_choices(spec)[0]
    dtypes = dtype_choices(spec)[0]
    for sizes in roomy_size_sets(spec, scalars, count=1):
        for violation in violations(spec, dtypes):
            extra = dict(vars(violation))
            case = Case("contract", str(violation), dtypes, sizes, scalars, extra=extra)
            if broken_call(make_call(spec, case), violation) is not None:
                yield case
        for constraint, forbidden in forbidden_sizes(spec, sizes, scalars):
            violation = Violation(constraint.names[0], "constraint", str(constraint))
            extra = dict(vars(violation))
            name = f"{label(forbidden)} against {constraint}"
            yield Case("contract", name, dtypes, forbidden, scalars, extra=extra)


def run(case: Case, subject: Subject) -> Outcome:
    """Break one argument and call. A refusal passes; an answer has to be the reference's."""
    call = make_call(subject.spec, case)
    violation = Violation(**case.extra)
    broken = broken_call(call, violation)
    assert broken is not None, "the plan leaves out what these sizes have no room for"
    what = _what(call, broken, violation)
    before = broken.cloned()
    try:
        results = run_operator(subject, broken)
    except Exception as error:
        changed = _changed(before, broken)
        if changed:
            message = (
                f"{what} was refused after `{changed}` had been changed. Check before writing."
            )
            return failed(Finding("changed before it refused", message, _details(case)))
        return _refused(case, subject, what, before, error)
    return _accepted(case, subject, what, before, results)


def _what(call: Call, broken: Call, violation: Violation) -> str:
    """``argument `bias` as float32 [9] instead of float32 [8]``."""
    name = violation.argument
    if violation.kind == "overlap":
        return f"argument `{name}`, which is written to, overlapping in memory {violation.detail}"
    if violation.kind == "constraint":
        shapes = ", ".join(f"`{n}` as {_shown(tensor)}" for n, tensor in broken.tensors.items())
        return f"{shapes}, against the constraint {violation.detail},"
    was, is_now = call.arguments[name], broken.arguments[name]
    return f"argument `{name}` as {_shown(is_now)} instead of {_shown(was)}"


def _shown(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    where = f" on {value.device}" if value.device.type != "cpu" else ""
    return f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}{where}"


def _changed(before: Call, after: Call) -> str:
    """The first argument that is no longer what it was; empty for none."""
    there = {n: t for n, t in before.tensors.items() if t.device.type == "cpu"}
    return next((n for n, t in there.items() if not same_bits(t, after.arguments[n])), "")


def _details(case: Case) -> dict[str, Any]:
    return {"argument": case.extra["argument"], "violation": case.extra["kind"]}


def _refused(case: Case, subject: Subject, what: str, before: Call, error: Exception) -> Outcome:
    finding = unclear(error, what, argument=case.extra["argument"])
    known = (
        isinstance(error, AttributeError) and case.extra["kind"] == "None"
    )  # Python's own refusal
    if finding and not known and not _reference_raises_the_same(case, subject, error, before):
        return failed(finding)
    named = case.extra["argument"] in first_line(error)
    return passed({"names_argument": named}, (f"refused: {refused(error)}",))


def _reference_raises_the_same(
    case: Case, subject: Subject, error: Exception, before: Call
) -> bool:
    """Then the accident is PyTorch's own way to refuse, and users know it."""
    try:
        expect(subject.spec, case, before)
    except ReferenceFailed as failure:
        return type(failure.__cause__) is type(error)
    return False


def _accepted(
    case: Case, subject: Subject, what: str, before: Call, results: list[torch.Tensor]
) -> Outcome:
    """The call went through: right if the reference takes it too and gives the same."""
    argument, kind = case.extra["argument"], case.extra["kind"]

    def finding(why: str) -> Outcome:
        message = f"{what} was accepted{why}. Refuse it with a message that names `{argument}`."
        return failed(Finding(f"{kind} not refused", message, _details(case)))

    if kind in _NEVER_RIGHT or case.extra["detail"] == "with itself":
        return finding("")
    try:
        expected = expect(subject.spec, case, before)
    except ReferenceFailed as error:
        return finding(f", where the reference raises {refused(error.__cause__ or error)}")
    comparison = judge_call(expected, results, before)
    if comparison.passed:
        return passed(notes=(f"{what} was accepted, and the result is right",))
    reasons = "; ".join(finding.message for finding in findings_of(comparison))
    return finding(f", and the result is wrong: {reasons}")


def _program(call: Call, _case: Case) -> list[str]:
    return [print_call(call, "  # has to be refused, or right")]


def _broken(spec: OperatorSpec, case: Case) -> Call:
    call = make_call(spec, case)
    return broken_call(call, Violation(**case.extra)) or call


CHECK = Check(
    "contract",
    "what the description does not allow is refused with a message, or computed right",
    cases,
    run,
    shrinks=True,
    program=Program(_program, _broken),
)
