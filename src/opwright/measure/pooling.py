"""What several fresh processes say together, and how far that lies off."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from opwright.measure.resampling import median_error


@dataclass(frozen=True)
class Pooled:
    """The mean of the processes' medians of logarithms: its squared error and degrees of freedom."""

    centre: float
    squared_error: float
    freedom: int
    from_samples: float


def pooled(processes: Sequence[torch.Tensor]) -> Pooled:
    """The hierarchical bootstrap over processes and then samples, its outer level in closed form.

    The processes' medians scatter by what differs between processes and by what differs between samples,
    so their variance holds both (Kalibera and Jones, Quantifying Performance Changes with Effect Size
    Confidence Intervals, 2012). Drawing k processes again and again would tell (k-1)/k of it and take
    its tails for normal ones, too narrow for few clusters (Cameron, Gelbach and Miller, Review of
    Economics and Statistics 90, 2008); the variance over k-1 with Student's t is not. Processes that
    agree by chance more than their own samples allow are not believed: the inner bootstrap is the least.
    """
    count = len(processes)
    centres = [float(each.quantile(0.5)) for each in processes]
    within = statistics.fmean(median_error(each) ** 2 for each in processes)
    between = statistics.variance(centres) if count > 1 else math.inf
    total = max(within, between)
    from_samples = within / total if total else 1.0
    return Pooled(statistics.fmean(centres), total / count, count - 1, from_samples)
