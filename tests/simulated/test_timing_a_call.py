"""What each clock sees of a call that keeps its stream busy; nothing here is fast, so only order is asked for."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch

from opwright.devices.device import Device
from opwright.errors import DeviceError, UsageError
from opwright.measure import synchronising
from opwright.measure.captured import captured
from opwright.measure.launches import launches_of
from opwright.measure.step import Step, Timer
from opwright.measure.synchronising import device_time_us, four_ways
from opwright.measure.timers import EventTimer, HostTimer, IssueTimer, timer_for

pytestmark = pytest.mark.xdist_group("simulated")
DELAY_MS = 30.0  # a thread never sleeps less than it was told
DELAY_US = 1e3 * DELAY_MS


@pytest.fixture
def simulated(device: ModuleType) -> Device:
    return Device("simulated")


def step(device: Device, said: list[str] | None = None, earlier_ms: float = 0.0) -> Step:
    """A call that only keeps its stream busy; so does what comes before, off the clock."""
    told = said if said is not None else []

    def prepare() -> Any:
        if earlier_ms:
            device.delay(earlier_ms)
        return lambda: device.delay(DELAY_MS)

    def after(result: object) -> None:
        told.append("done" if device.module.current_stream().query() else "under way")

    return Step(prepare, after)


def least(timer: Timer, step: Step) -> float:
    """Of three; whoever is disturbed takes longer."""
    return min(timer.times_us([step] * 3))


def test_the_host_timer_waits_for_the_call_and_not_for_what_was_before(simulated: Device) -> None:
    time_us = least(HostTimer(simulated), step(simulated, earlier_ms=4 * DELAY_MS))
    assert DELAY_US <= time_us < 4 * DELAY_US


def test_the_issue_timer_does_not_wait_for_the_call(simulated: Device) -> None:
    said: list[str] = []
    assert least(IssueTimer(simulated), step(simulated, said)) < DELAY_US
    assert said == ["done"] * 3, "who looks at a result finds it finished"


def test_events_hold_the_call_and_not_what_was_before(simulated: Device) -> None:
    said: list[str] = []
    time_us = least(EventTimer(simulated), step(simulated, said, earlier_ms=4 * DELAY_MS))
    assert DELAY_US <= time_us < 4 * DELAY_US
    assert said == ["done"] * 3


def test_events_of_a_call_that_is_issued_in_time_do_not_count_its_issue(
    simulated: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device is kept busy until the second event is there; what the host does meanwhile is no time of it."""
    monkeypatch.setattr("opwright.measure.timers._HEAD_START_MS", 2 * DELAY_MS)
    timer = EventTimer(simulated)
    slow_to_issue = Step(lambda: lambda: _sleep_ms(DELAY_MS), lambda result: None)
    assert least(timer, slow_to_issue) < DELAY_US
    assert timer.late == 0


def test_a_host_that_is_too_late_is_counted(simulated: Device) -> None:
    timer = EventTimer(simulated)
    timer.times_us([Step(lambda: lambda: _sleep_ms(DELAY_MS), lambda result: None)] * 2)
    assert timer.late == 2
    assert timer._head_start_ms == 4 * EventTimer(simulated)._head_start_ms, "more time each time"


def _sleep_ms(milliseconds: float) -> None:
    import time

    time.sleep(milliseconds / 1e3)


def test_no_timer_of_the_commands_is_for_the_simulated_device(simulated: Device) -> None:
    with pytest.raises(UsageError, match="the timer 'events' is not for simulated"):
        timer_for("events", simulated)


def test_a_replay_computes_anew_from_the_arguments_of_its_time(simulated: Device) -> None:
    source = torch.ones(4, device="simulated")
    calls: list[None] = []

    def call() -> torch.Tensor:
        calls.append(None)
        return source * 2

    replay = captured(call, simulated)
    before = len(calls)
    for value in (3.0, 5.0):
        source.fill_(value)
        assert replay().cpu().tolist() == [2 * value] * 4
    assert len(calls) == before, "the call itself is not run again"


def test_a_replay_is_on_the_stream_that_is_current_then(simulated: Device) -> None:
    source = torch.ones(4, device="simulated")
    replay = captured(lambda: source * 2, simulated)
    with simulated.using(simulated.stream()):
        assert launches_of(lambda: replay, simulated).doubts == ()


def test_a_call_that_waits_cannot_be_captured_and_the_reason_is_told(simulated: Device) -> None:
    source = torch.ones(4, device="simulated")
    with pytest.raises(
        DeviceError, match=r"cannot be captured in a graph: .*reading a value"
    ) as it:
        captured(lambda: source.sum().item(), simulated)
    assert "--only capture" in it.value.hint
    assert (source * 2).cpu().tolist() == [2.0] * 4, "the device is as before"


def test_a_device_without_graphs_is_named(
    simulated: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Device, "graph", lambda self: None)
    with pytest.raises(DeviceError, match="torch has no graphs for simulated"):
        captured(lambda: None, simulated)


def test_launches_on_another_stream_are_seen(simulated: Device) -> None:
    source, other = torch.ones(4, device="simulated"), simulated.stream()

    def call() -> None:
        source.mul(2)
        with simulated.using(other):
            source.add(1)

    found = launches_of(lambda: call, simulated)
    assert found.figures["kernels"] == 2
    (doubt,) = found.doubts
    assert "runs on another stream" in doubt


EARLIER_MS = 4 * DELAY_MS


@pytest.fixture
def ways(simulated: Device, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[bool, bool], Any]:
    """The four ways around a call of 30 ms that comes behind 120 ms of earlier work."""
    monkeypatch.setattr(synchronising, "EARLIER_MS", EARLIER_MS)
    monkeypatch.setattr(synchronising, "_SAMPLES", 2)
    found = four_ways(lambda: simulated.delay(DELAY_MS), simulated)
    return {(way.before, way.after): way for way in found}


def test_each_way_of_waiting_measures_what_it_is_said_to(
    ways: dict[tuple[bool, bool], Any],
) -> None:
    least_us = {how: min(way.times_us) for how, way in ways.items()}
    assert least_us[False, False] < DELAY_US
    assert least_us[True, False] < DELAY_US
    assert DELAY_US <= least_us[True, True] < 1e3 * EARLIER_MS
    # the clock begins a moment after the earlier work
    assert max(ways[False, True].times_us) > 2 * DELAY_US
    assert ways[False, True].measured == "earlier work and the call"
    assert ways[True, True].measured == "the call, from its issue to its end"
    assert {way.measured.partition(":")[0] for way in (ways[False, False], ways[True, False])} == {
        "issue time"
    }


def test_lanes_show_the_call_behind_the_earlier_work(ways: dict[tuple[bool, bool], Any]) -> None:
    for way in ways.values():
        issue, earlier, call = way.spans
        assert [issue.lane, earlier.lane, call.lane] == ["host", "stream", "stream"]
        assert [issue.name, earlier.name, call.name] == ["issue", "earlier work", "call"]
        assert earlier.end_us - earlier.begin_us >= 1e3 * EARLIER_MS
        assert call.end_us - call.begin_us >= DELAY_US
        assert call.begin_us == earlier.end_us
        assert way.clock_us[0] <= issue.begin_us <= issue.end_us <= way.clock_us[1]


def test_the_calls_own_time_is_without_the_work_before(
    simulated: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synchronising, "EARLIER_MS", EARLIER_MS)
    monkeypatch.setattr(synchronising, "_SAMPLES", 2)
    time_us = device_time_us(lambda: simulated.delay(DELAY_MS), simulated)
    assert DELAY_US <= time_us < 1e3 * EARLIER_MS
