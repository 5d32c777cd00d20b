"""The figures of one output: how far it is from the oracle, and how far the reference is.

Errors are absolute (``max_abs``), relative to the oracle (``max_rel``) and in ULP of the output
dtype (``max_ulp``, ``mean_ulp``, ``p999_ulp``: the 99.9th percentile), over the elements whose
special values agree; ``reference_...`` are the same for the reference. ``ratio_worst`` is the
largest error over the reference's largest at that magnitude, ``ratio_mean`` the mean of the
operator's errors over that of the reference's, each weighed by its limit: below 1 the operator is
the better one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from opwright.judge.limits import DefaultRule
from opwright.judge.ulp import ulp_size
from opwright.spec.default_rule import ENOUGH_ELEMENTS, MEAN_FACTOR, MEAN_FLOOR
from opwright.spec.formats import FloatFormat

# A percentile of more elements than this is one of evenly spaced ones.
_PERCENTILE_ELEMENTS = 1 << 17


@dataclass(frozen=True)
class Errors:
    """Errors of one output against the oracle.

    ``max_yardsticks`` is in units of the reference's largest error at that magnitude,
    ``mean_limits`` in units of the default rule's limits.
    """

    max_abs: float = 0.0
    max_rel: float = 0.0
    max_ulp: float = 0.0
    mean_ulp: float = 0.0
    p999_ulp: float = 0.0
    max_yardsticks: float = 0.0
    mean_limits: float = 0.0


NO_ERRORS = Errors()


def mean_is_beyond(mean_limits: float, elements: int, reference: Errors) -> bool:
    """Whether a mean error (in units of the limits) shows another precision than the reference's."""
    if elements < ENOUGH_ELEMENTS:
        return False
    return mean_limits > max(MEAN_FLOOR, MEAN_FACTOR * reference.mean_limits)


class Tally:
    """Gathers the errors of an output of ``count`` elements chunk by chunk."""

    def __init__(self, count: int) -> None:
        self._step = max(1, -(-count // _PERCENTILE_ELEMENTS))
        self._largest = {"max_abs": 0.0, "max_rel": 0.0, "max_ulp": 0.0, "max_yardsticks": 0.0}
        self._sum_ulp = self._sum_limits = 0.0
        self._count = 0
        self._sample: list[torch.Tensor] = []

    def add(
        self, error: torch.Tensor, oracle: torch.Tensor, rule: DefaultRule, form: FloatFormat
    ) -> None:
        """Count one chunk; elements with an infinite error, wrong special values, are left out."""
        largest = float(error.amax())
        if math.isinf(largest):
            keep = error.isfinite()
            error, oracle, rule = error[keep], oracle[keep], rule.part(keep)
            if not error.numel():
                return
            largest = float(error.amax())
        ulp = error / ulp_size(oracle, form)
        found = {
            "max_abs": largest,
            "max_rel": _largest_relative(error, oracle),
            "max_ulp": float(ulp.amax()),
            "max_yardsticks": float((error / rule.yardstick).amax()),
        }
        self._largest = {name: max(value, found[name]) for name, value in self._largest.items()}
        self._sum_ulp += float(ulp.sum())
        self._sum_limits += float((error / rule.limit).sum())
        self._count += error.numel()
        self._sample.append(ulp[:: self._step])

    def errors(self) -> Errors:
        """What was gathered."""
        if not self._count:
            return NO_ERRORS
        return Errors(
            **self._largest,
            mean_ulp=self._sum_ulp / self._count,
            mean_limits=self._sum_limits / self._count,
            p999_ulp=_percentile(torch.cat(self._sample), 0.999),
        )


def joint_figures(actual: Errors, reference: Errors) -> dict[str, float]:
    """The figures of an output beside those of its reference."""
    names = ("max_abs", "max_rel", "max_ulp", "mean_ulp", "p999_ulp")
    return {
        **{name: getattr(actual, name) for name in names},
        **{f"reference_{name}": getattr(reference, name) for name in names},
        "ratio_worst": actual.max_yardsticks,
        "ratio_mean": _ratio(actual.mean_limits, reference.mean_limits),
    }


def _largest_relative(error: torch.Tensor, oracle: torch.Tensor) -> float:
    relative = error / oracle.abs()
    largest = float(relative.amax())
    if math.isnan(largest):  # 0 / 0: nothing was expected, and nothing came
        largest = float(relative.nan_to_num_(nan=0.0, posinf=math.inf).amax())
    return largest


def _ratio(one: float, other: float) -> float:
    if other:
        return one / other
    return 1.0 if one == 0 else math.inf


def _percentile(values: torch.Tensor, part: float) -> float:
    """The value that ``part`` of the values do not exceed (nearest rank)."""
    above = values.numel() - math.ceil(part * values.numel())
    return float(values.topk(above + 1).values[-1])
