"""Multiplies by a complex number where its conjugate is meant."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

product = Operator(
    "product(Tensor input, Tensor other) -> Tensor",
    inputs={"input": Tensor(n), "other": Tensor(n)},
    dtypes=("complex64",),
    reference=lambda input, other: input * other.conj().resolve_conj(),
    function=torch.mul,
)
