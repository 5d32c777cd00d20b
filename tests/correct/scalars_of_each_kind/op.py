"""An int, a float, a bool, a str and optional ones; C++."""

from typing import Any

import torch
from opwright import Dim, Operator, Scalar, Tensor

n = Dim("n", typical=(64,), edge=(0, 1, 7))


def reference(input: torch.Tensor, *scalars: Any) -> torch.Tensor:
    power, scale, negate, mode, limit = scalars
    result = (input**power) * scale
    result = -result if negate else result
    result = result.abs() if mode == "magnitude" else result
    return result if limit is None else result.clamp(max=limit)


scaled_power = Operator(
    'scaled_power(Tensor input, int power, float scale=1.0, bool negate=False, str mode="plain", '
    "float? limit=None) -> Tensor",
    inputs={"input": Tensor(n, range=(-2.0, 2.0))},
    dtypes=("float32", "float64"),
    scalars={
        "power": Scalar(2, 1, 3, minimum=1, maximum=4),
        "scale": Scalar(1.0, 0.25, minimum=0.0),
        "negate": Scalar(False, True),
        "mode": Scalar("plain", "magnitude"),
        "limit": Scalar(None, 0.5),
    },
    reference=reference,
    sources={"cpu": "scaled_power.cpp"},
)
