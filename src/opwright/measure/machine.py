"""The state of the machine around a run, and what in it speaks against the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.cgroups import ROOT
from opwright.devices.device import Device
from opwright.devices.management import device_state
from opwright.devices.management_text import HARMLESS, IDLE, SET, DeviceState
from opwright.measure.host import HostState, host_state

_CLOCK_SPREAD = 0.05
_STEAL_PERCENT = 2.0
_OWN_LOAD = 1.0  # beside one for each processor, what a run's own threads come to
_HOT_C, _WARMED_C = 85.0, 20.0
# Performance levels of AMD's and Hygon's drivers under which the clocks do not follow the load.
_FIXED_LEVELS = frozenset({"manual", "high", "low", "determinism", "stable_std", "stable_peak"})


@dataclass(frozen=True)
class MachineState:
    """The host, and the device where there is one."""

    host: HostState
    device: DeviceState | None = None


def machine_state(device: Device | None, root: Path = ROOT) -> MachineState:
    """The state now. A vendor's command line may take a second; what cannot be read is said."""
    return MachineState(host_state(root), device_state(device) if device else None)


def clocks_policy(state: MachineState) -> str:
    """``locked``, ``governed`` or ``unknown``: the device's where there is one, else the processors'.

    Runs under different policies are not comparable.
    """
    device = state.device
    if device is None:
        fixed = state.host.fixed_clock
        return "unknown" if fixed is None else "locked" if fixed else "governed"
    if device.performance:
        return "locked" if device.performance in _FIXED_LEVELS else "governed"
    if device.reasons is None:
        return "unknown"
    return "locked" if SET in device.reasons else "governed"


def why_unreliable(
    before: MachineState, samples: Sequence[MachineState], after: MachineState
) -> list[str]:
    """Sentences, with numbers, on why the samples in between do not show the machine at rest.

    ``samples`` are looks at the machine while it was at work; clocks are compared between those only.
    """
    states = (before, *samples, after)
    hosts = [state.host for state in states]
    devices = [state.device for state in (*samples, after) if state.device]
    working = [state for state in samples if not _is_idle(state)]
    return [
        *_throttled(devices),
        *_spread("device's clock", [s.device.clock_mhz for s in working if s.device]),
        *_spread("device's memory clock", [s.device.memory_clock_mhz for s in working if s.device]),
        *_spread("processors' clock", [state.host.mhz for state in samples]),
        *_heat([state.device.temperature_c for state in states if state.device]),
        *_steal(before.host, after.host),
        *_stopped(before.host, after.host),
        *_load(hosts),
    ]


def _is_idle(state: MachineState) -> bool:
    return state.device is not None and IDLE in (state.device.reasons or ())


def _throttled(devices: Sequence[DeviceState]) -> Iterator[str]:
    looks = [set(state.reasons or ()) - HARMLESS for state in devices]
    for reason in sorted(set().union(*looks)):
        count = sum(reason in look for look in looks)
        yield f"the device held its clocks back ({reason}) in {count} of {len(looks)} looks at it"


def _spread(what: str, clocks: Sequence[float | None]) -> Iterator[str]:
    known = [clock for clock in clocks if clock]
    if known and max(known) > (1 + _CLOCK_SPREAD) * min(known):
        yield f"the {what} was between {min(known):.0f} and {max(known):.0f} MHz"


def _heat(temperatures: Sequence[float | None]) -> Iterator[str]:
    known = [temperature for temperature in temperatures if temperature is not None]
    if known and max(known) >= _HOT_C:
        yield f"the device was as hot as {max(known):.0f} °C"
    if known and known[-1] - known[0] >= _WARMED_C:
        yield f"the device warmed up from {known[0]:.0f} to {known[-1]:.0f} °C"


def _steal(before: HostState, after: HostState) -> Iterator[str]:
    counts = (before.steal_ticks, after.steal_ticks, before.total_ticks, after.total_ticks)
    first, last, begin, end = counts
    if first is None or last is None or begin is None or end is None or end <= begin:
        return
    percent = 100 * (last - first) / (end - begin)
    if percent > _STEAL_PERCENT:
        yield f"the host took {percent:.1f} % of this virtual machine's processor time for others"


def _stopped(before: HostState, after: HostState) -> Iterator[str]:
    first, last = before.throttled_periods, after.throttled_periods
    if first is not None and last is not None and last > first:
        quota = f" of {after.quota_cpus:g} processors" if after.quota_cpus else ""
        yield f"the processes were stopped {last - first} times for their quota{quota}"


def _load(hosts: Sequence[HostState]) -> Iterator[str]:
    """Before a run all load is others'; later some of it is the run's own."""
    first, rest = hosts[0], [host for host in hosts[1:] if host.load is not None]
    if first.load is not None and first.load > first.cpus:
        yield f"before the run the load was {first.load:.1f} on {_processors(first.cpus)}"
    busiest = max(rest, key=lambda host: host.load or 0.0, default=None)
    if busiest and busiest.load and busiest.load > busiest.cpus + _OWN_LOAD:
        yield f"during the run the load was {busiest.load:.1f} on {_processors(busiest.cpus)}"


def _processors(count: int) -> str:
    return "1 processor" if count == 1 else f"{count} processors"
