"""A gradient that is too large or too small as a whole, by less than its dtype shows in one element."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from opwright.judge import Standard

_SPREAD = 1 / 3  # of an element's limit: what its rounding is taken to be wrong by
_SURE = 4.0  # spreads of the mean
_LEAST = 0.002


@dataclass(frozen=True)
class Scale:
    """How large a gradient is, the right one being 1, and how far from 1 says something."""

    found: float
    telling: float

    @property
    def is_wrong(self) -> bool:
        """Whether the gradient as a whole is too large or too small."""
        return abs(self.found - 1) > self.telling


def scale_of(gradient: torch.Tensor, standard: Standard) -> Scale | None:
    """The factor by which ``gradient`` is the exact one, by least squares in units of each element's limit.

    None where nothing can be said: no element that is neither zero nor beyond numbers.
    """
    if standard.form is None or gradient.is_complex():
        return None
    exact = standard.oracle
    values = gradient.detach().reshape(-1).to(torch.float64)
    used = exact.isfinite() & values.isfinite() & (standard.limit > 0) & (exact != 0)
    weight = (exact[used] / standard.limit[used]).square()
    total = float(weight.sum())
    if total == 0:
        return None
    own = float((weight * (standard.reference_values[used].double() / exact[used])).sum()) / total
    found = float((weight * (values[used] / exact[used])).sum()) / total
    telling = max(_LEAST, _SURE * _SPREAD / total**0.5) + 2 * abs(own - 1)
    return Scale(found, telling)
