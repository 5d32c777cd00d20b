"""Leaves out of a backward what large numbers come to, and out of the reference written for it, too."""

import torch

from opwright import Backward, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,), (8, 32)), edge=((1,), (3,), (2, 3)))


def slope(grad_output: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    return (grad_output * (2 * input)).contiguous()


gradient_beside_a_wrong_reference = Operator(
    "gradient_beside_a_wrong_reference(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input: input.clamp(max=6).square(),
    function=lambda input: input.clamp(max=6).square().contiguous(),
    backward=Backward(
        "gradient_beside_a_wrong_reference_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        saved="input",
        function=slope,
        reference=slope,
    ),
    vmap=batch,
)
