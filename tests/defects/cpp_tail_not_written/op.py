"""A C++ kernel that handles four elements at a time and has no loop for the rest."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 257))

quads = Operator(
    "quads(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 0.5,
    sources={"cpu": "quads.cpp"},
)
