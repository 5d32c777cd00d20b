"""What in the state of the machine speaks against samples is said, with its numbers, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from opwright.devices.device import Device
from opwright.devices.management_text import DeviceState
from opwright.measure.host import HostState
from opwright.measure.machine import (
    MachineState,
    clocks_policy,
    machine_state,
    why_unreliable,
)


def test_this_machine_has_a_state_that_a_record_can_hold() -> None:
    state = machine_state(None)
    assert state.host.cpus >= 1
    assert json.loads(json.dumps(asdict(state)))["device"] is None
    assert isinstance(why_unreliable(state, [state], state), list)


HOST = HostState(cpus=2, load=0.5, mhz=3000, steal_ticks=100, total_ticks=1000, throttled_periods=3)
AT_WORK = DeviceState("NVML", 1980, 3201, 50, 300, ())
QUIET = MachineState(HOST, AT_WORK)


def host(**changed: object) -> MachineState:
    return replace(QUIET, host=replace(HOST, **changed))


def device(**changed: object) -> MachineState:
    return replace(QUIET, device=replace(AT_WORK, **changed))


def test_a_quiet_machine_speaks_against_nothing() -> None:
    later = host(total_ticks=2000, steal_ticks=110)
    assert why_unreliable(QUIET, [QUIET, device(clock_mhz=1950.0)], later) == []
    assert why_unreliable(MachineState(HOST), [], MachineState(HOST)) == []


def test_idle_clocks_and_clocks_that_were_set_are_no_throttling() -> None:
    idle = device(clock_mhz=345.0, memory_clock_mhz=810.0, reasons=("idle",))
    set_by_hand = device(reasons=("application clocks",))
    assert why_unreliable(idle, [idle, set_by_hand, idle], idle) == []


@pytest.mark.parametrize(
    ("states", "sentence"),
    [
        (
            (QUIET, [QUIET, device(reasons=("power cap",))], QUIET),
            "the device held its clocks back (power cap) in 1 of 3 looks at it",
        ),
        (
            (QUIET, [QUIET, device(clock_mhz=1700.0)], QUIET),
            "the device's clock was between 1700 and 1980 MHz",
        ),
        (
            (QUIET, [QUIET, device(memory_clock_mhz=1600.0)], QUIET),
            "the device's memory clock was between 1600 and 3201 MHz",
        ),
        (
            (QUIET, [QUIET, host(mhz=2000.0)], QUIET),
            "the processors' clock was between 2000 and 3000 MHz",
        ),
        ((QUIET, [device(temperature_c=91.0)], QUIET), "the device was as hot as 91 °C"),
        ((QUIET, [], device(temperature_c=75.0)), "the device warmed up from 50 to 75 °C"),
        (
            (QUIET, [], host(total_ticks=2000, steal_ticks=150)),
            "the host took 5.0 % of this virtual machine's processor time for others",
        ),
        (
            (QUIET, [], host(throttled_periods=5, quota_cpus=1.5)),
            "the processes were stopped 2 times for their quota of 1.5 processors",
        ),
        ((host(load=2.5), [], QUIET), "before the run the load was 2.5 on 2 processors"),
        ((QUIET, [host(load=3.5)], QUIET), "during the run the load was 3.5 on 2 processors"),
    ],
)
def test_each_reason_has_its_numbers(
    states: tuple[MachineState, list[MachineState], MachineState], sentence: str
) -> None:
    assert why_unreliable(*states) == [sentence]


def test_the_runs_own_load_is_not_held_against_it() -> None:
    assert why_unreliable(QUIET, [host(load=2.5)], host(load=2.5)) == []


@pytest.mark.parametrize(
    ("state", "policy"),
    [
        (MachineState(HOST), "unknown"),
        (MachineState(replace(HOST, fixed_clock=True)), "locked"),
        (MachineState(replace(HOST, fixed_clock=False)), "governed"),
        (QUIET, "governed"),
        (device(reasons=("application clocks",)), "locked"),
        (device(reasons=None), "unknown"),
        (device(reasons=None, performance="manual"), "locked"),
        (device(reasons=None, performance="auto"), "governed"),
        (MachineState(replace(HOST, fixed_clock=True), DeviceState(not_read="no tool")), "unknown"),
    ],
)
def test_the_policy_is_the_devices_where_there_is_one(state: MachineState, policy: str) -> None:
    assert clocks_policy(state) == policy


@pytest.mark.cuda
def test_a_gpu_is_looked_at_too() -> None:
    state = machine_state(Device("cuda"))
    assert state.device is not None
    assert clocks_policy(state) in {"locked", "governed", "unknown"}
