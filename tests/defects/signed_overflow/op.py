"""Goes beyond the largest int on the way, which C++ leaves undefined; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))

overflown = Operator(
    "overflown(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("int32",),
    reference=lambda input: input.clone(),
    sources={"cpu": "overflown.cpp"},
)
