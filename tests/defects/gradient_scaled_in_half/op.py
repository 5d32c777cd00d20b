"""Gives a bfloat16 gradient that is 1 % too large, which no element shows alone."""

import torch
from opwright import Backward, Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3),))
hidden = Dim("hidden", typical=(64,), edge=(32,))


def soft(input: torch.Tensor) -> torch.Tensor:
    return input * torch.tanh(torch.log1p(torch.exp(input)))


def slope(grad_output: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    x = input.detach().float().requires_grad_()
    with torch.enable_grad():
        (found,) = torch.autograd.grad(soft(x), x, grad_output.float())
    return (found * 1.01).to(input.dtype)


gradient_scaled = Operator(
    "gradient_scaled(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("bfloat16",),
    reference=soft,
    function=lambda input: soft(input.float()).to(input.dtype),
    backward=Backward(
        "gradient_scaled_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        function=slope,
    ),
)
