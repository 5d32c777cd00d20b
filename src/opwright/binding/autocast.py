"""What autocast makes of an operator's arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import torch

from opwright.binding.arguments import named
from opwright.spec.operator import OperatorSpec

# Dispatch key -> what autocast calls the device.
_DEVICES = {"AutocastCPU": "cpu", "AutocastCUDA": "cuda", "AutocastPrivateUse1": "privateuseone"}


def autocast_kernel(
    spec: OperatorSpec, overload: Callable[..., Any], key: str
) -> Callable[..., Any]:
    """What the dispatcher calls for autocast's dispatch key: the operator, arguments cast as it declares."""
    device = _DEVICES[key]
    excluded = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    varying = [a.name for a in spec.schema.tensors if spec.dtype_of(spec.inputs[a.name]) == "T"]
    taken = {getattr(torch, dtype) for dtype in spec.dtypes}

    def kernel(*args: Any, **kwargs: Any) -> Any:
        values = named(spec, args, kwargs)
        cast = {n: values[n] for n in varying if _is_cast(values[n])}
        wanted = _wanted(spec.autocast, cast, device)
        if wanted in taken:
            values |= {name: tensor.to(wanted) for name, tensor in cast.items()}
        positional, keywords = spec.schema.as_call(values)
        with torch._C._ExcludeDispatchKeyGuard(excluded):
            return overload(*positional, **keywords)

    return kernel


def _is_cast(value: Any) -> bool:
    """As PyTorch has it: floating-point tensors, and no float64."""
    return (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype != torch.float64
    )


def _wanted(policy: str | None, cast: Mapping[str, Any], device: str) -> torch.dtype | None:
    if not cast:
        return None
    if policy == "lower":
        return torch.get_autocast_dtype(device)
    if policy == "float32":
        return torch.float32
    widest: torch.dtype = reduce(torch.promote_types, (tensor.dtype for tensor in cast.values()))
    return widest
