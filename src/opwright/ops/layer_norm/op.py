"""Layer norm along the last dimension: (input - mean) / sqrt(variance + eps) * weight + bias."""

import torch.nn.functional as F
from opwright import Backward, Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((1024,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (1_025,)))
hidden = Dim("hidden", typical=(768, 1024), edge=(1, 31, 33, 64, 257))

layer_norm = Operator(
    "layer_norm(Tensor input, Tensor weight, Tensor bias, float eps=1e-5) -> Tensor",
    inputs={
        "input": Tensor(batch, hidden, layout="copy"),
        "weight": Tensor(hidden, layout="copy"),
        "bias": Tensor(hidden, layout="copy"),
    },
    dtypes=("float32", "bfloat16", "float16", "float64"),
    scalars={"eps": Scalar(1e-5, 1e-3, minimum=0)},
    constraints=("hidden > 0",),
    reference=lambda input, weight, bias, eps=1e-5: F.layer_norm(
        input, weight.shape, weight, bias, eps
    ),
    sources={"cpu": "layer_norm.cpp", "cuda": "layer_norm.cu", "hip": "layer_norm.cu"},
    reduction="hidden",
    backward=Backward(
        "layer_norm_backward(Tensor grad_output, Tensor input, Tensor weight, float eps)"
        " -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)",
        saved=("input", "weight"),
        sources={
            "cpu": "layer_norm_backward.cpp",
            "cuda": "layer_norm_backward.cu",
            "hip": "layer_norm_backward.cu",
        },
        reduction="hidden",
    ),
    autocast="float32",
    vmap=batch,
)
