"""Takes the mean off its input in place, and the schema says nothing of it."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def centred(input: torch.Tensor) -> torch.Tensor:
    input.sub_(input.mean(-1, keepdim=True))
    return input.clone()


dispatcher_centres_its_input = Operator(
    "dispatcher_centres_its_input(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "float64"),
    reference=lambda input: input - input.mean(-1, keepdim=True),
    function=centred,
)
