"""The largest error that each element of an output may have."""

from __future__ import annotations

import math

import torch

from opwright.judge.chunks import chunks
from opwright.judge.ulp import deviation, rounds_to_infinity, ulp_size
from opwright.spec.tolerance import (
    ORACLE_FACTOR,
    REFERENCE_FACTOR,
    ULP_FLOOR,
    FloatFormat,
    Tolerance,
    reduction_limit,
)

# Elements of like magnitude that say together how good the reference is there. With errors spread
# evenly up to a bound, the largest of 16 is below a third of the bound once in 3^16.
_NEIGHBOURS = 16
_EXPONENT_SHIFT, _EXPONENT_BIAS, _EXPONENTS = 52, 1023, 2048


def default_limits(
    reference: torch.Tensor,
    oracle: torch.Tensor,
    form: FloatFormat,
    *,
    reduction_length: int = 1,
    magnitude: torch.Tensor | float | None = None,
) -> torch.Tensor:
    """The rule of `opwright.spec.tolerance` for flat tensors; float64, finite, above 0.

    ``magnitude`` is the sum of the absolute terms over sqrt(``reduction_length``), for each
    element or for all. Without it the oracle stands in: its own size, or its root mean square where
    that is larger, which is what sums of terms of either sign have.
    """
    limit = torch.empty(oracle.shape, dtype=torch.float64, device=oracle.device)
    typical = _typical_size(oracle)
    term = reduction_limit(form.name, reduction_length, 1.0)
    of_oracle = ORACLE_FACTOR * form.eps * typical if form.name == "float64" else 0.0
    for part in chunks(oracle.numel()):
        allowed = ulp_size(oracle[part], form).mul_(ULP_FLOOR[form.name])
        if of_oracle:
            allowed += of_oracle
        if term:
            allowed += _scale(oracle[part], part, typical, magnitude) * term
        limit[part] = allowed
    _raise_to_reference(limit, reference, oracle, form)
    return limit


def declared_limits(
    tolerance: Tolerance, oracle: torch.Tensor, dtype: torch.dtype, form: FloatFormat
) -> torch.Tensor:
    """`Tolerance.allowed` for each element; raises `SpecError` where no rounded answer can meet it."""
    limit = torch.empty(oracle.shape, dtype=torch.float64, device=oracle.device)
    least, ulps = form.smallest_subnormal / 2, tolerance.ulp or 0.0
    for part in chunks(oracle.numel()):
        exact = oracle[part]
        bound = (exact.abs() * tolerance.rtol).add_(tolerance.atol).clamp_(min=least)
        if ulps:
            bound = torch.maximum(bound, ulp_size(exact, form).mul_(ulps))
        # At special values nothing but the same is right.
        limit[part] = bound.nan_to_num_(nan=least, posinf=least)
        if tolerance.rtol < form.eps / 2 and ulps < 0.5:
            _refuse_unattainable(tolerance, exact, limit[part], dtype, form)
    return limit


def _refuse_unattainable(
    tolerance: Tolerance,
    oracle: torch.Tensor,
    limit: torch.Tensor,
    dtype: torch.dtype,
    form: FloatFormat,
) -> None:
    size = oracle.abs()
    inexact = oracle.to(dtype).to(oracle.dtype) != oracle
    inside = (size >= form.smallest_normal) & (size <= form.max)
    tight = inexact & inside & (limit < ulp_size(oracle, form) / 2)
    if bool(tight.any()):
        tolerance.require_attainable(form.name, float(size[tight].amax()))


def _typical_size(oracle: torch.Tensor) -> float:
    """Root mean square of the finite values."""
    norm = float(torch.linalg.vector_norm(oracle)) if oracle.numel() else 0.0
    if math.isfinite(norm):
        return norm / math.sqrt(max(oracle.numel(), 1))
    finite = oracle[oracle.isfinite()]
    norm = float(torch.linalg.vector_norm(finite))
    return norm / math.sqrt(finite.numel()) if math.isfinite(norm) and finite.numel() else 0.0


def _scale(
    oracle: torch.Tensor, part: slice, typical: float, magnitude: torch.Tensor | float | None
) -> torch.Tensor | float:
    if magnitude is None:
        size = oracle.abs().clamp_(min=typical)
        return size.nan_to_num_(nan=typical, posinf=typical)
    return magnitude[part] if isinstance(magnitude, torch.Tensor) else magnitude


def _raise_to_reference(
    limit: torch.Tensor, reference: torch.Tensor, oracle: torch.Tensor, form: FloatFormat
) -> None:
    """Raise ``limit`` to a multiple of the reference's largest error among elements of like size.

    Like size is the same binade, and the next larger (then smaller) ones until there are enough
    elements: one element that the reference happens to get right says little. Where the reference
    gives a wrong special value it says nothing.
    """
    largest = torch.zeros(_EXPONENTS, dtype=torch.float64, device=limit.device)
    for part in chunks(oracle.numel()):
        error = deviation(reference[part], oracle[part], form).mul_(REFERENCE_FACTOR)
        worse = error > limit[part]
        if bool(worse.any()):
            worse &= error.isfinite() & ~rounds_to_infinity(oracle[part], form)
            binade = _binades(oracle[part][worse], form)
            largest.scatter_reduce_(0, binade, error[worse], "amax")
    if not bool(largest.any()):
        return
    counts = torch.zeros(_EXPONENTS, dtype=torch.int64, device=limit.device)
    for part in chunks(oracle.numel()):
        counts += torch.bincount(_binades(oracle[part], form), minlength=_EXPONENTS)
    pooled = largest.new_tensor(_pool(largest.tolist(), counts.tolist()))
    for part in chunks(oracle.numel()):
        error = pooled.index_select(0, _binades(oracle[part], form))
        torch.maximum(limit[part], error, out=limit[part])


def _binades(oracle: torch.Tensor, form: FloatFormat) -> torch.Tensor:
    exponent = oracle.abs().view(torch.int64) >> _EXPONENT_SHIFT
    low, high = form.min_exponent + _EXPONENT_BIAS, form.max_exponent + _EXPONENT_BIAS
    return exponent.clamp_(low, high)


def _pool(largest: list[float], counts: list[int]) -> list[float]:
    """For each binade the largest error of its neighbourhood of at least `_NEIGHBOURS` elements."""
    filled = [binade for binade, count in enumerate(counts) if count]
    pooled = [0.0] * len(counts)
    for place, binade in enumerate(filled):
        seen, value = 0, 0.0
        for other in [*filled[place : place + _NEIGHBOURS], *reversed(filled[:place])]:
            seen, value = seen + counts[other], max(value, largest[other])
            if seen >= _NEIGHBOURS:
                break
        pooled[binade] = value
    return pooled
