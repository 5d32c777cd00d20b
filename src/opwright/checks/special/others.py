"""What the other arguments hold while one is looked at."""

from __future__ import annotations

import torch

from opwright.inputs.call import Call
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

# 0 and 1 leave sums and products as they are.
OTHERS = ("zeros", "ones")


def asks_beyond_numbers(spec: OperatorSpec) -> bool:
    """Whether NaN and infinities have one right answer: a gradient's hangs on how autograd splits its formula."""
    return spec.forward is None


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
