"""Numerics: every output against the reference in float64, and the tolerance shown able to fail."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from opwright.checks.judging.outputs import Expected, expect, findings_of, judge_call, run_operator
from opwright.checks.judging.programs import Program
from opwright.checks.planning.choices import absences, case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call, reference_results
from opwright.judge import Evidence, evidence
from opwright.records.verdict import Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import MAX_ELEMENTS, Sizes, large_size_sets, largest, size_sets

_SIZES = 24
_LARGE_ELEMENTS = 1 << 20
_ABSENT_SIZES = 4  # sets of sizes at which optional tensors are left out
_STALE_TRIES = 4
_STALE_SEED = 7919  # another seed: what a kernel that keeps an old result would return

_ADVICE = (
    ". The limits follow the reference's own error: write the reference so that it computes in float32, "
    "or declare a tolerance. A few elements may also be too few to tell"
)


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Typical and edge sizes, for every dtype; every scalar value and absent tensor at some sizes.

    One large case, in the first dtype: loops over threads and blocks that small sizes never enter are
    written once for all dtypes.
    """
    absent = list(absences(spec))
    dtypes = dtype_choices(spec)
    for choice, scalars in enumerate(scalar_choices(spec)):
        # Further scalar values take another code path, not other index arithmetic.
        first = choice == 0
        for seed, sizes in enumerate(
            size_sets(spec, scalars, count=_SIZES if first else _SIZES // 2)
        ):
            left_outs = absent if first and seed < _ABSENT_SIZES else absent[:1]
            for chosen, left_out in itertools.product(dtypes, left_outs):
                yield _case(sizes, chosen, scalars, left_out, seed)
    scalars = scalar_choices(spec)[0]
    for sizes in large_size_sets(spec, scalars, count=1, max_elements=_LARGE_ELEMENTS):
        if largest(spec, sizes, scalars) > MAX_ELEMENTS:
            yield _case(sizes, dtypes[0], scalars)


def _case(
    sizes: Sizes,
    dtypes: dict[str, str],
    scalars: dict[str, Any],
    absent: tuple[str, ...] = (),
    seed: int = 0,
) -> Case:
    name = case_name(sizes, dtypes, scalars, absent)
    return Case("numerics", name, dtypes, sizes, scalars, absent=absent, seed=seed)


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
        return not_checked(planted.text + (_ADVICE if planted.passed else ""))
    return passed(figures | {"planted_caught": len(planted.caught)}, comparison.notes)


def _planted(case: Case, subject: Subject, call: Call, expected: Expected) -> Evidence:
    """What the judge makes of planted wrong outputs on this case."""
    stale = _stale(case, subject, expected)
    inputs = list(call.tensors.values())
    return evidence(expected.standards, inputs=inputs, stale=stale, names=expected.names)


def _stale(case: Case, subject: Subject, expected: Expected) -> list[torch.Tensor]:
    """The reference's outputs for other values, which in a few elements may be alike by chance."""
    right = [standard.reference for standard in expected.standards]
    stale: list[torch.Tensor] = []
    for number in range(1, _STALE_TRIES + 1):
        other = make_call(subject.spec, _with_seed(case, case.seed + number * _STALE_SEED))
        stale = reference_results(subject.spec, other, wide=False)
        if not any(map(_alike, right, stale)):
            break
    return stale


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    wide = torch.complex128 if one.is_complex() else torch.float64
    return torch.allclose(one.to(wide), other.to(wide), rtol=0.1, atol=0.0, equal_nan=True)


def _with_seed(case: Case, seed: int) -> Case:
    return Case(**{**vars(case), "seed": seed})


CHECK = Check(
    "numerics",
    "every output is as near to the float64 oracle as its dtype allows, on cases where a wrong output fails",
    cases,
    run,
    shrinks=True,
    program=Program(),
)
