"""A device whose tensors an operator takes, whatever torch calls its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

import torch

from opwright.devices.activity import Activity, cuda_activity, simulated_activity
from opwright.devices.block_zones import BlockZones
from opwright.devices.faults import device_faults
from opwright.devices.placement import Placement, on_device
from opwright.devices.red_zones import RedZones
from opwright.errors import DeviceError
from opwright.spec.target import Target, parse_target

_SIMULATED_DEVICES = 2  # also where none is built yet
_CYCLES_PER_MS = 2_000_000  # some 2 GHz; a delay need not be exact


class Device:
    """The first device of a kind, and torch's module for that kind (``torch.cuda``)."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.first = torch.device(kind, 0)
        self.module: ModuleType = torch.get_device_module(kind)

    def on_host_tensors(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """``call`` for tensors of the host; see `on_device`. Raises `DeviceFault`, too."""
        return on_device(call, self.first, self.synchronize)

    def placement(self, index: int = 0) -> Placement:
        """A way to bring host tensors here, as they lie in memory: to the device of this index."""
        return Placement(torch.device(self.kind, index))

    @property
    def count(self) -> int:
        """How many devices of this kind there are."""
        return int(self.module.device_count())

    @property
    def name(self) -> str:
        """What the device calls itself."""
        ask = getattr(self.module, "get_device_name", None)
        return str(ask(self.first)) if ask else self.kind

    def red_zones(self, pattern: int) -> RedZones | BlockZones:
        """Memory filled with the byte ``pattern``, for what is allocated inside the block."""
        if hasattr(self.module, "strays"):
            return BlockZones(self.module, pattern)
        return RedZones(self.first, pattern)

    def synchronize(self, index: int = 0) -> None:
        """Wait for all that was given to the device. Raises `DeviceFault` for what failed there."""
        with device_faults():
            self.module.synchronize(torch.device(self.kind, index))

    def stream(self) -> Any:
        """A stream of its own, which does not wait for the default one."""
        return self.module.Stream(device=self.first)

    def using(self, stream: Any) -> AbstractContextManager[Any]:
        """Inside the block ``stream`` is the current one."""
        manager: AbstractContextManager[Any] = self.module.stream(stream)
        return manager

    @property
    def other(self) -> torch.device:
        """Another device of this kind."""
        return torch.device(self.kind, 1)

    def current(self, index: int) -> AbstractContextManager[Any]:
        """Inside the block the device of this index is the current one."""
        manager: AbstractContextManager[Any] = self.module.device(index)
        return manager

    def current_index(self) -> int:
        """The index of the current device."""
        return int(self.module.current_device())

    def graph(self) -> Any:
        """A graph that calls can be captured in; None where torch has none for this kind."""
        kinds = {"cuda": "CUDAGraph"}
        make = getattr(self.module, kinds.get(self.kind, "Graph"), None)
        return make() if make else None

    @contextmanager
    def capturing(self, graph: Any, stream: Any, pool: Any = None) -> Iterator[None]:
        """Inside the block, what is put on ``stream`` is recorded in ``graph``, and not run.

        ``pool`` is that of another graph, where both are to share memory (``graph.pool()``).
        """
        # Where a capture fails, PyTorch leaves its stream the current one.
        with (
            self.using(self.module.current_stream()),
            self.module.graph(graph, pool=pool, stream=stream),
        ):
            yield

    def event(self) -> Any:
        """An event that marks what the current stream was given so far."""
        event = self.module.Event()
        event.record()
        return event

    def timed_event(self) -> Any:
        """As `event`, with the time at which the device came to it."""
        event = self.module.Event(enable_timing=True)
        event.record()
        return event

    def elements(self, count: int, dtype: torch.dtype) -> torch.Tensor:
        """Memory of the device for so many elements, all zero bytes."""
        return torch.zeros(count, dtype=dtype, device=self.first)

    def free_bytes(self) -> int:
        """How much memory of the device can still be allocated; 0 where it does not say."""
        if not hasattr(self.module, "mem_get_info"):
            return 0
        self.module.empty_cache()
        return int(self.module.mem_get_info(self.first)[0])

    def held_bytes(self) -> int:
        """What tensors hold of the device's memory, and what was taken past PyTorch's allocator.

        0 where the device does not say. Others that use the device count, too.
        """
        if not hasattr(self.module, "mem_get_info"):
            return 0
        free, total = self.module.mem_get_info(self.first)
        reserved = self.module.memory_reserved(self.first)
        return int(total - free - reserved + self.module.memory_allocated(self.first))

    def activity(self, run: Callable[[], Any]) -> Activity:
        """What ``run`` does with the device, as far as that can be known; see `Activity`."""
        if self.kind == "cuda":
            return cuda_activity(run, self.first)
        return simulated_activity(run, self.module) if self.kind == "simulated" else Activity()

    def delay(self, milliseconds: float) -> None:
        """Let the current stream be busy for about so long, without the host waiting."""
        own = getattr(self.module, "delay", None)
        if own is not None:
            own(milliseconds)
        else:
            torch.cuda._sleep(int(milliseconds * _CYCLES_PER_MS))  # noqa: SLF001 -- torch's own tests use it


def require_device(target: Target) -> None:
    """Raise `DeviceError` where torch sees no device for ``target``."""
    if target.device_type == "cuda" and not torch.cuda.is_available():
        raise DeviceError(
            f"target {target} needs a GPU, and torch {torch.__version__} sees none here",
            hint="Run `opwright doctor`; --target emulated runs device code without a GPU, and "
            "`opwright build` builds for one.",
        )
    if target.kind == "npu":
        raise DeviceError(
            f"on target {target} this version runs operators in graph modes only",
            hint="Run `opwright graph --mode superkernel`.",
        )


def device_count(target: Target) -> int:
    """How many devices there are for ``target``; they are neither set up nor used. 1 for the host."""
    if target.device_type == "cuda":
        return torch.cuda.device_count()
    if target.kind == "npu":
        npu = getattr(
            torch, "npu", None
        )  # torch-npu's, which comes with torch where it is installed
        return npu.device_count() if npu is not None else 0
    return _SIMULATED_DEVICES if target.kind == "simulated" else 1


def device_for(target: Target) -> Device | None:
    """The device on which kernels for ``target`` run; None for the host. Raises as `require_device`."""
    if target.device_type == "cpu":
        return None
    require_device(target)
    return Device(target.device_type)


def target_for(device: torch.device) -> Target:
    """The target whose kernels take tensors of ``device``."""
    hip = device.type == "cuda" and torch.version.hip is not None
    return parse_target("hip" if hip else device.type)
