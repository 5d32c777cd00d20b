"""Kernels of the simulated device: functions of the host, put on the current stream.

For use in processes that have torch-npu and the simulated runtime.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

Function = Callable[..., Any]

CORES = 48  # vector cores of the device; see runtime/device.h


class _Range(ctypes.Structure):
    _fields_ = (("begin", ctypes.c_void_p), ("bytes", ctypes.c_size_t))


_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_runtime = ctypes.CDLL("libascendcl.so")
_launch = _runtime.opwright_simulated_launch
_ranges = (ctypes.POINTER(_Range), ctypes.c_size_t)
_launch.argtypes = (ctypes.c_void_p, _KERNEL, ctypes.c_int64, ctypes.c_int, *_ranges, *_ranges)

_work: dict[int, Callable[[], None]] = {}  # graphs run it again and again
_numbers = itertools.count()


@_KERNEL
def _do(number: int) -> None:
    with torch.no_grad():
        _work[number]()


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the simulated device, in the same memory, as one of the host."""
    size = tensor.untyped_storage().nbytes()
    if size == 0:
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype)
    memory = (ctypes.c_char * size).from_address(tensor.untyped_storage().data_ptr())
    flat = torch.frombuffer(memory, dtype=torch.uint8).view(tensor.dtype)
    return flat.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def launch(
    function: Callable[[], None],
    reads: Sequence[torch.Tensor],
    writes: Sequence[torch.Tensor],
    cores: int = CORES,
) -> None:
    """Put work on the current stream, which starts so many cores for it."""
    number = next(_numbers)
    _work[number] = function
    stream = torch.get_device_module("npu").current_stream().npu_stream
    read, written = _as_ranges(reads), _as_ranges(writes)
    _launch(stream, _do, number, cores, read, len(read), written, len(written))


def _as_ranges(tensors: Sequence[torch.Tensor]) -> Any:
    found = [_Range(t.untyped_storage().data_ptr(), t.untyped_storage().nbytes()) for t in tensors]
    return (_Range * len(found))(*found)


def kernel(function: Function, *, shape: Function | None = None, cores: int = CORES) -> Function:
    """``function`` of host tensors as one for tensors of the device.

    ``shape`` gives the results for tensors without data; it is ``function`` itself where that can do it.
    """

    def call(*arguments: Any, **keywords: Any) -> Any:
        empty = (shape or function)(
            *map(_without_data, arguments), **_kept(keywords, _without_data)
        )
        plain = [empty] if isinstance(empty, torch.Tensor) else list(empty)
        results = [
            torch.empty_strided(one.size(), one.stride(), dtype=one.dtype, device="npu")
            for one in plain
        ]
        given = [seen(value) for value in arguments]
        named = _kept(keywords, seen)
        out = [on_host(one) for one in results]

        def work() -> None:
            made = function(*given, **named)
            for to, value in zip(
                out, [made] if isinstance(made, torch.Tensor) else made, strict=True
            ):
                to.copy_(value)

        launch(work, reading((*arguments, *keywords.values())), results, cores)
        return results[0] if isinstance(empty, torch.Tensor) else tuple(results)

    return call


def _is_there(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == "npu"


def _without_data(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_without_data(item) for item in value]
    return value.to("meta") if _is_there(value) else value


def reading(values: Iterable[Any]) -> list[torch.Tensor]:
    """Those of a call's arguments that are tensors of the device."""
    found: list[torch.Tensor] = []
    for value in values:
        found += reading(value) if isinstance(value, (list, tuple)) else [value] * _is_there(value)
    return found


def seen(value: Any) -> Any:
    """An argument as a kernel of the host gets it."""
    if isinstance(value, (list, tuple)):
        return [seen(item) for item in value]
    return on_host(value) if _is_there(value) else value


def _kept(keywords: dict[str, Any], change: Function) -> dict[str, Any]:
    return {name: change(value) for name, value in keywords.items() if name != "device"}
