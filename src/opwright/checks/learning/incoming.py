"""Ways in which a gradient comes in: what layers behind an operator hand back."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opwright.inputs.layouts import can_lay_out, lay_out

DENSE = "dense"
# How it comes in -> the layout that it then has.
_LAYOUTS = {
    "expanded": "expanded",
    "expanded inside": "expanded inside",
    "transposed": "transposed",
    "a slice": "step 2",
    "offset": "offset 1",
    "rows of a wider one": "padded rows",
    "channels last": "channels last",
}


def forms(sizes: Sequence[int]) -> list[str]:
    """How a gradient of these sizes can come in, other than dense."""
    laid_out = [name for name, layout in _LAYOUTS.items() if can_lay_out(sizes, layout)]
    return ["of a sum", "zeros", *laid_out]


def formed(grad: torch.Tensor, form: str) -> torch.Tensor:
    """The gradient in that form; of a sum and in expanded ones all or some of its values are alike."""
    if form == "of a sum":
        return torch.ones((), dtype=grad.dtype).expand(grad.shape)
    if form == "zeros":
        return torch.zeros_like(grad)
    return lay_out(grad, _LAYOUTS[form]) if form in _LAYOUTS else grad
