"""RMS norm along the last dimension: input / sqrt(mean(input^2) + eps) * weight."""

import torch.nn.functional as F
from opwright import Backward, Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((1024,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (1_025,)))
hidden = Dim("hidden", typical=(768, 1024), edge=(1, 31, 33, 64, 257))

rms_norm = Operator(
    "rms_norm(Tensor input, Tensor weight, float eps=1e-6) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    scalars={"eps": Scalar(1e-6, 1e-5, minimum=0)},
    constraints=("hidden > 0",),
    reference=lambda input, weight, eps=1e-6: F.rms_norm(input, weight.shape, weight, eps),
    sources={"cpu": "rms_norm.cpp", "cuda": "rms_norm.cu", "hip": "rms_norm.cu"},
    reduction="hidden",
    backward=Backward(
        "rms_norm_backward(Tensor grad_output, Tensor input, Tensor weight, float eps)"
        " -> (Tensor grad_input, Tensor grad_weight)",
        saved=("input", "weight"),
        sources={
            "cpu": "rms_norm_backward.cpp",
            "cuda": "rms_norm_backward.cu",
            "hip": "rms_norm_backward.cu",
        },
        reduction="hidden",
    ),
    autocast="float32",
    vmap=batch,
)
