"""What is said of Ascend devices where there are none."""

from __future__ import annotations

import pytest

from opwright.devices.device import device_count, device_for
from opwright.devices.npu import runtime_is_simulated
from opwright.errors import DeviceError
from opwright.spec.target import parse_target


def test_no_runtime_is_no_simulated_one() -> None:
    assert not runtime_is_simulated()


def test_checks_and_measurements_are_refused_with_the_way_that_there_is() -> None:
    with pytest.raises(DeviceError, match="graph modes only") as caught:
        device_for(parse_target("npu:ascend910b"))
    assert "opwright graph --mode superkernel" in str(caught.value.hint)


def test_without_torch_npu_there_are_no_devices() -> None:
    assert device_count(parse_target("npu")) == 0
