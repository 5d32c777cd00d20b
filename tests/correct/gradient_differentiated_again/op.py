"""Gradients with a kernel of their own, and the reference's derivative of them, down to bfloat16."""

import torch
from opwright import Backward, Dim, Operator, Tensor

rows = Dim("rows", typical=(64,), edge=(0, 1, 3))
columns = Dim("columns", typical=(32,), edge=(1, 5))

gradient_differentiated_again = Operator(
    "gradient_differentiated_again(Tensor input, Tensor gain) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="copy"), "gain": Tensor(columns, layout="copy")},
    dtypes=("float32", "float64", "bfloat16", "float16"),
    reference=lambda input, gain: torch.sigmoid(input) * gain,
    sources={"cpu": "forward.cpp"},
    backward=Backward(
        "gradient_differentiated_again_backward(Tensor grad_output, Tensor input, Tensor gain)"
        " -> (Tensor grad_input, Tensor grad_gain)",
        sources={"cpu": "backward.cpp"},
        reduction=rows,
        double_backward="reference",
    ),
)
