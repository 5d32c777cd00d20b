"""``torch.simulated``: two devices, ``simulated:0`` and ``simulated:1``, on this machine's CPU.

They are as asynchronous as a GPU: kernels, copies and fills are put on streams, each of which has a
thread that does them. Besides what ``torch.cuda`` has of the same names:

- `delay` (milliseconds) keeps the current stream busy, so that what does not wait for it is seen;
- `launches` and `synchronizations` tell what was put on streams, and what the host has waited for,
  each since the last time that it was asked;
- `strays` tells of writes outside of blocks (into the red zones around each);
- `set_fresh_byte` says what fresh memory and its red zones are filled with, 0xFF (NaN) by default. Freed
  memory is filled with 0xFB, in the order of its stream;
- `protection` is ``"threads"`` where the processor has keys for memory: then the host can never touch
  that of a device, and a device not that of the other. Elsewhere it is ``"windows"``: the host is
  stopped only while the device has no work.

A host thread that touches device memory ends the process with SIGSEGV and a message. What a kernel may
not do is an error of the device: `synchronize` and whatever else asks it raises `torch.AcceleratorError`,
until the process ends. A launch for another than the current device is refused as on a GPU.

Graphs are `torch.accelerator.Graph`, also in the shape of ``torch.cuda.graph``. While a stream is
captured nothing may wait: the capture fails then, and says why.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.accelerator import (
    Graph,
    current_stream,
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    synchronize,
)
from torch.accelerator import current_device_index as current_device
from torch.accelerator import get_memory_info as mem_get_info
from torch.accelerator import set_device_index as set_device

from opwright.simulated.driver import Entry, Stray, driver

__all__ = [
    "Event",
    "Graph",
    "Stream",
    "current_device",
    "current_stream",
    "default_stream",
    "delay",
    "device",
    "device_count",
    "empty_cache",
    "get_amp_supported_dtype",
    "get_device_name",
    "get_rng_state",
    "graph",
    "is_available",
    "is_initialized",
    "launches",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "protection",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device",
    "set_fresh_byte",
    "set_rng_state",
    "set_stream",
    "strays",
    "stream",
    "synchronizations",
    "synchronize",
]

Stream = functools.partial(torch.Stream, device="simulated")
Event = functools.partial(torch.Event, device="simulated")


def device_count() -> int:
    """Two."""
    return driver().device_count


def is_available() -> bool:
    """Always: whoever has this module has the device."""
    return True


def is_initialized() -> bool:
    """Always."""
    return True


def _is_in_bad_fork() -> bool:
    return False


def manual_seed_all(
    seed: int,
) -> None:  # PyTorch seeds the CPU's generator, whose numbers these are
    """Nothing of its own: random numbers come from the generator of the CPU."""


def get_rng_state(device: Any = "simulated") -> torch.Tensor:
    """That of the CPU's generator: random numbers come from there. Compilers keep it while they trace."""
    del device
    return torch.get_rng_state()


def set_rng_state(new_state: torch.Tensor, device: Any = "simulated") -> None:
    """Go on from `get_rng_state`'s."""
    del device
    torch.set_rng_state(new_state)


def get_amp_supported_dtype() -> list[torch.dtype]:
    """What autocast may use."""
    return [torch.float16, torch.bfloat16]


def get_device_name(device: Any = None) -> str:
    """The same for both."""
    return "Opwright's simulated device"


@contextmanager
def device(index: Any) -> Iterator[None]:
    """Inside the block, the device is the current one."""
    before = current_device()
    set_device(index)
    try:
        yield
    finally:
        set_device(before)


def default_stream(device: Any = None) -> torch.Stream:
    """The stream that is current where nobody has chosen one. It waits for no other."""
    named = torch.device("simulated", device) if isinstance(device, int) else device
    index = None if named is None else torch.device(named).index
    index = current_device() if index is None else index
    kind = torch._C._autograd.DeviceType.PrivateUse1.value  # noqa: SLF001 -- has no public name
    return torch.Stream(stream_id=0, device_index=index, device_type=kind)


def set_stream(stream: torch.Stream) -> None:
    """Make the stream the current one of its device, which becomes the current one."""
    torch.accelerator.set_stream(stream)


@contextmanager
def stream(stream: torch.Stream | None) -> Iterator[None]:
    """Inside the block, the stream and its device are the current ones."""
    if stream is None:
        yield
        return
    device_before = current_device()
    stream_before = current_stream(stream.device)
    set_stream(stream)
    try:
        yield
    finally:
        set_stream(stream_before)
        set_device(device_before)


_using = stream  # `graph` has an argument of that name


@contextmanager
def graph(
    captured: Graph, stream: torch.Stream | None = None, pool: tuple[int, int] | None = None
) -> Iterator[None]:
    """Inside the block, what is put on ``stream`` (by default a new one) is kept in the graph, not run.

    With the ``pool`` of an earlier graph, what that one has given back meanwhile is used again.
    """
    captured.graph_pool = pool
    synchronize()
    side = Stream() if stream is None else stream
    with _using(side):
        captured.capture_begin()
        try:
            yield
        except BaseException:
            _abandon(captured)
            raise
        captured.capture_end()


def _abandon(captured: Graph) -> None:
    """End a capture that is of no use any more: what went wrong is being raised."""
    try:
        captured.capture_end()
    except torch.AcceleratorError:
        return


def delay(milliseconds: float) -> None:
    """Keep the current stream busy for so long, without the host waiting."""
    here = current_stream()
    driver().delay(here.device_index, here.stream_id, int(milliseconds * 1000))


def launches() -> list[Entry]:
    """Kernels, copies and fills that were put on streams since the last time, by device, stream, name."""
    return driver().launches()


def synchronizations() -> list[Entry]:
    """What the host has waited for since the last time."""
    return driver().synchronizations()


def strays() -> list[Stray]:
    """Writes outside of blocks since the last time. Waits for both devices."""
    return driver().strays()


def set_fresh_byte(byte: int) -> None:
    """Fill memory with ``byte`` from now on, when it is handed out."""
    driver().set_fresh_byte(byte)


def protection() -> str:
    """``"threads"`` or ``"windows"``: see above."""
    return "threads" if driver().has_keys else "windows"
