"""NVIDIA's management library, which comes with the driver: quick enough to be asked within a run."""

from __future__ import annotations

import ctypes
from typing import Any

from opwright.devices.management_text import DeviceState, Place, throttle_reasons
from opwright.errors import DeviceError

_LIBRARY = "libnvidia-ml.so.1"
# nvml.h
_GRAPHICS, _SM, _MEMORY = 0, 1, 2
_GPU_SENSOR = 0


def load_nvml() -> Any:
    """The library. Raises `DeviceError` where there is none, which means that there is no driver."""
    try:
        return ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise DeviceError(
            f"{_LIBRARY} cannot be loaded: {error}", hint="It comes with NVIDIA's driver."
        ) from error


def nvml_state(library: Any, place: Place) -> DeviceState:
    """The state of the GPU at ``place``; what the device or the driver does not tell is None."""
    if code := library.nvmlInit_v2():
        return DeviceState(not_read=f"nvmlInit_v2 of NVML returns {code}")
    handle = ctypes.c_void_p()
    refused: list[str] = []
    for name, text in (
        ("nvmlDeviceGetHandleByUUID", place.uuid),
        ("nvmlDeviceGetHandleByPciBusId_v2", place.pci),
    ):
        code = getattr(library, name)(text.encode(), ctypes.byref(handle))
        if not code:
            break
        refused.append(f"{name} of NVML returns {code} for {text!r}")
    else:
        return DeviceState(not_read="; ".join(refused))

    def ask(name: str, *which: int, kind: Any = ctypes.c_uint) -> int | None:
        function, value = getattr(library, name, None), kind()
        if function is None or function(handle, *which, ctypes.byref(value)):
            return None
        return int(value.value)

    # Later drivers call the reasons by another name as well, and keep this one.
    mask = ask("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong)
    power_mw = ask("nvmlDeviceGetPowerUsage")
    persistence = ask("nvmlDeviceGetPersistenceMode")
    return DeviceState(
        source="NVML",
        clock_mhz=ask("nvmlDeviceGetClockInfo", _SM),
        memory_clock_mhz=ask("nvmlDeviceGetClockInfo", _MEMORY),
        temperature_c=ask("nvmlDeviceGetTemperature", _GPU_SENSOR),
        power_w=None if power_mw is None else power_mw / 1e3,
        reasons=None if mask is None else throttle_reasons(mask),
        persistence=None if persistence is None else bool(persistence),
        application_clock_mhz=ask("nvmlDeviceGetApplicationsClock", _GRAPHICS),
    )
