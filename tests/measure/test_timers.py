"""What lies between the readings of a clock, and which clock suits which device; see also tests/simulated."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from opwright.errors import UsageError
from opwright.measure import timers
from opwright.measure.step import Step
from opwright.measure.timers import (
    TIMERS,
    HostTimer,
    IssueTimer,
    default_timer,
    require_timer,
    timer_for,
    without_collection,
)


class Journal:
    """Notes what is done in order; it is a clock that stands still, and a device that is waited for."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def perf_counter_ns(self) -> int:
        self.said.append("clock")
        return 1000 * len(self.said)

    def synchronize(self) -> None:
        self.said.append("wait")

    def step(self, name: str) -> Step:
        def call() -> str:
            self.said.append(f"call {name}")
            return name

        def prepare() -> Any:
            self.said.append(f"prepare {name}")
            return call

        return Step(prepare, lambda result: self.said.append(f"after {result}"))


@pytest.fixture
def journal(monkeypatch: pytest.MonkeyPatch) -> Journal:
    made = Journal()
    monkeypatch.setattr(timers, "time", made)
    return made


def test_on_the_host_only_the_call_is_on_the_clock(journal: Journal) -> None:
    assert HostTimer(None).times_us([journal.step("a"), journal.step("b")]) == [2.0, 2.0]
    assert journal.said == [
        *("prepare a", "clock", "call a", "clock", "after a"),
        *("prepare b", "clock", "call b", "clock", "after b"),
    ]


def test_with_a_device_the_host_timer_waits_before_the_clock_and_on_it(journal: Journal) -> None:
    HostTimer(journal).times_us([journal.step("a")])  # type: ignore[arg-type]
    assert journal.said == ["prepare a", "wait", "clock", "call a", "wait", "clock", "after a"]


def test_the_issue_timer_waits_before_the_clock_and_after_it(journal: Journal) -> None:
    IssueTimer(journal).times_us([journal.step("a")])  # type: ignore[arg-type]
    assert journal.said == ["prepare a", "wait", "clock", "call a", "clock", "wait", "after a"]


def test_without_a_device_the_hosts_clock_is_the_one() -> None:
    assert default_timer(None) == "host"
    assert isinstance(timer_for("host", None), HostTimer)


@pytest.mark.parametrize("name", [name for name, kinds in TIMERS.items() if "cpu" not in kinds])
def test_timers_of_devices_are_refused_on_the_host(name: str) -> None:
    with pytest.raises(UsageError, match=f"the timer '{name}' is not for cpu") as told:
        timer_for(name, None)
    assert told.value.hint == "Use one of these: host."


@pytest.mark.parametrize("name", TIMERS)
def test_every_timer_is_for_gpus_and_none_for_what_is_simulated(name: str) -> None:
    require_timer(name, "cuda")
    with pytest.raises(UsageError, match="is not for simulated"):
        require_timer(name, "simulated")


@pytest.mark.parametrize("was_enabled", [True, False])
def test_garbage_is_collected_before_and_not_within_and_then_as_it_was(was_enabled: bool) -> None:
    if not was_enabled:
        gc.disable()
    try:
        before = gc.get_stats()[2]["collections"]
        with pytest.raises(KeyError), without_collection():
            assert gc.get_stats()[2]["collections"] == before + 1
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == was_enabled
    finally:
        gc.enable()
