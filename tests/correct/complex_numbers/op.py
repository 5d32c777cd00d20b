"""A product of complex numbers."""

import torch
from opwright import Dim, Operator, Tensor


n = Dim("n", typical=(64,), edge=(0, 1, 7))

conjugate_product = Operator(
    "conjugate_product(Tensor a, Tensor b) -> Tensor",
    inputs={"a": Tensor(n), "b": Tensor(n)},
    dtypes=("complex64", "complex128"),
    reference=lambda a, b: a * b.conj(),
    function=lambda a, b: torch.mul(b.conj_physical(), a),
)
