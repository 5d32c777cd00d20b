"""NVML is asked as its header says; what it refuses or does not have is None or a reason."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from opwright.devices import nvml
from opwright.devices.management_text import DeviceState, Place
from opwright.devices.nvml import load_nvml, nvml_state
from opwright.errors import DeviceError

_HANDLE, _NOT_SUPPORTED = 0x77, 3
HERE = Place(0, "GPU-1234")


def says(*known: int) -> Callable[..., int]:
    """A function of the library that writes into its last argument: by its second one, if there is one."""

    def function(handle: ctypes.c_void_p, *arguments: Any) -> int:
        assert handle.value == _HANDLE
        *which, out = arguments
        out._obj.value = known[which[0]] if which else known[0]
        return 0

    return function


def refuses(*_arguments: Any) -> int:
    return _NOT_SUPPORTED


def library(**functions: Any) -> Any:
    def by(known: bytes) -> Callable[[bytes, Any], int]:
        def find(text: bytes, out: Any) -> int:
            out._obj.value = _HANDLE if text == known else 0
            return 0 if text == known else 6

        return find

    usual = {
        "nvmlInit_v2": lambda: 0,
        "nvmlDeviceGetHandleByUUID": by(b"GPU-1234"),
        "nvmlDeviceGetHandleByPciBusId_v2": by(b"0000:c1:00.0"),
        "nvmlDeviceGetClockInfo": says(1950, 1980, 3201),
        "nvmlDeviceGetTemperature": says(41),
        "nvmlDeviceGetPowerUsage": says(90_500),
        "nvmlDeviceGetCurrentClocksThrottleReasons": says(0x20),
        "nvmlDeviceGetPersistenceMode": says(1),
        "nvmlDeviceGetApplicationsClock": refuses,
    }
    return SimpleNamespace(**{**usual, **functions})


def test_what_device_and_driver_know_is_said() -> None:
    assert nvml_state(library(), HERE) == DeviceState(
        "NVML", 1980, 3201, 41, 90.5, ("software thermal slowdown",), True, None
    )


def test_an_older_library_has_fewer_functions() -> None:
    old = library()
    del old.nvmlDeviceGetCurrentClocksThrottleReasons, old.nvmlDeviceGetApplicationsClock
    state = nvml_state(old, HERE)
    assert (state.clock_mhz, state.reasons, state.not_read) == (1980, None, "")


def test_a_driver_that_does_not_start_and_an_unknown_device_are_reasons() -> None:
    assert nvml_state(library(nvmlInit_v2=lambda: 9), HERE).not_read.startswith(
        "nvmlInit_v2 of NVML returns 9"
    )
    unknown = nvml_state(library(), Place(0, "GPU-5", "0000:01:00.0")).not_read
    assert "returns 6 for 'GPU-5'; " in unknown
    assert unknown.endswith("returns 6 for '0000:01:00.0'")


@pytest.mark.parametrize("uuid", ["", "MIG-5"])
def test_a_device_without_a_uuid_that_nvml_knows_is_found_by_its_address(uuid: str) -> None:
    assert nvml_state(library(), Place(0, uuid, "0000:c1:00.0")).clock_mhz == 1980


def test_without_a_driver_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "_LIBRARY", "libnothing-of-the-kind.so.1")
    with pytest.raises(DeviceError, match=r"libnothing-of-the-kind\.so\.1 cannot be loaded"):
        load_nvml()
