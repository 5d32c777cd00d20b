"""What a call does with the device, as the device's own records tell it: functions called, kernels launched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import torch

# Functions of the runtime that wait for the device, or that may not be called while a graph is captured.
_WAITING = frozenset(
    f"{prefix}{name}"
    for prefix in ("cuda", "hip")
    for name in (
        *("DeviceSynchronize", "StreamSynchronize", "EventSynchronize", "Memcpy", "Memcpy2D"),
        *("Malloc", "Free", "MallocManaged", "HostAlloc", "MallocHost", "FreeHost", "HostMalloc"),
        *("HostFree", "MemcpyToSymbol", "MemcpyFromSymbol", "StreamQuery", "EventQuery"),
    )
)
# What the simulated device's journal holds besides kernels.
_NO_KERNELS = ("copy from ", "fill", "delay")


@dataclass(frozen=True)
class Launch:
    """A kernel, the number of the stream that it ran on, and whether that was the current one."""

    kernel: str
    stream: int
    current: bool


@dataclass(frozen=True)
class Activity:
    """``waiting`` are the runtime's functions that a call had better not call, in order, once each.

    ``launches`` are the kernels in the order in which they began; None where they are not known.
    """

    waiting: tuple[str, ...] = ()
    launches: tuple[Launch, ...] | None = None

    @property
    def figures(self) -> dict[str, Any]:
        """``{"launches": [{"kernel": "twice", "stream": 7, "current": True}]}``; empty where not known."""
        if self.launches is None:
            return {}
        return {"launches": [asdict(launch) for launch in self.launches]}

    @property
    def told(self) -> str:
        """`` It calls `cudaMalloc`.``, to stand behind a finding; empty where nothing is known."""
        parts = []
        if self.waiting:
            parts.append(f"It calls {' and '.join(f'`{name}`' for name in self.waiting)}.")
        elsewhere = [launch for launch in self.launches or () if not launch.current]
        if elsewhere:
            kernels = dict.fromkeys(f"`{launch.kernel}`" for launch in elsewhere)
            parts.append(f"Not on the current stream: {', '.join(kernels)}.")
        return "".join(f" {part}" for part in parts)


def simulated_activity(run: Callable[[], Any], module: ModuleType) -> Activity:
    """What ``run`` launches on the simulated device, from its journal; ``module`` is ``torch.simulated``."""
    here = module.current_stream()
    module.synchronize()
    module.launches()  # what came before
    run()
    module.synchronize()  # a kernel's whole name is known when it has begun
    return Activity(
        launches=tuple(
            Launch(name, stream, (device, stream) == (here.device_index, here.stream_id))
            for device, stream, name in module.launches()
            if not name.startswith(_NO_KERNELS)
        )
    )


def cuda_activity(run: Callable[[], Any], device: torch.device) -> Activity:
    """What ``run`` does with a CUDA device, from PyTorch's profiler; nothing where that sees nothing.

    ``run`` has been run before: what is set up once is not of interest.
    """
    marker = torch.zeros(1, device=device)

    # A kernel of ours on the current stream is how that is known.
    around = _called(_events(lambda: marker.add_(1), device))
    events = _events(lambda: (marker.add_(1), run()), device)
    launches = list(_launches(events))
    called = _called(events)
    waiting = called[: len(called) - len(around)]  # without those of the profiler, and our own
    told = tuple(dict.fromkeys(waiting))
    if not launches:  # the profiler has not even seen the marker's
        return Activity(told)
    current = launches[0][1]
    return Activity(
        told, tuple(Launch(name, stream, stream == current) for name, stream in launches[1:])
    )


def _events(run: Callable[[], Any], device: torch.device) -> list[Any]:
    """All that the profiler sees of ``run`` and of waiting for it."""
    torch.cuda.synchronize(device)
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds, acc_events=True) as profile:
        run()
        torch.cuda.synchronize(device)
    results = profile.profiler.kineto_results if profile.profiler else None
    return sorted(results.events(), key=lambda event: event.start_ns()) if results else []


def kernel_name(signature: str) -> str:
    """``ns::twice<float>`` for ``void ns::(anonymous namespace)::twice<float>(float*)``."""
    name = signature.removeprefix("void ").replace("(anonymous namespace)::", "")
    return name.partition("(")[0]


def _called(events: list[Any]) -> list[str]:
    return [event.name() for event in events if event.name() in _WAITING]


def _launches(events: list[Any]) -> Iterator[tuple[str, int]]:
    """Kernels and their streams, in the order in which they began; copies and fills are none."""
    for event in events:
        if "CUDA" in str(event.device_type()) and not event.name().startswith(("Memcpy", "Memset")):
            yield kernel_name(event.name()), int(event.device_resource_id())
