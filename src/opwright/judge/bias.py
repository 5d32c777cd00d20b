"""Rounding that leans to one side: truncation, and rounding down or up, of half-precision outputs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from opwright.judge.ulp import ulp_size
from opwright.spec.default_rule import ACCUMULATOR
from opwright.spec.formats import FloatFormat

# Truncation is wrong by 0.5 ULP towards zero on average, rounding to nearest by 0 with a spread of
# 0.29 ULP an element: 0.018 for the mean of so many.
_ENOUGH = 256
_TOO_MUCH_ULP = 0.25
# How near to a number of the format, or to the middle of two, an exact answer says nothing: all
# ways to round give the former, and of the latter right ones give either.
_MARGIN_ULP = 0.02


@dataclass(frozen=True)
class Bias:
    """Mean signed errors in ULP over ``elements``: how far results lie towards zero, and how far down."""

    towards_zero: float
    downwards: float
    elements: int


def rounding_bias(values: torch.Tensor, oracle: torch.Tensor, form: FloatFormat) -> Bias | None:
    """The bias of flat ``values`` of a half type; None for other types, and for too few elements."""
    if form.name not in ACCUMULATOR or oracle.is_complex() or oracle.numel() < _ENOUGH:
        return None
    ulp = ulp_size(oracle, form)
    size = oracle.abs()
    part = (size / ulp).frac_()
    telling = (part > _MARGIN_ULP) & (part < 1 - _MARGIN_ULP) & ((part - 0.5).abs() > _MARGIN_ULP)
    telling &= (size >= form.smallest_normal) & (size < form.max) & values.isfinite()
    count = int(telling.sum())
    if count < _ENOUGH:
        return None
    exact = oracle[telling]
    error = ((exact - values[telling].to(torch.float64)) / ulp[telling]).clamp_(-1.0, 1.0)
    return Bias(float((error * exact.sign()).mean()), float(error.mean()), count)


def told_bias(bias: Bias, reference: Bias) -> str:
    """What is wrong with the rounding, for one that leans more than the reference's; empty else."""
    for one, other, directions in (
        (bias.towards_zero, reference.towards_zero, ("towards zero", "away from zero")),
        (bias.downwards, reference.downwards, ("downwards", "upwards")),
    ):
        if abs(one) - abs(other) > _TOO_MUCH_ULP:
            lean = directions[0] if one > 0 else directions[1]
            return (
                f"results lie {abs(one):.2g} ULP {lean} of the exact ones on average, over "
                f"{bias.elements} elements, the reference's {abs(other):.2g}: they are cut off or "
                "rounded to one side, and not to nearest"
            )
    return ""
