"""Outputs as tools print them are read; what is not there is None, and no device is another's."""

from __future__ import annotations

import json

import pytest

from opwright.devices.management_text import (
    DeviceState,
    Place,
    nvidia_smi_fields,
    parse_hy_smi,
    parse_npu_smi,
    parse_nvidia_smi,
    parse_rocm_smi,
    throttle_reasons,
)

FIRST, SECOND, THIRD = Place(0), Place(1), Place(2)

# rocm-smi 6.2 of a Radeon 780M (systeminformation pull request 960), shortened.
ROCM_6 = """{
    "card0": {
        "Device Name": "Phoenix3",
        "Temperature (Sensor edge) (C)": "31.0",
        "fclk clock speed:": "(400Mhz)",
        "mclk clock speed:": "(400Mhz)",
        "mclk clock level:": "0",
        "sclk clock speed:": "(800Mhz)",
        "sclk clock level:": "0",
        "Performance Level": "auto",
        "Current Socket Graphics Package Power (W)": "7.222",
        "PCI Bus": "0000:C4:00.0"
    }
}"""
# An MI200 (wandb pull request 5449): averages, a maximum beside them, and the second die of the module.
ROCM_5 = json.dumps(
    {
        "card0": {
            "Temperature (Sensor edge) (C)": "45.0",
            "Temperature (Sensor junction) (C)": "52.0",
            "sclk clock speed:": "(1700Mhz)",
            "Performance Level": "manual",
            "Max Graphics Package Power (W)": "560.0",
            "Average Graphics Package Power (W)": "128.0",
            "PCI Bus": "0000:C9:00.0",
        },
        "card1": {
            "Temperature (Sensor junction) (C)": "50.0",
            "Average Graphics Package Power (W)": "N/A (Secondary die)",
            "PCI Bus": "0000:CE:00.0",
        },
    }
)
# rocm-smi of 2019 (RainbowMiner issue 749).
ROCM_3 = """{"card0": {"Fan Speed (%)": "45", "Average Graphics Package Power (W)": "222.0",
"Temperature (Sensor mem) (c)": "79.0", "Temperature (Sensor junction) (c)": "103.0",
"Temperature (Sensor edge) (c)": "77.0"}}"""

# hy-smi with clocks, and the rocm-smi of DTK without (PaddlePaddle's installation guide for DCUs).
HY_SMI = """
==========================System Management Interface ==========================
================================================================================
DCU  Temp   AvgPwr  SCLK     MCLK    Fan   Perf  PwrCap  VRAM%  DCU%
0    48.0c  23.0W   1319Mhz  800Mhz  0.0%  auto  300.0W    0%   0%
1    51.0c  24.0W   1500Mhz  800Mhz  0.0%  high  300.0W    0%   0%
================================================================================
=================================End of SMI Log=================================
"""
DTK_SMI = """
============System Management Interface ============
====================================================
DCU  Temp   AvgPwr  Fan   Perf  PwrCap  VRAM%  DCU%
0    30.0c  38.0W   0.0%  auto  280.0W    0%   0%
1    30.0c  41.0W   0.0%  auto  280.0W    0%   0%
====================================================
===================End of SMI Log===================
"""

# npu-smi 24.1.0 and 25.3.rc1, as issue reports and installation notes show them, shortened.
NPU_24 = """
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.0                   Version: 24.1.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B                | OK            | 70.0        34                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           1197 / 13553      1365 / 32768         |
+===========================+===============+====================================================+
| 1     910B                | OK            | 66.9        35                0    / 0             |
| 0                         | 0000:81:00.0  | 0           2411 / 15665      4    / 32768         |
+===========================+===============+====================================================+
"""
NPU_25 = """
+-------------------------------+-----------------+------------------------------------------------------+
| NPU     Name                  | Health          | Power(W)     Temp(C)           Hugepages-Usage(page) |
| Chip    Device                | Bus-Id          | AICore(%)    Memory-Usage(MB)                        |
+===============================+=================+======================================================+
| 6       310P3                 | OK              | NA           50                0     / 0             |
| 0       0                     | 0000:84:00.0    | 0            1839 / 21525                            |
+===============================+=================+======================================================+
| No running processes found in NPU 6                                                                    |
"""


