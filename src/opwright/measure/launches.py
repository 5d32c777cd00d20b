"""What calls launch on a device, and what in that speaks against timing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from opwright.devices.activity import Activity
from opwright.devices.device import Device

_CALLS = 3


class Launches(NamedTuple):
    """Figures by name for a record, and sentences on what is odd."""

    figures: dict[str, Any]
    doubts: tuple[str, ...]


def launches_of(prepare: Callable[[], Callable[[], Any]], device: Device | None) -> Launches:
    """What a few calls do with the device; nothing for the host, or where nobody records it."""
    if device is None:
        return Launches({}, ())
    seen = [device.activity(prepare()) for _ in range(_CALLS)]
    known = [activity for activity in seen if activity.launches is not None]
    return told_of(known) if known else Launches({}, ())


def told_of(seen: Sequence[Activity]) -> Launches:
    """The last call's kernels; a call without any, on another stream, or of a changing number is a doubt."""
    counts = [len(activity.launches or ()) for activity in seen]
    last = seen[-1]
    elsewhere = [launch.kernel for launch in last.launches or () if not launch.current]
    doubts = []
    if not counts[-1]:
        doubts.append("the call launches no kernel: what is timed is not on the device")
    if elsewhere:
        doubts.append(
            f"{', '.join(elsewhere)} runs on another stream than the current one, and its time is not in "
            "that of the events"
        )
    if len(set(counts)) > 1:
        doubts.append(f"calls launch different numbers of kernels: {', '.join(map(str, counts))}")
    return Launches({**last.figures, "kernels": counts[-1]}, tuple(doubts))
