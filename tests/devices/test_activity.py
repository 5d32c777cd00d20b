from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from opwright.devices import activity as module
from opwright.devices.activity import Activity, Launch, cuda_activity

MINE, OTHER = Launch("twice<float>", 7, current=True), Launch("sum<float>", 13, current=False)


def test_what_is_not_on_the_current_stream_is_told_once_and_every_launch_is_a_figure() -> None:
    activity = Activity(("cudaMalloc", "cudaFree"), (MINE, OTHER, OTHER))
    assert activity.told == (
        " It calls `cudaMalloc` and `cudaFree`. Not on the current stream: `sum<float>`."
    )
    assert activity.launches
    assert activity.figures["launches"][:2] == [
        {"kernel": "twice<float>", "stream": 7, "current": True},
        {"kernel": "sum<float>", "stream": 13, "current": False},
    ]


def test_where_nothing_is_known_nothing_is_told() -> None:
    assert (Activity().told, Activity().figures) == ("", {})
    assert Activity(launches=(MINE,)).told == ""


def test_that_nothing_was_launched_is_known() -> None:
    assert Activity(launches=()).figures == {"launches": []}


@dataclass
class Event:
    """As the profiler has them: what the runtime was called for, and what the device did."""

    kernel: str
    stream: int = 0
    kind: str = "DeviceType.CUDA"

    def name(self) -> str:
        return self.kernel

    def device_type(self) -> str:
        return self.kind

    def device_resource_id(self) -> int:
        return self.stream


def seen(monkeypatch: pytest.MonkeyPatch, *events: Event) -> Activity:
    """What is made of these events of a GPU; ours alone before."""
    answers = iter([[*events[:1]], [*events]])
    monkeypatch.setattr(module, "_events", lambda run, device: next(answers))
    return cuda_activity(lambda: None, torch.device("cpu"))


def test_the_markers_stream_is_the_current_one_and_copies_are_no_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = (
        Event("void at::add<float>(float*)", 7),
        Event("cudaLaunchKernel", kind="DeviceType.CPU"),
        Event("void twice<float>(View)", 7),
        Event("Memcpy DtoD", 9),
        Event("ns::(anonymous namespace)::sum(int)", 13),
    )
    assert seen(monkeypatch, *events).launches == (
        Launch("twice<float>", 7, current=True),
        Launch("ns::sum", 13, current=False),
    )


def test_a_profiler_that_sees_no_kernel_tells_no_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seen(monkeypatch).launches is None
    assert seen(monkeypatch, Event("marker", 7)).launches == ()
