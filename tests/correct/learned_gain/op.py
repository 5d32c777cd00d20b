"""A gain within bounds, with a backward that is an operator of its own."""

import torch
from opwright import Backward, Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,), (0,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


def gained(input: torch.Tensor, gain: torch.Tensor, power: int = 1) -> torch.Tensor:
    if not 1 <= power <= 3:
        raise ValueError(f"power: expected 1 to 3, got {power}")
    wide = torch.promote_types(input.dtype, torch.float32)
    return (input.to(wide) * gain.to(wide) ** power).to(input.dtype).contiguous()


def backward(
    grad_output: torch.Tensor, input: torch.Tensor, gain: torch.Tensor, power: int
) -> tuple[torch.Tensor, torch.Tensor]:
    grad, x, g = grad_output.double(), input.double(), gain.double()
    of_gain = (grad * x * power * g ** (power - 1)).sum(tuple(range(grad.dim() - 1)))
    return (grad * g**power).to(input.dtype).contiguous(), of_gain.to(gain.dtype)


learned_gain = Operator(
    "learned_gain(Tensor input, Tensor gain, int power=1) -> Tensor",
    inputs={
        "input": Tensor(batch, hidden, layout="copy"),
        "gain": Tensor(hidden, layout="copy", range=(0.5, 2.0)),
    },
    dtypes=("float32", "bfloat16", "float64"),
    scalars={"power": Scalar(1, 2, minimum=1, maximum=3)},
    reference=gained,
    function=gained,
    backward=Backward(
        "learned_gain_backward(Tensor grad_output, Tensor input, Tensor gain, int power)"
        " -> (Tensor grad_input, Tensor grad_gain)",
        saved=("input", "gain"),
        function=backward,
    ),
    autocast="widest",
)
