"""A device whose tensors an operator takes, whatever torch calls its kind."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from opwright.devices.placement import on_device
from opwright.errors import DeviceError
from opwright.spec.target import Target, parse_target


class Device:
    """The first device of a kind, and torch's module for that kind (``torch.cuda``)."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.first = torch.device(kind, 0)
        self.module: ModuleType = torch.get_device_module(kind)

    def on_host_tensors(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """``call`` for tensors of the host; see `on_device`."""
        return on_device(call, self.first)

    @property
    def count(self) -> int:
        """How many devices of this kind there are."""
        return int(self.module.device_count())

    @property
    def name(self) -> str:
        """What the device calls itself."""
        return str(getattr(self.module, "get_device_name", lambda _: self.kind)(self.first))


def device_for(target: Target) -> Device | None:
    """The device on which kernels for ``target`` run; None for the host. Raises `DeviceError` for none there."""
    if target.device_type == "cpu":
        return None
    if target.device_type == "cuda" and not torch.cuda.is_available():
        raise DeviceError(
            f"target {target} needs a GPU, and torch {torch.__version__} sees none here",
            hint="Run `opwright doctor`; --target emulated runs device code without a GPU, and "
            "`opwright build` builds for one.",
        )
    return Device(target.device_type)


def target_for(device: torch.device) -> Target:
    """The target whose kernels take tensors of ``device``."""
    hip = device.type == "cuda" and torch.version.hip is not None
    return parse_target("hip" if hip else device.type)
