"""A gradient with a kernel of its own, and the reference's derivative of it, from float64 down to bfloat16."""

import torch
from opwright import Backward, Dim, Operator, Shape, Tensor
from torch.nn.functional import silu

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,), (0,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


def slopes(
    grad_output: torch.Tensor, input: torch.Tensor, bias: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    total = input.double() + bias.double()
    s = torch.sigmoid(total)
    found = grad_output * s * (1 + total * (1 - s))
    return found.to(input.dtype), found.sum(tuple(range(found.dim() - 1))).to(bias.dtype)


gradient_differentiated_again = Operator(
    "gradient_differentiated_again(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(batch, hidden), "bias": Tensor(hidden)},
    dtypes=("float32", "float64", "bfloat16", "float16"),
    reference=lambda input, bias: silu(input + bias),
    function=lambda input, bias: silu(input.double() + bias.double()).to(input.dtype),
    backward=Backward(
        "gradient_differentiated_again_backward(Tensor grad_output, Tensor input, Tensor bias)"
        " -> (Tensor grad_input, Tensor grad_bias)",
        function=slopes,
        double_backward="reference",
    ),
)
