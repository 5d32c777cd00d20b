"""Long sums: the tolerance grows with the inner size."""

import torch
from opwright import Dim, Operator, Tensor


m = Dim("m", typical=(16,), edge=(0, 1, 3))
k = Dim("k", typical=(64, 512), edge=(0, 1, 33))
n = Dim("n", typical=(24,), edge=(1, 5))

product = Operator(
    "product(Tensor a, Tensor b) -> Tensor",
    inputs={"a": Tensor(m, k), "b": Tensor(k, n)},
    outputs=Tensor(m, n),
    dtypes=("float32", "bfloat16"),
    reference=torch.matmul,
    function=lambda a, b: (a.float() @ b.float()).to(a.dtype) if a.dtype == b.dtype else a @ b,
    reduction=k,
)
