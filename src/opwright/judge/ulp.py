"""Errors in units in the last place of a dtype, against float64 values."""

from __future__ import annotations

import torch

from opwright.spec.formats import FloatFormat, float_format

_EXPONENT_BITS = 0x7FF0000000000000
# How far from overflow (in ULP of the last binade) an infinity can still be a rounding error.
_NEAR_OVERFLOW = 16


def format_of(dtype: torch.dtype) -> FloatFormat | None:
    """The format of a torch dtype's numbers (of a complex dtype's parts); None where they are exact."""
    return float_format(str(dtype).removeprefix("torch."))


def ulp_size(oracle: torch.Tensor, form: FloatFormat) -> torch.Tensor:
    """Spacing of ``form``'s numbers in the binade of each value of ``oracle`` (float64).

    Values in [2^e, 2^(e+1)) have the spacing 2^(e - mantissa_bits); below the smallest normal it
    stays that of the subnormals, and beyond the largest number (infinities and NaN too) that of
    the last binade. Complex values have that of their modulus.
    """
    magnitude = oracle.abs() if oracle.is_complex() else oracle.contiguous()
    binade = torch.bitwise_and(magnitude.view(torch.int64), _EXPONENT_BITS).view(torch.float64)
    return binade.clamp_(form.smallest_normal, 2.0**form.max_exponent).mul_(form.eps)


def deviation(actual: torch.Tensor, oracle: torch.Tensor, form: FloatFormat) -> torch.Tensor:
    """``|actual - oracle|`` in float64, by modulus for complex values; never NaN.

    NaN agrees with NaN only. An infinity agrees with an infinity of its sign and with whatever
    IEEE 754 rounds to it; next to the largest number it counts as the number after it. Where
    special values disagree the deviation is infinite.
    """
    wide = actual.to(torch.complex128 if oracle.is_complex() else torch.float64)
    error = wide - oracle
    error = error.abs() if error.is_complex() else error.abs_()
    if not error.numel() or torch.isfinite(error.amax()):
        return error
    if not oracle.is_complex():
        return _deviation_of_special(wide, oracle, form)
    parts = _deviation_of_special(torch.view_as_real(wide), torch.view_as_real(oracle), form)
    return torch.hypot(parts[..., 0], parts[..., 1])


def rounds_to_infinity(oracle: torch.Tensor, form: FloatFormat) -> torch.Tensor:
    """Where a right answer in ``form`` is an infinity."""
    return oracle.abs() >= form.overflow


def _deviation_of_special(
    actual: torch.Tensor, oracle: torch.Tensor, form: FloatFormat
) -> torch.Tensor:
    size, margin = oracle.abs(), _NEAR_OVERFLOW * form.ulp(form.max)
    overflows, infinite = rounds_to_infinity(oracle, form), actual.isinf()
    near = (size > form.max - margin) & (size < form.overflow + margin)
    after_largest = torch.copysign(size.new_tensor(form.max + form.ulp(form.max)), actual)
    error = (torch.where(infinite & near, after_largest, actual) - oracle).abs_()
    error[~near & (infinite | overflows)] = torch.inf
    agree = infinite & overflows & (actual.signbit() == oracle.signbit())
    error[agree | (actual.isnan() & oracle.isnan())] = 0.0
    return error.nan_to_num_(nan=torch.inf, posinf=torch.inf)
