"""Per-token symmetric int8, as torch_npu.npu_dynamic_quant: a scale for each row, so that its largest is 127.

Computed in float32, and rounded to the nearest, halves to even. A quotient that is no number gives 0: a row of
zeros has scale 0 and output 0.
"""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((1024,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (1_025,)))
hidden = Dim("hidden", typical=(768, 1024), edge=(1, 31, 33, 64, 257))


def reference(
    input: torch.Tensor, smooth_scales: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    smooth = input.float() if smooth_scales is None else input.float() * smooth_scales.float()
    # By a tensor on the device, or a GPU multiplies by 1 / 127: what lies half-way is rounded elsewhere.
    scale = smooth.abs().amax(-1) / smooth.new_full((), 127)
    quotient = (smooth / scale[..., None]).round().nan_to_num(nan=0)
    return quotient.clamp(-127, 127).to(torch.int8), scale


dynamic_quant = Operator(
    "dynamic_quant(Tensor input, Tensor? smooth_scales=None) -> (Tensor output, Tensor scale)",
    inputs={
        "input": Tensor(batch, hidden, layout="copy"),
        "smooth_scales": Tensor(hidden, layout="copy"),
    },
    outputs={
        "output": Tensor(batch, hidden, dtype="int8"),
        "scale": Tensor(batch, dtype="float32"),
    },
    dtypes=("float32", "bfloat16", "float16"),
    constraints=("hidden > 0",),
    reference=reference,
    sources={"cpu": "dynamic_quant.cpp", "cuda": "dynamic_quant.cu", "hip": "dynamic_quant.cu"},
    vmap=batch,
)
