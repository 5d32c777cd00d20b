"""Device memory with a known content where the device itself has red zones: the simulated one."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import torch

from opwright.devices.red_zones import Damage

_USUAL = 0xFF


class BlockZones:
    """What `opwright.devices.red_zones.RedZones` is elsewhere; ``module`` is the device's own."""

    def __init__(self, module: Any, pattern: int) -> None:
        self.module = module
        self.pattern = pattern

    def __enter__(self) -> BlockZones:  # noqa: PYI034 -- Python 3.10 has no Self
        self.module.strays()
        self.module.set_fresh_byte(self.pattern)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.module.set_fresh_byte(_USUAL)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor's memory was filled before it was allocated: that of the device always is."""
        return tensor.device.type != "cpu"

    def damage(self, named: Mapping[str, torch.Tensor]) -> list[Damage]:
        """What was written outside of blocks; ``named`` are the tensors by which it is told where."""
        names = {
            storage.data_ptr(): name
            for name, tensor in named.items()
            if (storage := tensor.untyped_storage()).nbytes()
        }
        found = []
        for stray in self.module.strays():
            after = stray.offset_bytes >= stray.size_bytes
            name = names.get(stray.address, "") if after else ""
            offset = stray.offset_bytes - (stray.size_bytes if after else 0)
            found.append(Damage(name, offset, stray.changed_bytes))
        return found
