"""The figures of one output: how far it is from the oracle, and how far the reference is.

Errors are absolute (``max_abs``), relative to the oracle (``max_rel``) and in ULP of the output
dtype (``max_ulp``, ``mean_ulp``, ``p999_ulp``: the 99.9th percentile), over the elements whose
special values agree; ``reference_...`` are the same for the reference. ``ratio_worst`` is the
largest error over the reference's at that magnitude, ``ratio_mean`` the mean of the operator's
errors over that of the reference's, each weighed by its limit: below 1 the operator is better.
"""

from __future__ import annotations

import math

import torch

from opwright.judge.ulp import ulp_size
from opwright.spec.tolerance import REFERENCE_FACTOR, FloatFormat

# A percentile of more elements than this is one of evenly spaced ones.
_PERCENTILE_ELEMENTS = 1 << 17


def error_figures(
    error: torch.Tensor, oracle: torch.Tensor, form: FloatFormat, limit: torch.Tensor
) -> dict[str, float]:
    """Figures of one flat tensor of errors; ``mean_limits`` is the mean error in units of ``limit``."""
    keep = error.isfinite()
    if not bool(keep.all()):
        error, oracle, limit = error[keep], oracle[keep], limit[keep]
    if not error.numel():
        return dict.fromkeys(
            ("max_abs", "max_rel", "max_ulp", "mean_ulp", "p999_ulp", "max_limits", "mean_limits"),
            0.0,
        )
    relative = (error / oracle.abs()).nan_to_num_(nan=0.0, posinf=torch.inf)
    ulp = error / ulp_size(oracle, form)
    in_limits = error / limit
    return {
        "max_abs": float(error.amax()),
        "max_rel": float(relative.amax()),
        "max_ulp": float(ulp.amax()),
        "mean_ulp": float(ulp.mean()),
        "p999_ulp": _percentile(ulp, 0.999),
        "max_limits": float(in_limits.amax()),
        "mean_limits": float(in_limits.mean()),
    }


def joint_figures(actual: dict[str, float], reference: dict[str, float]) -> dict[str, float]:
    """The figures of an output beside those of its reference."""
    names = ("max_abs", "max_rel", "max_ulp", "mean_ulp", "p999_ulp")
    return {
        **{name: actual[name] for name in names},
        **{f"reference_{name}": reference[name] for name in names},
        "ratio_worst": actual["max_limits"] * REFERENCE_FACTOR,
        "ratio_mean": _ratio(actual["mean_limits"], reference["mean_limits"]),
    }


def _ratio(one: float, other: float) -> float:
    if other:
        return one / other
    return 1.0 if one == 0 else math.inf


def _percentile(values: torch.Tensor, part: float) -> float:
    """The value that ``part`` of the values do not exceed (nearest rank)."""
    step = -(-values.numel() // _PERCENTILE_ELEMENTS)
    sample = values[::step]
    above = sample.numel() - math.ceil(part * sample.numel())
    return float(sample.topk(above + 1).values[-1])
