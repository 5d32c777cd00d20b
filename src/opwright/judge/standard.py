"""What the outputs of one case are held to: computed once, then used for every output judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from opwright.judge.chunks import chunks
from opwright.judge.figures import NO_ERRORS, Errors, Tally, mean_is_beyond
from opwright.judge.limits import DefaultRule, declared_limits, default_rule
from opwright.judge.structure import as_outputs
from opwright.judge.ulp import deviation, format_of
from opwright.spec.formats import FloatFormat
from opwright.spec.tolerance import Tolerance


@dataclass(frozen=True, eq=False)
class Standard:
    """What one output is held to. Tensors but ``reference`` are flat and on the oracle's device.

    ``limit`` decides: the declared tolerance's where there is one, otherwise that of ``rule``, the
    default one. Exact dtypes have no ``form`` and empty limits.
    ``reference_wrong`` counts wrong special values of the reference, ``reference_beyond`` what it
    has beyond ``limit``.
    """

    reference: torch.Tensor
    reference_values: torch.Tensor
    oracle: torch.Tensor
    form: FloatFormat | None
    tolerance: Tolerance | None
    limit: torch.Tensor
    rule: DefaultRule
    reference_errors: Errors = NO_ERRORS
    reference_wrong: int = 0
    reference_beyond: int = 0


def set_standards(
    reference: Any,
    oracle: Any,
    tolerance: Tolerance | None = None,
    *,
    reduction_length: int = 1,
) -> tuple[Standard, ...]:
    """The standard of each output of a case.

    ``reference`` is what the reference returns at the dtype under test, ``oracle`` what it returns
    in float64 (complex128) for the same inputs. ``reduction_length`` is how many terms the longest
    sum behind an output element has. Raises `SpecError` for a ``tolerance`` that no correct operator
    can meet on this case.
    """
    references, oracles = as_outputs(reference), as_outputs(oracle)
    return tuple(
        _standard(one, exact, tolerance, reduction_length=reduction_length)
        for one, exact in zip(references, oracles, strict=True)
    )


def _standard(
    reference: torch.Tensor,
    oracle: torch.Tensor,
    tolerance: Tolerance | None,
    *,
    reduction_length: int,
) -> Standard:
    form = format_of(reference.dtype)
    flat = reference.detach().to(oracle.device).reshape(-1)
    if form is None:
        exact, nothing = oracle.detach().reshape(-1), torch.empty(0)
        rule = DefaultRule(nothing, nothing)
        return Standard(reference, flat, exact, None, None, nothing, rule)
    wide = torch.complex128 if reference.is_complex() else torch.float64
    exact = oracle.detach().to(wide).reshape(-1).contiguous()
    rule = default_rule(flat, exact, form, reduction_length=reduction_length)
    limit = declared_limits(tolerance, exact, reference.dtype, form) if tolerance else rule.limit
    tally, wrong, beyond = Tally(exact.numel()), 0, 0
    for part in chunks(exact):
        error = deviation(flat[part], exact[part], form)
        tally.add(error, exact[part], rule.part(part), form)
        if tolerance or math.isinf(float(error.amax())):
            wrong += int(error.isinf().sum())
            beyond += int((error > limit[part]).sum())
    return Standard(
        reference, flat, exact, form, tolerance, limit, rule, tally.errors(), wrong, beyond
    )


def loosened(standard: Standard, least: torch.Tensor) -> Standard:
    """The standard with limits of at least ``least`` (flat), by the default rule as well."""
    rule = DefaultRule(torch.maximum(standard.rule.limit, least), standard.rule.yardstick)
    return replace(standard, limit=torch.maximum(standard.limit, least), rule=rule)


def errors_of(values: torch.Tensor, standard: Standard, part: slice) -> torch.Tensor:
    """Float64 errors of flat ``values``, a ``part`` of an output; infinite for wrong special values.

    Repeating a wrong special value of the reference is no error of the operator's.
    """
    assert standard.form is not None
    error = deviation(values, standard.oracle[part], standard.form)
    if standard.reference_wrong:
        wrong = deviation(standard.reference_values[part], standard.oracle[part], standard.form)
        error[wrong.isinf() & _same(values, standard.reference_values[part])] = 0.0
    return error


def holds(values: Sequence[torch.Tensor], standards: Sequence[Standard]) -> bool:
    """Whether outputs of the right structure pass; without figures, and ends at the first fault."""
    return all(_holds(one, standard) for one, standard in zip(values, standards, strict=True))


def _holds(output: torch.Tensor, standard: Standard) -> bool:
    values = output.detach().to(standard.oracle.device).reshape(-1)
    if standard.form is None:
        return not bool(exact_misses(values, standard).any())
    total = 0.0
    for part in chunks(values):
        error = errors_of(values[part], standard, part)
        if bool((error > standard.limit[part]).any()):
            return False
        total += float(error.div_(standard.rule.limit[part]).sum())
    count, mean = values.numel(), total / max(values.numel(), 1)
    return standard.tolerance is not None or not mean_is_beyond(
        mean, count, standard.reference_errors
    )


def exact_misses(values: torch.Tensor, standard: Standard) -> torch.Tensor:
    """Where an exact output is neither the oracle's nor the reference's value.

    A comparison or an argmax of numbers that were rounded to the dtype can rightly differ from the
    same in float64, so that either is right.
    """
    exact = standard.oracle.to(values.dtype)
    return (values != exact) & (values != standard.reference_values)


def _same(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return (one == other) | (one.isnan() & other.isnan())
