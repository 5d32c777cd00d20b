"""Determinism: a call's answer follows from its arguments, whatever was called before."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator, same_bits
from opwright.checks.judging.programs import Program, arguments_text, copies
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call, reference_results
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets

_SIZES = 6

# So many elements are not alike by chance, where an operator throws dice.
_TELLING_ELEMENTS = 8


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A few sizes and every dtype."""
    scalars = scalar_choices(spec)[0]
    for seed, sizes in enumerate(size_sets(spec, scalars, count=_SIZES)):
        for dtypes in dtype_choices(spec):
            yield Case("determinism", case_name(sizes, dtypes), dtypes, sizes, scalars, seed=seed)


def run(case: Case, subject: Subject) -> Outcome:
    """Call with some values, with others of the same sizes, and with the first ones again.

    Then once more with the others, in the very tensors that the first ones came in.
    """
    other_case = case.with_other_values()
    answers = []
    for one in (case, other_case, case):
        call = make_call(subject.spec, one)
        answers.append([tensor.clone() for tensor in run_operator(subject, call)])
    first, other, again = answers
    if not _identical(first, again):
        findings = (
            *_wrong(case, subject, first, "for the first time"),
            *_wrong(case, subject, again, "again, after one with other values"),
        )
        note = "the same call twice: both answers are right, and their bits differ"
        return failed(*findings) if findings else passed(notes=(note,))
    if sum(tensor.numel() for tensor in first) < _TELLING_ELEMENTS:
        return passed()
    if _identical(first, other) and _expects_others(case, other_case, subject):
        return _stale(
            "a call with other values of the same sizes gives the answer of the call before, bit by bit"
        )
    refilled = _refilled(case, other_case, subject)
    if _identical(first, refilled) and not _identical(other, refilled):
        return _stale(
            "the same tensors, filled with other values, give the answer of the call before, bit by bit"
        )
    return passed()


def _refilled(case: Case, other: Case, subject: Subject) -> list[torch.Tensor]:
    """Call, put the other case's values into the same tensors, and call again."""
    call = make_call(subject.spec, case)
    run_operator(subject, call)
    for name, tensor in make_call(subject.spec, other).tensors.items():
        call.tensors[name].copy_(tensor)
    return [tensor.clone() for tensor in run_operator(subject, call)]


def _stale(what: str) -> Outcome:
    return failed(
        Finding(
            "stale output",
            f"{what}: something that depends on the values is kept from call to call",
        )
    )


def _expects_others(case: Case, other: Case, subject: Subject) -> bool:
    """Whether the reference's answers to the two cases differ."""
    one, two = (
        reference_results(subject.spec, make_call(subject.spec, each), wide=False)
        for each in (case, other)
    )
    return not _identical(one, two)


def _identical(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(same_bits(a, b) for a, b in zip(one, other, strict=True))


def _wrong(
    case: Case, subject: Subject, results: list[torch.Tensor], when: str
) -> tuple[Finding, ...]:
    call = make_call(subject.spec, case)
    comparison = judge_call(expect(subject.spec, case, call), results, call)
    return tuple(
        Finding(
            "depends on earlier calls",
            f"the same call twice gives two answers, and called {when} it is wrong: {finding.message}",
            {**finding.details, "kind": finding.kind},
        )
        for finding in findings_of(comparison)
    )


def _program(call: Call, _case: Case) -> list[str]:
    others = arguments_text(call, lambda name: f"{name}.flip(0)" if name in call.tensors else name)
    return [
        f"print(operator({copies(call)}))",
        f"operator({others})  # other values in between",
        f"print(operator({copies(call)}))  # the same once more",
    ]


CHECK = Check(
    "determinism",
    "a call's answer follows from its arguments alone, whatever was called before",
    cases,
    run,
    shrinks=True,
    program=Program(_program),
)
