"""Clocks, temperature, power and throttling of a device, as its vendor's tools tell them."""

from __future__ import annotations

import importlib
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
    throttle_reasons,
)
from opwright.errors import OpwrightError
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
        state = nvml_state(place, _pynvml())
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


def _vendors(kind: str) -> tuple[str, ...]:
    """Whose tools know devices of this kind; Hygon's and AMD's both run under HIP."""
    if kind == "cuda":
        return ("hygon", "amd") if torch.version.hip else ("nvidia",)
    return ("ascend",) if kind == "npu" else ()


def place_of(device: Device) -> Place:
    """How the vendor's tools name the device: its number there is not always torch's."""
    ask = getattr(device.module, "get_device_properties", None)
    properties: Any = ask(device.first) if ask else None
    uuid = str(getattr(properties, "uuid", "") or "")
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


def _pynvml() -> Any:
    """NVIDIA's own bindings, where they are installed."""
    try:
        return importlib.import_module("pynvml")
    except ImportError:
        return None


def nvml_state(place: Place, nvml: Any) -> DeviceState:
    """The state through NVML; ``nvml`` is the module ``pynvml``, or None. Quick enough for a loop."""
    if nvml is None:
        return DeviceState(not_read="pynvml is not installed")

    def ask(name: str, *arguments: Any) -> Any:
        """None where this device or this driver does not say."""
        try:
            return getattr(nvml, name)(*arguments)
        except (AttributeError, nvml.NVMLError):
            return None

    try:
        nvml.nvmlInit()
        handle = nvml.nvmlDeviceGetHandleByUUID(place.uuid)
    except nvml.NVMLError as error:
        return DeviceState(not_read=f"NVML: {error}")
    mask = ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
    if mask is None:
        mask = ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
    power_mw = ask("nvmlDeviceGetPowerUsage", handle)
    persistence = ask("nvmlDeviceGetPersistenceMode", handle)
    return DeviceState(
        source="NVML",
        clock_mhz=ask("nvmlDeviceGetClockInfo", handle, nvml.NVML_CLOCK_SM),
        memory_clock_mhz=ask("nvmlDeviceGetClockInfo", handle, nvml.NVML_CLOCK_MEM),
        temperature_c=ask("nvmlDeviceGetTemperature", handle, nvml.NVML_TEMPERATURE_GPU),
        power_w=None if power_mw is None else power_mw / 1e3,
        reasons=None if mask is None else throttle_reasons(mask),
        persistence=None if persistence is None else bool(persistence),
        application_clock_mhz=ask(
            "nvmlDeviceGetApplicationsClock", handle, nvml.NVML_CLOCK_GRAPHICS
        ),
    )
