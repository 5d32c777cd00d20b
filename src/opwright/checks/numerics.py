"""Numerics: every output against the reference in float64, and the tolerance shown able to fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opwright.checks.judging import Expected, expect, findings_of, judge_call, run_operator
from opwright.checks.plan import absences, case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call, reference_results
from opwright.judge import Evidence, evidence
from opwright.records.verdict import Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import large_size_sets, size_sets

_SIZES = 24
_LARGE_ELEMENTS = 1 << 20
_ABSENT_SIZES = 4  # sets of sizes at which optional tensors are left out
_STALE_SEED = 7919  # another seed: what a kernel that keeps an old result would return


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Typical and edge sizes, for every dtype; every scalar value and absent tensor at some sizes."""
    absent = list(absences(spec))
    for choice, scalars in enumerate(scalar_choices(spec)):
        # Further scalar values take another code path, not other index arithmetic.
        first = choice == 0
        sets = size_sets(spec, scalars, count=_SIZES if first else _SIZES // 2)
        sets += large_size_sets(spec, scalars, count=int(first), max_elements=_LARGE_ELEMENTS)
        for seed, sizes in enumerate(sets):
            for dtypes in dtype_choices(spec):
                for left_out in absent if first and seed < _ABSENT_SIZES else absent[:1]:
                    name = case_name(sizes, dtypes, scalars, left_out)
                    yield Case("numerics", name, dtypes, sizes, scalars, absent=left_out, seed=seed)


def run(case: Case, subject: Subject) -> Outcome:
    """Judge one call; a case on which a planted wrong output passes is no evidence."""
    call = make_call(subject.spec, case)
    before = call.cloned()
    expected = expect(subject.spec, case, call)
    results = run_operator(subject, call)
    comparison = judge_call(expected, results, before)
    figures: dict[str, Any] = comparison.to_json()["figures"]
    if not comparison.passed:
        return failed(*findings_of(comparison), figures=figures)
    planted = _planted(case, subject, before, expected)
    if not planted.is_evidence:
        return not_checked(planted.text)
    return passed(figures | {"planted_caught": len(planted.caught)}, comparison.notes)


def _planted(case: Case, subject: Subject, call: Call, expected: Expected) -> Evidence:
    """What the judge makes of planted wrong outputs on this case."""
    other = make_call(subject.spec, _with_seed(case, case.seed + _STALE_SEED))
    stale = reference_results(subject.spec, other, wide=False)
    inputs = list(call.tensors.values())
    return evidence(expected.standards, inputs=inputs, stale=stale, names=expected.names)


def _with_seed(case: Case, seed: int) -> Case:
    return Case(**{**vars(case), "seed": seed})


CHECK = Check(
    "numerics",
    "every output is as near to the float64 oracle as its dtype allows, on cases where a wrong output fails",
    cases,
    run,
)
