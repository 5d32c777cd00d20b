"""Wrong outputs, made from a right one, as broken kernels make them.

Each plant takes the right output and what else the case has, and returns a new tensor of the same
shape and dtype, or None where the case has nothing to make it from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from opwright.judge.ulp import format_of

# Stored mantissa bits that a lower precision leaves: float32 by way of bfloat16, and half types as
# after a sum of some hundred terms in themselves (3 bits).
_KEPT_BITS = {"float64": 23, "float32": 7, "float16": 7, "bfloat16": 4}
_TILE = 16


@dataclass(frozen=True, eq=False)
class Setting:
    """What plants are made from: ``right`` is the right output.

    ``stale`` is the right output for other values of the same shapes. ``slack`` is the size of each
    element in units of its limit: where it is largest, a relative error shows most.
    """

    right: torch.Tensor
    inputs: Sequence[torch.Tensor] = ()
    stale: torch.Tensor | None = None
    slack: torch.Tensor | None = None


def zeros(setting: Setting) -> torch.Tensor | None:
    """Nothing was written to fresh memory."""
    return torch.zeros_like(setting.right)


def an_input(setting: Setting) -> torch.Tensor | None:
    """The first input of the output's shape comes back."""
    for tensor in setting.inputs:
        if tensor.shape == setting.right.shape:
            values = tensor.real if tensor.is_complex() > setting.right.is_complex() else tensor
            return values.detach().to(setting.right)
    return None


def stale_output(setting: Setting) -> torch.Tensor | None:
    """The output of an earlier call with other values."""
    return setting.stale


def last_tile_missing(setting: Setting) -> torch.Tensor | None:
    """The last elements, 16 or an eighth of a small output, were not written."""
    wrong = _flat_copy(setting.right)
    size = max(1, min(_TILE, wrong.numel() // 8))
    wrong[-size:] = 0
    return wrong.reshape(setting.right.shape)


def shifted_row(setting: Setting) -> torch.Tensor | None:
    """Every row (every element of a vector) stands one place further on."""
    right = setting.right
    if right.dim() == 0:
        return None
    rows = right.reshape(-1, right.shape[-1]) if right.dim() > 1 else right
    return rows.roll(1, 0).reshape(right.shape)


def lower_precision(setting: Setting) -> torch.Tensor | None:
    """Rounded through a shorter mantissa on the way."""
    form = format_of(setting.right.dtype)
    if form is None:
        return None
    right = setting.right
    parts = torch.view_as_real(right.contiguous()) if right.is_complex() else right
    mantissa, exponent = torch.frexp(parts.double())
    scale = 2.0 ** (_KEPT_BITS[form.name] + 1)
    rounded = torch.ldexp((mantissa * scale).round_() / scale, exponent)
    rounded = torch.where(parts.isfinite(), rounded, parts.double()).to(parts.dtype)
    return torch.view_as_complex(rounded) if right.is_complex() else rounded


def one_element_off(setting: Setting) -> torch.Tensor | None:
    """One element is wrong by 1 % (bfloat16: by 4 eps, 3 %); exact dtypes: by one."""
    wrong = _flat_copy(setting.right)
    form = format_of(wrong.dtype)
    if wrong.dtype == torch.bool:
        wrong[0] = ~wrong[0]
    elif form is None:
        wrong[0] ^= 1
    else:
        size = wrong.abs() if setting.slack is None else setting.slack
        size = torch.where(wrong.isfinite() & size.isfinite(), size, size.new_zeros(()))
        place = int(size.argmax())
        factor = 1 + max(0.01, 4 * form.eps)
        wide = torch.complex128 if wrong.is_complex() else torch.float64
        wrong[place] = (wrong[place].to(wide) * factor).to(wrong.dtype)
    return wrong.reshape(setting.right.shape)


def _flat_copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone(memory_format=torch.contiguous_format).reshape(-1)


Plant = Callable[[Setting], torch.Tensor | None]

PLANTS: dict[str, Plant] = {
    "zeros": zeros,
    "an input": an_input,
    "stale output": stale_output,
    "last tile missing": last_tile_missing,
    "shifted row": shifted_row,
    "lower precision": lower_precision,
    "one element off": one_element_off,
}
