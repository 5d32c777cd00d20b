"""Errors by what the input is: NaN, infinity, zero, subnormal, and by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from opwright.inputs.special import regions
from opwright.judge import Standard
from opwright.judge.standard import errors_of
from opwright.judge.ulp import ulp_size


def by_region(values: torch.Tensor, standard: Standard, swept: torch.Tensor) -> dict[str, Any]:
    """For each region of the input: how many elements, how many wrong, and the largest finite error in ULP."""
    assert standard.form is not None
    error = errors_of(values.reshape(-1), standard, slice(None))
    wrong, wrong_class = error > standard.limit, error.isinf()
    ulp = (error / ulp_size(standard.oracle, standard.form)).masked_fill_(wrong_class, 0.0)
    names, region = regions(swept.reshape(-1))
    counts = torch.bincount(region, minlength=len(names)).tolist()
    largest = ulp.new_zeros(len(names)).scatter_reduce_(0, region, ulp, "amax").tolist()
    return {
        name: {
            "elements": counts[place],
            "wrong": int(wrong[region == place].sum()) if bool(wrong.any()) else 0,
            "wrong_class": int(wrong_class[region == place].sum())
            if bool(wrong_class.any())
            else 0,
            "max_ulp": largest[place],
        }
        for place, name in enumerate(names)
        if counts[place]
    }


def joined(
    parts: Sequence[Mapping[str, list[torch.Tensor]]], count: int
) -> dict[str, list[torch.Tensor]]:
    """The flat outputs of several calls, one after another; the first ``count`` elements of each."""
    return {
        key: [
            torch.cat([part[key][number].reshape(-1) for part in parts])[:count]
            for number in range(len(parts[0][key]))
        ]
        for key in parts[0]
    }
