"""Numerics: every output against the reference in float64, and the tolerance shown able to fail."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from opwright.checks.judging.outputs import Expected, expect, findings_of, judge_call, run_operator
from opwright.checks.judging.programs import Program, arguments_text, beside_reference, copies
from opwright.checks.judging.refusals import refused, unclear
from opwright.checks.planning.choices import absences, case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.errors import ReferenceFailed, SpecError
from opwright.inputs.call import Call, make_call, reference_results
from opwright.inputs.values import MAGNITUDES, has_room
from opwright.judge import Evidence, evidence
from opwright.records.verdict import Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import (
    MAX_ELEMENTS,
    Sizes,
    large_size_sets,
    largest,
    roomy_size_sets,
    size_sets,
)
from opwright.spec.undeclared import (
    far_size_sets,
    sizes_past_a_million,
    undeclared_scalars,
    undeclared_size_sets,
)

_SIZES = 24
_SCALAR_SIZES = 2
_MIDDLING_ELEMENTS = 1 << 13
_LARGE_ELEMENTS = 1 << 20
_UNLISTED = {"unlisted": True}
_ABSENT_SIZES = 4  # sets of sizes at which optional tensors are left out
_STALE_TRIES = 4

_ADVICE = (
    ". The limits follow the reference's own error: write the reference so that it computes in float32, "
    "or declare a tolerance. A few elements may also be too few to tell"
)


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """What the description lists, in other magnitudes too, and what it allows beside that.

    The large ones in the first dtype: loops over threads and blocks that small sizes never enter are
    written once for all dtypes.
    """
    yield from _listed(spec)
    yield from _other_magnitudes(spec)
    yield from _gradients_enabled(spec)
    yield from _unlisted(spec)
    scalars, dtypes = scalar_choices(spec)[0], dtype_choices(spec)[0]
    for sizes in large_size_sets(spec, scalars, count=1, max_elements=_LARGE_ELEMENTS):
        if largest(spec, sizes, scalars) > MAX_ELEMENTS:
            yield _case(sizes, dtypes, scalars)
    past = sizes_past_a_million(spec, scalars)
    if past is not None:
        yield replace(_case(past, dtypes, scalars), extra=_UNLISTED)


def _listed(spec: OperatorSpec) -> Iterator[Case]:
    """Typical and edge sizes, for every dtype; every scalar value and absent tensor at some sizes."""
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


def _other_magnitudes(spec: OperatorSpec) -> Iterator[Case]:
    """Large and small numbers, where the ranges have room, for every dtype."""
    scalars = scalar_choices(spec)[0]
    sets = roomy_size_sets(spec, scalars, count=1)
    sets += large_size_sets(spec, scalars, count=1, max_elements=_MIDDLING_ELEMENTS)
    for values in MAGNITUDES:
        if any(has_room(tensor, values) for tensor in spec.inputs.values()):
            for sizes, dtypes in itertools.product(sets, dtype_choices(spec)):
                case = _case(sizes, dtypes, scalars)
                yield replace(case, name=f"{case.name} {values} values", values=values)


def _gradients_enabled(spec: OperatorSpec) -> Iterator[Case]:
    scalars = scalar_choices(spec)[0]
    for sizes in roomy_size_sets(spec, scalars, count=1):
        for dtypes in dtype_choices(spec):
            case = _case(sizes, dtypes, scalars)
            name = f"{case.name} gradients enabled"
            yield replace(case, name=name, extra={"grad_mode": True})


def _unlisted(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes and numbers that the description allows and does not list; each in one dtype or two."""
    dtypes, first = itertools.cycle(dtype_choices(spec)), scalar_choices(spec)[0]
    for seed, sizes in enumerate(undeclared_size_sets(spec, first)):
        for chosen in {str(d): d for d in (dtype_choices(spec)[0], next(dtypes))}.values():
            yield replace(_case(sizes, chosen, first, seed=seed), extra=_UNLISTED)
    for seed, sizes in enumerate(far_size_sets(spec, first)):
        yield replace(_case(sizes, dtype_choices(spec)[0], first, seed=seed), extra=_UNLISTED)
    for name, value in undeclared_scalars(spec):
        scalars = {**first, name: value}
        for sizes in size_sets(spec, scalars, count=_SCALAR_SIZES):
            yield replace(_case(sizes, next(dtypes), scalars), extra=_UNLISTED)


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
    try:
        expected = expect(subject.spec, case, call)
    except (ReferenceFailed, SpecError) as error:
        if _is_listed(case):
            raise
        return not_checked(f"nobody lists this, and {error.what}")
    try:
        results = run_operator(subject, call, grad_mode=case.extra.get("grad_mode", False))
    except Exception as error:
        if _is_listed(case):
            raise
        return _refused(case, error)
    comparison = judge_call(expected, results, before, strides=True)
    figures: dict[str, Any] = comparison.to_json()["figures"]
    if not comparison.passed:
        if not _is_listed(case) and all(
            reason.kind == "tolerance" for reason in comparison.reasons
        ):
            return not_checked("nobody lists this, and the declared tolerance is not meant for it")
        return failed(*findings_of(comparison), figures=figures)
    planted = _planted(case, subject, before, expected)
    if not planted.is_evidence:
        return not_checked(planted.text + (_ADVICE if planted.passed else ""))
    return passed(figures | {"planted_caught": len(planted.caught)}, comparison.notes)


def _is_listed(case: Case) -> bool:
    """Whether the case is made of what the description lists, in the magnitude that it is drawn in."""
    return not case.extra.get("unlisted", False) and case.values not in MAGNITUDES


def _refused(case: Case, error: Exception) -> Outcome:
    """What the description allows and does not list may be refused, if clearly."""
    finding = unclear(error, f"at {case.name}")
    if finding is not None:
        return failed(finding)
    return not_checked(f"refused, and nothing in the description says so: {refused(error)}")


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
        other = make_call(subject.spec, case.with_other_values(number))
        stale = reference_results(subject.spec, other, wide=False)
        if not any(map(_alike, right, stale)):
            break
    return stale


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    wide = torch.complex128 if one.is_complex() else torch.float64
    return torch.allclose(one.to(wide), other.to(wide), rtol=0.1, atol=0.0, equal_nan=True)


def _program(call: Call, case: Case) -> list[str]:
    if not case.extra.get("grad_mode"):
        return beside_reference(call, case)
    name = f"torch.ops.{call.spec.namespace}.{call.spec.name}"
    return [
        f"expected = operator.spec.reference({copies(call)})",
        "operator.load()",
        f"print({name}({arguments_text(call)}))  # gradients enabled; `operator` turns them off",
        "print(expected)  # the reference's",
    ]


CHECK = Check(
    "numerics",
    "every output is as near to the float64 oracle as its dtype allows, on cases where a wrong output fails",
    cases,
    run,
    shrinks=True,
    program=Program(_program),
)
