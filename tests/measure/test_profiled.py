"""Each call gets the kernels that it launched, whenever they ran."""

from __future__ import annotations

import pytest

from opwright.errors import DeviceError
from opwright.measure.profiled import Kernels, ProfilerTimer, kernels_of
from opwright.measure.step import Step
from profiler_events import Event, launch, range_of

RANGES = [range_of(f"opwright.sample.{n}", 1000 * n, 1000 * n + 500) for n in range(3)]


def test_a_kernel_belongs_to_the_call_that_launched_it_and_not_to_the_one_it_ran_in() -> None:
    events = [
        *RANGES,
        *launch("sum", 100, 1200, 3000, number=1),  # runs when the next call has begun
        *launch("scale", 1100, 4300, 500, number=2),
        *launch("ours", 700, 5000, 9999, number=3),  # between two calls
    ]
    assert list(kernels_of(events, 3)) == [
        Kernels(("sum",), (7,), 3.0),
        Kernels(("scale",), (7,), 0.5),
        Kernels((), (), 0.0),
    ]


def test_all_that_a_call_launched_is_added_up_and_copies_and_fills_are_no_kernels() -> None:
    events = [
        RANGES[0],
        *launch("sum", 100, 200, 1000, number=1),
        *launch("Memset (Device)", 150, 1200, 250, number=2),
        *launch("Memcpy DtoD (Device -> Device)", 160, 1500, 250, number=3),
    ]
    assert list(kernels_of(events, 1)) == [Kernels(("sum",), (7, 7, 7), 1.5)]


def test_numbers_of_pytorchs_own_are_not_taken_for_those_of_launches() -> None:
    events = [
        range_of("opwright.sample.0", 0, 500, number=41),
        *launch("sum", 100, 200, 1000, number=42),
        range_of("aten::add", 9000, 9100, number=42),  # later, and called the same by chance
        *launch("scale", 8000, 8100, 7000, number=43),
        range_of("aten::mul", 90, 95, number=43),  # earlier
    ]
    for order in (events, events[::-1]):
        assert list(kernels_of(order, 1)) == [Kernels(("sum",), (7,), 1.0)]


def test_ranges_that_the_profiler_draws_on_the_device_are_no_work() -> None:
    events = [
        range_of("opwright.sample.0", 0, 500, number=42),
        *launch("sum", 100, 200, 1000, number=42),
        Event("CUDA", "opwright.sample.0", 200, 4000, number=42),
        Event("CUDA", "the user's", 200, 4000, number=42),
    ]
    assert list(kernels_of(events, 1)) == [Kernels(("sum",), (7,), 1.0)]


def test_a_call_whose_range_is_lost_has_no_kernels() -> None:
    events = [RANGES[1], *launch("sum", 1100, 1200, 1000, number=1)]
    assert [each.names for each in kernels_of(events, 2)] == [(), ("sum",)]


class Told(ProfilerTimer):
    """One that has seen what it is told."""

    def __init__(self, *found: Kernels) -> None:
        self.late, self._found = 0, list(found)

    def _profiled(self, steps: object) -> list[Kernels]:
        return self._found


STEPS: list[Step] = []


def test_calls_without_a_kernel_are_counted() -> None:
    timer = Told(Kernels(("sum",), (7,), 3.0), Kernels((), (), 0.0))
    assert timer.times_us(STEPS) == [3.0, 0.0]
    assert timer.times_us(STEPS) == [3.0, 0.0]
    assert timer.late == 2


def test_a_device_whose_kernels_nobody_records_is_no_device_of_infinite_speed() -> None:
    with pytest.raises(DeviceError, match="the profiler records no kernels"):
        Told(Kernels((), (), 0.0)).times_us(STEPS)
