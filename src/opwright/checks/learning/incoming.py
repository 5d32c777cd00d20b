"""Ways in which a gradient comes in: what layers behind an operator hand back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch

from opwright.inputs.layouts import can_lay_out, lay_out
from opwright.spec.dtypes import DTYPES
from opwright.spec.operator import OperatorSpec

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

_SAID = {"of a sum": "expanded from one number, as from .sum()"}


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


@contextmanager
def telling(form: str, incoming: Sequence[torch.Tensor | None]) -> Iterator[None]:
    """What a backward raises inside the block says in which form gradients came in, where not dense."""
    try:
        yield
    except Exception as error:
        if form != DENSE:
            strides = [list(grad.stride()) for grad in incoming if grad is not None]
            said = _SAID.get(form, form)
            error.args = (f"{error} (where what comes in is {said}: strides {strides})",)
        raise


def with_gradient(spec: OperatorSpec, dtypes: Mapping[str, str]) -> list[str]:
    """Names of the returns that can have a gradient at these dtypes, in order."""
    pairs = zip(spec.schema.fresh_returns, spec.outputs, strict=True)
    named = ((item.name, spec.dtype_of(made)) for item, made in pairs)
    return [
        name
        for name, dtype in named
        if DTYPES[dtypes.get(dtype, dtype)].family in ("float", "complex")
    ]
