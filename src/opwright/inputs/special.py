"""The values at which operators break: every pattern of 16 bits, and a stratified sweep of longer ones."""

from __future__ import annotations

import functools
import math

import torch

from opwright.spec.formats import FloatFormat, float_format

_PER_BINADE = {"float32": 32, "float64": 8}
# Where formulas change: exp overflows near 88.7 and 709.8, tanh is 1 from 9 on, a GELU's tail ends at -13.
_LANDMARKS = (0.5, 1.0, 2.0, 3.0, 6.0, 9.0, 10.0, 11.0, 13.0, 16.6, 40.0, 88.0, 88.8, 89.5, 104.0)
_MORE_LANDMARKS = (255.0, 256.0, 709.0, 710.0, 1e4, 65504.0, 65536.0, 2.0**24, 2.0**31, 2.0**63)

# name -> one value: what is put among normal numbers where not every element stands for itself
SPRINKLED: dict[str, float] = {
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "minus zero": -0.0,
    "huge": math.nan,  # by dtype: the largest number over 2
    "minus huge": math.nan,
    "subnormal": math.nan,
}


def sprinkled(name: str, dtype: torch.dtype) -> float:
    """The value of a name in `SPRINKLED` for a dtype."""
    form = form_of(dtype)
    by_dtype = {
        "huge": form.max / 2,
        "minus huge": -form.max / 2,
        "subnormal": form.smallest_normal / 4,
    }
    return by_dtype.get(name, SPRINKLED[name])


def form_of(dtype: torch.dtype) -> FloatFormat:
    """The format of a floating-point dtype's numbers."""
    form = float_format(str(dtype).removeprefix("torch."))
    assert form is not None
    return form


@functools.lru_cache(maxsize=4)
def sweep(dtype: torch.dtype) -> torch.Tensor:
    """All 65,536 values of a half type; of float32 and float64 some of each binade, and all edges."""
    if torch.finfo(dtype).bits == 16:
        patterns = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16)
        return patterns.view(dtype)
    form = form_of(dtype)
    positive = torch.cat([_binades(dtype, form), _edges(dtype, form), _landmarks(dtype)])
    special = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0], dtype=dtype)
    return torch.cat([positive, -positive, special])


def _binades(dtype: torch.dtype, form: FloatFormat) -> torch.Tensor:
    """Evenly drawn fractions in every binade, those of subnormal numbers included."""
    generator = torch.Generator().manual_seed(0)
    lowest = form.min_exponent - form.mantissa_bits
    exponents = torch.arange(lowest, form.max_exponent + 1, dtype=torch.float64)
    count = _PER_BINADE[form.name]
    fractions = torch.rand(len(exponents), count, generator=generator, dtype=torch.float64) + 1
    # in two steps: 2^-1074 times a fraction is no number of float64
    return torch.ldexp(fractions, exponents[:, None]).reshape(-1).to(dtype)


def _edges(dtype: torch.dtype, form: FloatFormat) -> torch.Tensor:
    """Powers of two, and the numbers right before and right after each."""
    lowest = form.min_exponent - form.mantissa_bits
    exponents = torch.arange(lowest, form.max_exponent + 1, dtype=torch.float64)
    edge = torch.ldexp(torch.ones_like(exponents), exponents).to(dtype)
    up, down = edge.new_tensor(math.inf), edge.new_tensor(0.0)
    largest = edge.new_tensor([form.max])
    return torch.cat([edge, edge.nextafter(up), edge.nextafter(down), largest])


def _landmarks(dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor([*_LANDMARKS, *_MORE_LANDMARKS], dtype=dtype)


# Upper ends of regions of finite values, by magnitude; the first is where normal numbers begin.
_BOUNDS = {"tiny": 2.0**-10, "below 1": 1.0, "1 to 8": 8.0, "8 to 128": 128.0, "large": 2.0**14}


def regions(values: torch.Tensor) -> tuple[list[str], torch.Tensor]:
    """Names of kinds of float values, and for each value the number of its kind."""
    names = ["NaN", "infinity", "zero", "subnormal", *_BOUNDS, "huge"]
    ends = torch.tensor(
        [form_of(values.dtype).smallest_normal, *_BOUNDS.values()], dtype=torch.float64
    )
    size = values.to(torch.float64).abs()
    kind = torch.bucketize(size, ends, right=True).add_(3)
    kind[values.isnan()] = 0
    kind[values.isinf()] = 1
    kind[size == 0] = 2
    return names, kind
