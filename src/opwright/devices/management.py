"""Clocks, temperature, power and throttling of a device, as its vendor's tools tell them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from opwright.devices.device import Device
from opwright.devices.management_text import (
    DeviceState,
    Place,
    nvidia_smi_fields,
    parse_hy_smi,
    parse_npu_smi,
    parse_nvidia_smi,
    parse_rocm_smi,
)
from opwright.devices.nvml import load_nvml, nvml_state
from opwright.errors import DeviceError, OpwrightError
from opwright.process import run_command

_SECONDS = 20


@dataclass(frozen=True)
class Tool:
    """A vendor's command line. Of several ``commands`` the first that ends with 0 is parsed."""

    vendor: str
    commands: tuple[tuple[str, ...], ...]
    parse: Callable[[str, Place], DeviceState]


_ROCM = "rocm-smi --showtemp --showclocks --showpower --showperflevel --showbus --json"
NVIDIA = Tool(
    "nvidia",
    # Drivers before R535 call the reasons for which clocks change throttle reasons.
    tuple(
        ("nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits")
        for fields in (nvidia_smi_fields("event"), nvidia_smi_fields("throttle"))
    ),
    parse_nvidia_smi,
)
TOOLS: tuple[Tool, ...] = (
    NVIDIA,
    Tool("hygon", (("hy-smi",),), parse_hy_smi),
    Tool("amd", (tuple(_ROCM.split()),), parse_rocm_smi),
    Tool("ascend", (("npu-smi", "info"),), parse_npu_smi),
)


def device_state(device: Device) -> DeviceState:
    """The state of ``device`` now; ``not_read`` says why, where nothing tells it."""
    vendors = _vendors(device.kind)
    if not vendors:
        return DeviceState(not_read=f"no tool tells the state of {device.kind} devices")
    place = place_of(device)
    reasons: list[str] = []
    if "nvidia" in vendors:
        state = _by_nvml(place)
        if not state.not_read:
            return state
        reasons.append(state.not_read)
    for tool in TOOLS:
        if tool.vendor in vendors:
            state = asked(tool, place)
            if not state.not_read:
                return state
            reasons.append(state.not_read)
    return DeviceState(not_read="; ".join(reasons))


def _by_nvml(place: Place) -> DeviceState:
    try:
        return nvml_state(load_nvml(), place)
    except DeviceError as error:
        return DeviceState(not_read=error.what)


def _vendors(kind: str) -> tuple[str, ...]:
    """Whose tools know devices of this kind; Hygon's and AMD's both run under HIP."""
    if kind == "cuda":
        return ("hygon", "amd") if torch.version.hip else ("nvidia",)
    return ("ascend",) if kind == "npu" else ()


def place_of(device: Device) -> Place:
    """How the vendor's tools name the device: its number there is not always torch's."""
    ask = getattr(device.module, "get_device_properties", None)
    properties: Any = ask(device.first) if ask else None
    uuid = str(getattr(properties, "uuid", "") or "").removeprefix("GPU-")
    bus = getattr(properties, "pci_bus_id", None)
    pci = ""
    if isinstance(bus, int):
        domain, slot = properties.pci_domain_id, properties.pci_device_id
        pci = f"{domain:04x}:{bus:02x}:{slot:02x}.0"
    return Place(device.first.index or 0, f"GPU-{uuid}" if uuid else "", pci)


def asked(tool: Tool, place: Place) -> DeviceState:
    """What ``tool`` says of the device at ``place``."""
    reason = ""
    for command in tool.commands:
        at = ("-i", place.uuid or place.pci or str(place.index)) if tool is NVIDIA else ()
        try:
            done = run_command([*command, *at], timeout_seconds=_SECONDS)
        except OpwrightError as error:
            return DeviceState(not_read=error.what)
        if done.ok:
            return tool.parse(done.stdout, place)
        said = (done.stdout + done.stderr).strip().splitlines()
        reason = f"{command[0]} ends with {done.returncode}: {said[0] if said else 'no word'}"
    return DeviceState(not_read=reason)
