"""How far the median of one process's samples would lie off had the same process been sampled again."""

from __future__ import annotations

import math

import torch

_RESAMPLES = 200
_MOST_DRAWN = 2_000_000  # samples drawn in all: long series are resampled fewer times
_SEED = 20130620


def median_error(values: torch.Tensor) -> float:
    """The standard error of the median of a flat float64 series; 0 for a single value.

    A circular block bootstrap: samples close in time resemble each other, so runs of √n of them are drawn
    and not single ones (Künsch, Annals of Statistics 17, 1989; Politis and Romano, 1992). What moves more
    slowly than a block it does not see: that shows between processes only. The same series always gives
    the same error.
    """
    count = values.numel()
    if count < 2:
        return 0.0
    generator = torch.Generator().manual_seed(_SEED)
    block = math.isqrt(count - 1) + 1
    resamples = max(50, min(_RESAMPLES, _MOST_DRAWN // count))
    starts = torch.randint(count, (resamples, -(-count // block), 1), generator=generator)
    index = (starts + torch.arange(block)).remainder_(count).flatten(1)[:, :count]
    return float(values[index].median(dim=1).values.std())
