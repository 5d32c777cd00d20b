"""A call as a graph of the device that is captured once and replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opwright.devices.device import Device
from opwright.errors import DeviceError

_WARM_UP_CALLS = 3  # what is set up at first calls may not be captured


def captured(call: Callable[[], Any], device: Device) -> Callable[[], Any]:
    """What replays ``call`` on the current stream, and returns the results that every replay writes to.

    Raises `DeviceError` where the device has no graphs, or the call cannot be captured.
    """
    graph, stream = device.graph(), device.stream()
    if graph is None:
        raise DeviceError(
            f"torch has no graphs for {device.kind}", hint="Use another timer than graph."
        )
    device.synchronize()
    with device.using(stream):
        for _ in range(_WARM_UP_CALLS):
            call()
    device.synchronize()
    try:
        with device.capturing(graph, stream):
            results = call()
    except RuntimeError as error:
        raise DeviceError(
            f"the call cannot be captured in a graph: {str(error).partition(chr(10))[0]}",
            hint="Run `opwright check --only capture`, or use another timer than graph.",
        ) from error

    def replay() -> Any:
        graph.replay()
        return results

    return replay