def test_nvidia_smi_is_asked_for_what_is_read() -> None:
    line = "1980, 3201, 41, 0x0000000000000006, 312.45, Enabled, 1980\n"
    assert nvidia_smi_fields("event").split(",")[3] == "clocks_event_reasons.active"
    assert len(line.split(",")) == len(nvidia_smi_fields("throttle").split(","))
    assert parse_nvidia_smi(line, FIRST) == DeviceState(
        "nvidia-smi", 1980, 3201, 41, 312.45, ("application clocks", "power cap"), True, 1980
    )


def test_what_an_nvidia_gpu_does_not_say_is_none() -> None:
    state = parse_nvidia_smi("[N/A], 405, 30, [Not Supported], [N/A], Disabled, [N/A]", FIRST)
    assert state == DeviceState("nvidia-smi", None, 405, 30, None, None, False, None)


@pytest.mark.parametrize("text", ["", "No devices were found\n"])
def test_an_answer_of_another_shape_is_not_read(text: str) -> None:
    assert "not 7 values" in parse_nvidia_smi(text, FIRST).not_read


def test_the_bits_of_the_mask_have_names_and_new_ones_numbers() -> None:
    assert throttle_reasons(0) == ()
    assert throttle_reasons(0x1) == ("idle",)
    assert throttle_reasons(0xC8) == (
        "hardware slowdown",
        "hardware thermal slowdown",
        "power brake",
    )
    assert throttle_reasons(0x400) == ("reason 0x400",)


@pytest.mark.parametrize(
    ("text", "place", "state"),
    [
        (ROCM_6, FIRST, DeviceState("rocm-smi", 800, 400, 31, 7.222, performance="auto")),
        (ROCM_5, FIRST, DeviceState("rocm-smi", 1700, None, 52, 128, performance="manual")),
        (ROCM_5, SECOND, DeviceState("rocm-smi", None, None, 50, None)),
        (ROCM_5, Place(0, pci="0000:ce:00.0"), DeviceState("rocm-smi", None, None, 50, None)),
        (ROCM_3, FIRST, DeviceState("rocm-smi", None, None, 103, 222)),
        ("WARNING: low power\n\n" + ROCM_3, FIRST, DeviceState("rocm-smi", None, None, 103, 222)),
    ],
)
def test_rocm_smi_of_several_versions(text: str, place: Place, state: DeviceState) -> None:
    assert parse_rocm_smi(text, place) == state


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("", FIRST, "no JSON"),
        ("{broken", FIRST, "no JSON"),
        (ROCM_5, THIRD, "lists no device 2"),
        (ROCM_5, Place(0, pci="0000:01:00.0"), "lists no device 0000:01:00.0"),
    ],
)
def test_another_cards_numbers_are_nobodys(text: str, place: Place, why: str) -> None:
    assert why in parse_rocm_smi(text, place).not_read


@pytest.mark.parametrize(
    ("text", "place", "state"),
    [
        (HY_SMI, FIRST, DeviceState("hy-smi", 1319, 800, 48, 23, performance="auto")),
        (HY_SMI, SECOND, DeviceState("hy-smi", 1500, 800, 51, 24, performance="high")),
        (DTK_SMI, SECOND, DeviceState("hy-smi", None, None, 30, 41, performance="auto")),
    ],
)
def test_hy_smi_is_read_by_its_columns(text: str, place: Place, state: DeviceState) -> None:
    assert parse_hy_smi(text, place) == state
    assert "lists no device 2" in parse_hy_smi(text, THIRD).not_read


def test_npu_smi_of_two_widths() -> None:
    assert parse_npu_smi(NPU_24, SECOND) == DeviceState("npu-smi", temperature_c=35, power_w=66.9)
    assert parse_npu_smi(NPU_25, FIRST) == DeviceState("npu-smi", temperature_c=50, power_w=None)
    assert "lists 2 devices" in parse_npu_smi(NPU_24, THIRD).not_read
    assert parse_npu_smi("", FIRST).not_read
