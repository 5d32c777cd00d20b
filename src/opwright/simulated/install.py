"""Make the simulated device one of this process's, under the name ``simulated``."""

from __future__ import annotations

from types import ModuleType

import torch
from torch.utils.backend_registration import rename_privateuse1_backend

from opwright.errors import DeviceError
from opwright.records.artifact import Artifact
from opwright.simulated import device_module, driver

NAME = "simulated"


def installed() -> ModuleType | None:
    """``torch.simulated`` where `install` was called before; None elsewhere."""
    found = getattr(torch, NAME, None)
    return found if isinstance(found, ModuleType) else None


def install(artifact: Artifact) -> ModuleType:
    """Load the device and register it with PyTorch; a process has room for one such device.

    Raises `DeviceError` where another has it, and what `opwright.simulated.driver.load` raises.
    """
    name = torch._C._get_privateuse1_backend_name()  # noqa: SLF001 -- has no public name
    if name not in {"privateuseone", NAME}:
        raise DeviceError(
            f"the process's one device of PyTorch's kind PrivateUse1 is {name!r} already",
            hint="Use the simulated device in a process that does not load that package.",
        )
    rename_privateuse1_backend(NAME)
    driver.load(artifact)
    torch._register_device_module(NAME, device_module)  # noqa: SLF001 -- as its documentation asks
    return device_module
