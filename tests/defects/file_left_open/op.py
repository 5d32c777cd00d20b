"""Opens a file in each call and leaves it open; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))

opens = Operator(
    "opens(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    sources={"cpu": "opens.cpp"},
)
