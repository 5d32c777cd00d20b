"""Returns its input where there is nothing to change."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def floored(input: torch.Tensor) -> torch.Tensor:
    return input if bool((input > -100).all()) else input.clamp(min=-100.0)


dispatcher_input_comes_back = Operator(
    "dispatcher_input_comes_back(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "float64"),
    reference=lambda input: input.clamp(min=-100.0),
    function=floored,
)
