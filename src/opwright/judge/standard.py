"""What the outputs of one case are held to: computed once, then used for every output judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from opwright.judge.figures import error_figures
from opwright.judge.limits import declared_limits, default_limits
from opwright.judge.structure import as_outputs
from opwright.judge.ulp import deviation, format_of
from opwright.spec.tolerance import FloatFormat, Tolerance


@dataclass(frozen=True, eq=False)
class Standard:
    """What one output is held to. Tensors but ``reference`` are flat and on the oracle's device.

    ``default`` is the limit of the default rule, ``limit`` the one that decides: the declared
    tolerance's where there is one. ``excused`` marks where the reference's own special value is
    wrong. Exact dtypes have no ``form`` and empty limits.
    """

    reference: torch.Tensor
    reference_values: torch.Tensor
    oracle: torch.Tensor
    form: FloatFormat | None
    tolerance: Tolerance | None
    limit: torch.Tensor
    default: torch.Tensor
    excused: torch.Tensor | None = None
    reference_figures: dict[str, float] = field(default_factory=dict)
    reference_misses: int = 0


def set_standards(
    reference: Any,
    oracle: Any,
    tolerance: Tolerance | None = None,
    *,
    reduction_length: int = 1,
    magnitude: torch.Tensor | float | None = None,
) -> tuple[Standard, ...]:
    """The standard of each output of a case.

    ``reference`` is what the reference returns at the dtype under test, ``oracle`` what it returns
    in float64 (complex128) for the same inputs. ``reduction_length`` is how many terms the longest
    sum behind an output element has; see `default_limits` for ``magnitude``. Raises `SpecError`
    for a ``tolerance`` that no correct operator can meet on this case.
    """
    references, oracles = as_outputs(reference), as_outputs(oracle)
    return tuple(
        _standard(one, exact, tolerance, reduction_length, magnitude)
        for one, exact in zip(references, oracles, strict=True)
    )


def _standard(
    reference: torch.Tensor,
    oracle: torch.Tensor,
    tolerance: Tolerance | None,
    reduction_length: int,
    magnitude: torch.Tensor | float | None,
) -> Standard:
    form = format_of(reference.dtype)
    flat = reference.detach().to(oracle.device).reshape(-1)
    if form is None:
        exact, nothing = oracle.detach().reshape(-1), torch.empty(0)
        return Standard(reference, flat, exact, None, None, nothing, nothing)
    wide = torch.complex128 if reference.is_complex() else torch.float64
    exact = oracle.detach().to(wide).reshape(-1).contiguous()
    if isinstance(magnitude, torch.Tensor):
        magnitude = magnitude.expand(oracle.shape).reshape(-1)
    default = default_limits(
        flat, exact, form, reduction_length=reduction_length, magnitude=magnitude
    )
    name = str(reference.dtype).removeprefix("torch.")
    limit = declared_limits(tolerance, exact, name, form) if tolerance else default
    error = deviation(flat, exact, form)
    wrong_special = error.isinf()
    return Standard(
        reference,
        flat,
        exact,
        form,
        tolerance,
        limit,
        default,
        wrong_special if bool(wrong_special.any()) else None,
        error_figures(error, exact, form, default),
        int((error > limit).sum()),
    )


def errors_of(values: torch.Tensor, standard: Standard) -> torch.Tensor:
    """Flat float64 errors of flat ``values``; infinite where special values disagree.

    Repeating a wrong special value of the reference is no error of the operator's.
    """
    assert standard.form is not None
    error = deviation(values, standard.oracle, standard.form)
    if standard.excused is not None:
        same = (values == standard.reference_values) | (
            values.isnan() & standard.reference_values.isnan()
        )
        error[standard.excused & same] = 0.0
    return error


def standards_pass(values: Sequence[torch.Tensor], standards: Sequence[Standard]) -> bool:
    """Whether outputs of the right structure hold their standards; no figures, so it is quick."""
    return all(_passes(one, standard) for one, standard in zip(values, standards, strict=True))


def _passes(values: torch.Tensor, standard: Standard) -> bool:
    flat = values.to(standard.oracle.device).reshape(-1)
    if standard.form is None:
        return not bool(exact_misses(flat, standard).any())
    return not bool((errors_of(flat, standard) > standard.limit).any())


def exact_misses(values: torch.Tensor, standard: Standard) -> torch.Tensor:
    """Where an exact output is neither the oracle's nor the reference's value.

    A comparison or an argmax of numbers that were rounded to the dtype can rightly differ from the
    same in float64, so that either is right.
    """
    exact = standard.oracle.to(values.dtype)
    return (values != exact) & (values != standard.reference_values)
