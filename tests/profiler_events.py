"""Events as PyTorch's profiler gives them, made up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """``number`` is that of a launch and its kernel, or PyTorch's own for a range or an operator.

    ``within`` is the number of the operator that a launch and its kernel belong to; 0 for PyTorch's own.
    """

    device: str
    label: str
    start: int
    duration: int
    number: int = 0
    within: int = 0
    stream: int = 7

    def name(self) -> str:
        return self.label

    def device_type(self) -> str:
        return f"DeviceType.{self.device}"

    def start_ns(self) -> int:
        return self.start

    def duration_ns(self) -> int:
        return self.duration

    def correlation_id(self) -> int:
        return self.number

    def linked_correlation_id(self) -> int:
        return self.within

    def device_resource_id(self) -> int:
        return self.stream


def range_of(label: str, start: int, end: int, number: int = 0) -> Event:
    """A range on the host."""
    return Event("CPU", label, start, end - start, number)


def launch(label: str, at: int, begin: int, duration: int, number: int) -> tuple[Event, Event]:
    """A launch on the host, and the kernel that it becomes."""
    return (
        Event("CPU", "cudaLaunchKernel", at, 5, number, within=1000),
        Event("CUDA", label, begin, duration, number, within=1000),
    )
