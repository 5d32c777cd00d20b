"""A mode that nobody knows is taken for the last one."""

from opwright import Dim, Operator, Scalar, Tensor

n = Dim("n", typical=(8,), edge=(1, 3))

either = Operator(
    'either(Tensor input, str mode="up") -> Tensor',
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    scalars={"mode": Scalar("up", "down")},
    reference=lambda input, mode: input.ceil() if mode == "up" else input.floor(),
    function=lambda input, mode: input.ceil() if mode == "up" else input.floor(),
)
