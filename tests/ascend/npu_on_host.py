"""Two of torch-npu's own operators on the simulated device: Opwright's, built for the CPU.

Importing it registers them in place of kernels that would need a device.
"""

from __future__ import annotations

import torch

from ascend.shipped import on_device

GATING_CORES = 8  # fewer than the device has: as a small operator starts

_library = torch.library.Library("npu", "IMPL")
_gating = on_device(
    "moe_gating_top_k_softmax",
    lambda op: lambda x, finished=None, k=1: op(x, finished, k),
    cores=GATING_CORES,
)
_quantised = on_device(
    "dynamic_quant", lambda op: lambda input, *, smooth_scales=None: op(input, smooth_scales)
)
_library.impl("npu_moe_gating_top_k_softmax", _gating, "PrivateUse1", allow_override=True)
_library.impl("npu_dynamic_quant", _quantised, "PrivateUse1", allow_override=True)
