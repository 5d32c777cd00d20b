"""Operators without a backward in the dispatcher: a call that would lose a gradient is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

from opwright.binding.arguments import named, refuse_absent, refuse_gradients, refuse_tangents
from opwright.binding.below import AUTOGRAD, below_autograd, is_excluded
from opwright.spec.operator import OperatorSpec

Kernel = Callable[..., Any]

_is_recording, _any_requires_grad = torch.is_grad_enabled, torch._C._any_requires_grad


def refusing_kernel(spec: OperatorSpec, overload: Kernel) -> Kernel:
    """What the dispatcher calls where autograd looks: without it torch.func's levels see no trace of a call.

    PyTorch's own kernel for this place warns at most, and gives zeros.
    """
    below = below_autograd(overload)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if forward_ad._current_level >= 0 or (
            _is_recording() and _any_requires_grad(*args, **kwargs)
        ):
            values = named(spec, args, kwargs)
            refuse_gradients(spec, values)
            refuse_tangents(spec, values)
        if is_excluded(AUTOGRAD):  # the dispatcher comes here again for a tensor that is None
            refuse_absent(spec, named(spec, args, kwargs))
        return below(*args, **kwargs)

    return kernel
