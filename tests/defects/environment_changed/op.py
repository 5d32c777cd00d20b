"""Sets an environment variable for its own use."""

import os

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

os.environ["OMP_NUM_THREADS"] = "1"
torch.set_num_threads(1)

operator = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=lambda input: torch.add(1, input, alpha=2),
)
