"""The largest error that each element of an output may have."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from opwright.judge.chunks import chunks
from opwright.judge.ulp import deviation, rounds_to_infinity, ulp_size
from opwright.spec.default_rule import (
    ACCUMULATOR,
    ENOUGH_ELEMENTS,
    ORACLE_FACTOR,
    REFERENCE_FACTOR,
    ROUNDING_FACTOR,
    ROUNDING_ULP,
    ULP_FLOOR,
    reduction_limit,
    unseen_ulp,
)
from opwright.spec.formats import FLOAT_FORMATS, FloatFormat
from opwright.spec.tolerance import Tolerance

# In large outputs one element in a thousand, and at least ENOUGH_ELEMENTS, say together how good the
# reference is at their magnitude. Fewer make false alarms where some elements come from larger
# intermediate values than their neighbours (a difference of squares showed it with 16).
_NEIGHBOURS_PART = 1024
# The reference's error beyond rounding counts from this part of an ULP on.
_NOTICEABLE_ULP = 0.01
# A float64 oracle's typical size is the median of at most this many elements.
_SAMPLE = 4096
_EXPONENT_SHIFT, _EXPONENT_BIAS, _EXPONENTS = 52, 1023, 2048


@dataclass(frozen=True, eq=False)
class DefaultRule:
    """``limit``: the largest right error of each element; ``yardstick``: the reference's largest
    error at that magnitude. Flat, float64, finite and above 0.
    """

    limit: torch.Tensor
    yardstick: torch.Tensor

    def part(self, chosen: slice | torch.Tensor) -> DefaultRule:
        """The rule of some of the elements."""
        return DefaultRule(self.limit[chosen], self.yardstick[chosen])


def default_rule(
    reference: torch.Tensor,
    oracle: torch.Tensor,
    form: FloatFormat,
    *,
    reduction_length: int = 1,
) -> DefaultRule:
    """The rule of `opwright.spec.default_rule` for flat tensors.

    The size of a sum's terms is taken from the oracle: its own size, or its root mean square where
    that is larger, which is what sums of terms of either sign have.
    """
    limit, yardstick = (torch.empty_like(oracle, dtype=torch.float64) for _ in range(2))
    typical = _root_mean_square(oracle) if reduction_length > 1 else 0.0
    term = reduction_limit(form.name, reduction_length, 1.0)
    lost, lost_at_zero = _oracle_errors(oracle, form)
    noise = lost_at_zero if form.name == "float64" and bool((oracle == 0).any()) else 0.0
    pooled = _errors_beyond_rounding(reference, oracle, form)
    unseen = unseen_ulp(form.name, oracle.numel())
    for part in chunks(oracle):
        exact, ulp = oracle[part], ulp_size(oracle[part], form)
        beyond = None if pooled is None else pooled.index_select(0, _binades(exact, form))
        allowed = ulp.mul(ULP_FLOOR[form.name]).add_(lost)
        allowed[_cancelled(exact, noise)] += lost_at_zero
        if term:
            allowed += _scale(exact, typical) * term
        if unseen:
            least = ulp * unseen
            beyond = least if beyond is None else torch.maximum(beyond, least)
        if beyond is not None:
            allowed.add_(beyond, alpha=REFERENCE_FACTOR)
            less = REFERENCE_FACTOR - ROUNDING_FACTOR[form.name]
            if less:
                allowed.sub_(torch.minimum(beyond, ulp * ROUNDING_ULP), alpha=less)
        rounding = ulp.mul_(0.5).clamp_(min=form.smallest_subnormal)
        limit[part] = allowed
        yardstick[part] = rounding if beyond is None else rounding.add_(beyond)
    return DefaultRule(limit, yardstick)


def declared_limits(
    tolerance: Tolerance, oracle: torch.Tensor, dtype: torch.dtype, form: FloatFormat
) -> torch.Tensor:
    """`Tolerance.allowed` for each element; raises `SpecError` where no rounded answer can meet it."""
    limit = torch.empty(oracle.shape, dtype=torch.float64, device=oracle.device)
    least, ulps = form.smallest_subnormal / 2, tolerance.ulp or 0.0
    for part in chunks(oracle):
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


def _oracle_errors(oracle: torch.Tensor, form: FloatFormat) -> tuple[float, float]:
    """What a float64 oracle itself may have lost: anywhere, and more where it is exactly 0.

    Where it cancels (a GELU's tail) its absolute error is that of its intermediate values. Their
    size is taken from the median output, for float64 itself, where it matters more, from the root
    mean square; where everything cancelled, they are taken to be near 1. Beside zeros of a float64
    oracle that goes for what is as small as the rounding of a 1: which of them are exactly 0 differs
    between processors.
    """
    unit = ORACLE_FACTOR * FLOAT_FORMATS["float64"].eps
    if form.name == "float64":
        return unit * _root_mean_square(oracle), unit
    sample = oracle[:: max(1, oracle.numel() // _SAMPLE)].abs()
    typical = float(sample.median()) if sample.numel() else 0.0
    return unit * typical if math.isfinite(typical) else 0.0, unit


def _cancelled(oracle: torch.Tensor, noise: float) -> torch.Tensor:
    """Where an oracle is 0, or up to ``noise`` from it by the rounding of numbers near 1.

    What is far smaller than that rounding was never near 1.
    """
    zero = oracle == 0
    if not noise:
        return zero
    size = oracle.abs()
    return zero | ((size <= noise) & (size >= FLOAT_FORMATS["float64"].eps / 64))


def _root_mean_square(oracle: torch.Tensor) -> float:
    """Of the finite values."""
    norm = float(torch.linalg.vector_norm(oracle)) if oracle.numel() else 0.0
    if math.isfinite(norm):
        return norm / math.sqrt(max(oracle.numel(), 1))
    finite = oracle[oracle.isfinite()]
    norm = float(torch.linalg.vector_norm(finite))
    return norm / math.sqrt(finite.numel()) if math.isfinite(norm) and finite.numel() else 0.0


def _scale(oracle: torch.Tensor, typical: float) -> torch.Tensor:
    size = oracle.abs().clamp_(min=typical)
    return size.nan_to_num_(nan=typical, posinf=typical)


def _errors_beyond_rounding(
    reference: torch.Tensor, oracle: torch.Tensor, form: FloatFormat
) -> torch.Tensor | None:
    """For each binade the reference's largest error, half an ULP less, among elements of like size.

    Like size is the same binade, and the next larger (then smaller) ones until there are enough
    elements: one element that the reference happens to get right says little. Where the reference
    gives a wrong special value it says nothing. None where rounding explains all.

    With few elements in float32 and float64 rounding stays in: the largest error of all is then the
    one sign of how large intermediate values were.
    """
    few = oracle.numel() < ENOUGH_ELEMENTS and form.name not in ACCUMULATOR
    rounding = 0.0 if few else 0.5
    largest = torch.zeros(_EXPONENTS, dtype=torch.float64, device=oracle.device)
    counts = torch.zeros(_EXPONENTS, dtype=torch.int64, device=oracle.device)
    for part in chunks(oracle):
        exact, binade = oracle[part], _binades(oracle[part], form)
        ulp = ulp_size(exact, form)
        beyond = deviation(reference[part], exact, form).sub_(ulp, alpha=rounding)
        beyond[rounds_to_infinity(exact, form)] = 0.0
        beyond.nan_to_num_(posinf=0.0)
        counts += torch.bincount(binade, minlength=_EXPONENTS)
        if bool((beyond > ulp.mul_(_NOTICEABLE_ULP)).any()):
            largest.scatter_reduce_(0, binade, beyond, "amax")
    if not bool(largest.any()):
        return None
    enough = max(ENOUGH_ELEMENTS, oracle.numel() // _NEIGHBOURS_PART)
    return largest.new_tensor(_pool(largest.tolist(), counts.tolist(), enough))


def _binades(oracle: torch.Tensor, form: FloatFormat) -> torch.Tensor:
    exponent = oracle.abs().view(torch.int64) >> _EXPONENT_SHIFT
    low, high = form.min_exponent + _EXPONENT_BIAS, form.max_exponent + _EXPONENT_BIAS
    return exponent.clamp_(low, high)


def _pool(largest: list[float], counts: list[int], enough: int) -> list[float]:
    """For each binade the largest error of its neighbourhood of at least ``enough`` elements."""
    filled = [binade for binade, count in enumerate(counts) if count]
    pooled = [0.0] * len(counts)
    for place, binade in enumerate(filled):
        seen, value = 0, 0.0
        for other in [*filled[place : place + enough], *reversed(filled[:place])]:
            seen, value = seen + counts[other], max(value, largest[other])
            if seen >= enough:
                break
        pooled[binade] = value
    return pooled
