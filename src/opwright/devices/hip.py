"""AMD's GPUs and Hygon's DCUs as torch sees them: it calls them CUDA's."""

from __future__ import annotations

import torch


def architecture() -> str | None:
    """``gfx90a``: that of the current device, without its features; None where torch sees none."""
    if not torch.version.hip or not torch.cuda.is_available():
        return None
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return str(properties.gcnArchName).partition(":")[0]
