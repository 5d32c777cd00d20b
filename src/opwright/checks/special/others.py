"""What the other arguments hold while one is looked at."""

from __future__ import annotations

import math

import torch

from opwright.inputs.call import Call
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

# 0 and 1 leave sums and products as they are.
OTHERS = ("zeros", "ones")
_LARGEST_OF_GRADIENTS = 1e6


def largest_asked(spec: OperatorSpec) -> float:
    """Up to which magnitude there is one right answer, infinity if NaN has one too.

    Of a gradient it hangs on how autograd splits a formula whether what is huge overflows on the way.
    """
    return math.inf if spec.forward is None else _LARGEST_OF_GRADIENTS


def with_others(call: Call, case: Case) -> Call:
    """The other floating-point arguments at 0 or at 1, where the case asks for that."""
    fill = {"zeros": 0.0, "ones": 1.0}.get(case.extra["others"])
    if fill is None:
        return call
    changed = {
        name: torch.full_like(value, fill)
        for name, value in call.tensors.items()
        if name != case.extra["argument"] and value.dtype.is_floating_point
    }
    return Call(call.spec, {**call.arguments, **changed})
