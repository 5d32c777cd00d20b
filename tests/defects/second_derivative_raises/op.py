"""Declares a second derivative, and raises when it is asked for: its backward's formula has none."""

import torch
from opwright import Backward, Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def slope(grad_output: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    s = torch.sigmoid(input)
    return grad_output * s * (1 - s)


class Slope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_output, input):
        return slope(grad_output, input)

    @staticmethod
    def backward(ctx, weight):
        raise NotImplementedError("to be written")


second_derivative_raises = Operator(
    "second_derivative_raises(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "float64", "bfloat16"),
    reference=torch.sigmoid,
    function=torch.sigmoid,
    backward=Backward(
        "second_derivative_raises_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        function=slope,
        reference=Slope.apply,
        double_backward="reference",
    ),
)
