"""PyTorch's own operators on the simulated device, as many as companions and comparisons need.

Importing it registers them. Any other one still fails, by torch-npu's own kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ascend.host_kernels import kernel, launch, on_host, reading, seen

# Those that give fresh results: every overload that does not write.
_FUNCTIONAL = (
    *("abs", "add", "bmm", "cat", "clamp", "clamp_min", "clone", "div", "eq", "max", "maximum"),
    *("minimum", "mm", "mul", "nan_to_num", "round"),
)
_library = torch.library.Library("aten", "IMPL")


def _overloads(name: str, *, writing: bool = False) -> Iterator[tuple[str, Any]]:
    packet = getattr(torch.ops.aten, name, None)
    for suffix in packet.overloads() if packet is not None else ():
        overload = getattr(packet, suffix)
        arguments = overload._schema.arguments
        writes = any(argument.alias_info is not None for argument in arguments)
        # The others are those of TorchScript, for numbers and lists.
        takes_tensors = any("Tensor" in str(argument.type) for argument in arguments)
        if takes_tensors and writes == writing:
            yield name if suffix == "default" else f"{name}.{suffix}", overload


def _copied(to: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    """Between the host and the device, or on it, whatever the dtypes are."""
    del non_blocking
    module = torch.get_device_module("npu")
    if to.device.type == source.device.type:
        target, given = on_host(to), on_host(source)
        launch(lambda: target.copy_(given), [source], [to])
        return to
    module.current_stream().synchronize()
    here = to if to.device.type == "cpu" else on_host(to)
    here.copy_(source if source.device.type == "cpu" else on_host(source))
    return to


def _filled(tensor: torch.Tensor, value: Any) -> torch.Tensor:
    here = on_host(tensor)
    number = value.item() if isinstance(value, torch.Tensor) else value
    launch(lambda: here.fill_(number), [], [tensor])
    return tensor


def _in_place(overload: Any) -> Any:
    """A kernel for what writes to its first argument: compilers make such of others."""

    def call(tensor: torch.Tensor, *arguments: Any, **keywords: Any) -> torch.Tensor:
        here, *given = (seen(value) for value in (tensor, *arguments))
        launch(lambda: overload(here, *given, **keywords), reading((tensor, *arguments)), [tensor])
        return tensor

    return call


def _to_copy(tensor: torch.Tensor, *, device: Any = None, **keywords: Any) -> torch.Tensor:
    place = torch.device(device or tensor.device)
    dtype = keywords.get("dtype") or tensor.dtype
    made = torch.empty_strided(tensor.size(), tensor.stride(), dtype=dtype, device=place)
    return _copied(made, tensor)


def _register() -> None:
    for name in _FUNCTIONAL:
        for full, overload in _overloads(name):
            _library.impl(full, kernel(overload), "PrivateUse1", allow_override=True)
        for full, overload in _overloads(f"{name}_", writing=True):
            _library.impl(full, _in_place(overload), "PrivateUse1", allow_override=True)
    for full, function in {
        "copy_": _copied,
        "fill_.Scalar": _filled,
        "fill_.Tensor": _filled,
        "zero_": lambda tensor: _filled(tensor, 0),
        "_to_copy": _to_copy,
        **{
            name: kernel(getattr(torch.ops.aten.arange, name.partition(".")[2] or "default"))
            for name in ("arange", "arange.start", "arange.start_step")
        },
    }.items():
        _library.impl(full, function, "PrivateUse1", allow_override=True)


_register()
