"""The quickest way from Python to an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

from opwright.spec.operator import OperatorSpec


def quick_call(spec: OperatorSpec, overload: Callable[..., Any]) -> Callable[..., Any]:
    """``overload``, called in no-grad mode where autograd would record nothing anyway.

    A binding refuses tensors that require grad, and over the stable C ABI it pays 1 µs a tensor to
    learn that they don't; Python knows at once. In no-grad mode the binding does not ask. Gradients of
    ``torch.func`` and forward-mode ones are refused here alone: a kernel below autograd sees no trace
    of them.
    """
    is_recording, set_recording = torch.is_grad_enabled, torch._C._set_grad_enabled
    is_compiling, any_requires_grad = torch.compiler.is_compiling, torch._C._any_requires_grad

    def call(*args: Any, **kwargs: Any) -> Any:
        if not is_recording() or is_compiling():
            return overload(*args, **kwargs)
        if any_requires_grad(*args, **kwargs) or forward_ad._current_level >= 0:
            # Who is refused has time.
            from opwright.binding.arguments import named, refuse_gradients

            refuse_gradients(spec, named(spec, args, kwargs))
        set_recording(False)
        try:
            return overload(*args, **kwargs)
        finally:
            set_recording(True)

    return call
