"""The tool that fits the device is asked; where none answers, it is said why."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from opwright.devices import nvml
from opwright.devices.device import Device
from opwright.devices.management import NVIDIA, TOOLS, asked, device_state, place_of
from opwright.devices.management_text import Place

HERE = Place(0, "GPU-1234", "0000:c1:00.0")


def device(kind: str, **properties: Any) -> Device:
    module = SimpleNamespace(get_device_properties=lambda _device: SimpleNamespace(**properties))
    return cast("Device", SimpleNamespace(kind=kind, first=torch.device("cuda", 0), module=module))


def tool(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, script: str) -> None:
    """The only program on PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_a_missing_tool_is_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for each in TOOLS:
        state = asked(each, HERE)
        assert f"cannot start {each.commands[0][0]}" in state.not_read


def test_nvidia_smi_is_asked_for_this_gpu_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = '[ "$4" = GPU-1234 ] && echo "1980, 3201, 41, 0x0, 90.5, Enabled, 1980"'
    tool(monkeypatch, tmp_path, "nvidia-smi", script)
    state = asked(NVIDIA, HERE)
    assert (state.clock_mhz, state.reasons, state.not_read) == (1980, (), "")


def test_an_older_driver_is_asked_in_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = """case $1 in
*event*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;;
esac
echo "1410, 1215, 41, 0x4, 90.5, Enabled, 1410" """
    tool(monkeypatch, tmp_path, "nvidia-smi", script)
    assert asked(NVIDIA, HERE).reasons == ("power cap",)


def test_what_a_tool_fails_with_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tool(monkeypatch, tmp_path, "nvidia-smi", "echo no driver; exit 9")
    assert asked(NVIDIA, HERE).not_read == "nvidia-smi ends with 9: no driver"


def test_all_reasons_are_kept_where_nothing_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(nvml, "_LIBRARY", "libnothing-of-the-kind.so.1")
    monkeypatch.setattr(torch.version, "hip", None)
    state = device_state(device("cuda", uuid="1234"))
    library, tool = state.not_read.split("; ")
    assert library.startswith("libnothing-of-the-kind.so.1 cannot be loaded")
    assert tool.startswith("cannot start nvidia-smi")


def test_under_hip_both_vendors_tools_are_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.version, "hip", "6.2")
    line = '{"card0": {"Temperature (Sensor edge) (C)": "31.0"}}'
    tool(monkeypatch, tmp_path, "rocm-smi", f"echo '{line}'")
    assert device_state(device("cuda")).temperature_c == 31


def test_a_device_of_nobodys_is_said_to_be_one() -> None:
    assert "no tool" in device_state(device("simulated")).not_read


def test_a_device_is_named_by_what_does_not_depend_on_which_are_visible() -> None:
    known = device("cuda", uuid="12-34", pci_domain_id=0, pci_bus_id=0xC1, pci_device_id=0)
    assert place_of(known) == Place(0, "GPU-12-34", "0000:c1:00.0")
    assert place_of(device("cuda")) == Place(0)


@pytest.mark.cuda
def test_a_gpu_has_a_state() -> None:
    state = device_state(Device("cuda"))
    assert not state.not_read
    assert state.temperature_c
    assert state.clock_mhz
