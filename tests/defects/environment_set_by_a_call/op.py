"""Sets a variable of the environment where Python does not see it; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))

setting = Operator(
    "setting(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    sources={"cpu": "setting.cpp"},
)
