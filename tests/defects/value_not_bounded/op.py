"""Takes a negative epsilon, which its description excludes."""

from opwright import Dim, Operator, Scalar, Tensor

n = Dim("n", typical=(8,), edge=(1, 3))

shifted_root = Operator(
    "shifted_root(Tensor input, float eps=0.5) -> Tensor",
    inputs={"input": Tensor(n, range=(2.0, 4.0))},
    dtypes=("float32",),
    scalars={"eps": Scalar(0.5, 1e-3, minimum=0.0)},
    reference=lambda input, eps: (input + eps).sqrt(),
    function=lambda input, eps: (input + eps).sqrt(),
)
