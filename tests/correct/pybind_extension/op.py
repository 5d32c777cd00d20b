"""Somebody's own extension, which checks what it is given."""

from opwright import Dim, Extension, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 5))

scaled_rows = Operator(
    "scaled_rows(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(rows, columns), "weight": Tensor(columns)},
    dtypes=("float32",),
    reference=lambda input, weight: input * weight,
    extension=Extension(
        sources="scale.cpp",
        call=lambda module, input, weight: module.scale(input, weight),
        compile_flags=("-O0",),  # torch's headers take long enough
    ),
)
