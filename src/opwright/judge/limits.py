"""The largest error that each element of an output may have."""

from __future__ import annotations

import math

import torch

from opwright.judge.ulp import deviation, rounds_to_infinity, ulp_size
from opwright.spec.tolerance import (
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
    element or for all; without it the root mean square of the oracle stands in.
    """
    limit = ulp_size(oracle, form).mul_(ULP_FLOOR[form.name])
    if reduction_length > 1:
        scale = _typical_size(oracle) if magnitude is None else magnitude
        term = reduction_limit(form.name, reduction_length, 1.0)
        limit += term * torch.as_tensor(scale, dtype=torch.float64, device=limit.device)
    elif form.name == "float64":
        # The oracle cancels where a float64 operator does, so that the reference shows no error.
        limit += form.eps * _typical_size(oracle)
    return _raise_to_reference(limit, reference, oracle, form)


def declared_limits(
    tolerance: Tolerance, oracle: torch.Tensor, dtype: str, form: FloatFormat
) -> torch.Tensor:
    """`Tolerance.allowed` for each element; raises `SpecError` where no rounded answer can meet it."""
    size = oracle.abs()
    limit = (size * tolerance.rtol).add_(tolerance.atol).clamp_(min=form.smallest_subnormal / 2)
    if tolerance.ulp:
        limit = torch.maximum(limit, ulp_size(oracle, form).mul_(tolerance.ulp))
    limit[~limit.isfinite()] = 0.0
    if tolerance.rtol < form.eps / 2 and not (tolerance.ulp or 0) >= 0.5:
        _refuse_unattainable(tolerance, oracle, limit, dtype, form)
    return limit


def _refuse_unattainable(
    tolerance: Tolerance, oracle: torch.Tensor, limit: torch.Tensor, dtype: str, form: FloatFormat
) -> None:
    size = oracle.abs()
    exact = oracle.to(getattr(torch, dtype)).to(oracle.dtype) == oracle
    inside = (size >= form.smallest_normal) & (size <= form.max) & ~exact
    tight = inside & (limit < ulp_size(oracle, form) / 2)
    if bool(tight.any()):
        tolerance.require_attainable(dtype, float(size[tight].amax()))


def _typical_size(oracle: torch.Tensor) -> float:
    """Root mean square of the finite values."""
    finite = oracle[oracle.isfinite()]
    if not finite.numel():
        return 0.0
    return float(torch.linalg.vector_norm(finite)) / math.sqrt(finite.numel())


def _raise_to_reference(
    limit: torch.Tensor, reference: torch.Tensor, oracle: torch.Tensor, form: FloatFormat
) -> torch.Tensor:
    """Raise ``limit`` to a multiple of the reference's largest error among elements of like size.

    Like size is the same binade, and the next larger (then smaller) ones until there are enough
    elements: one element that the reference happens to get right says little. Where the reference
    gives a wrong special value it says nothing.
    """
    error = deviation(reference, oracle, form).mul_(REFERENCE_FACTOR)
    worse = (error > limit) & error.isfinite() & ~rounds_to_infinity(oracle, form)
    if not bool(worse.any()):
        return limit
    binade = _binades(oracle, form)
    counts = torch.bincount(binade, minlength=_EXPONENTS)
    largest = torch.zeros(_EXPONENTS, dtype=torch.float64, device=limit.device)
    largest.scatter_reduce_(0, binade[worse], error[worse], "amax")
    table = _pool(largest.tolist(), counts.tolist())
    pooled = torch.tensor(table, dtype=torch.float64, device=limit.device)
    return torch.maximum(limit, pooled[binade])


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
        for other in [*filled[place:], *reversed(filled[:place])]:
            seen, value = seen + counts[other], max(value, largest[other])
            if seen >= _NEIGHBOURS:
                break
        pooled[binade] = value
    return pooled
