"""A file of operators that need no compiler: one for each way in which a check can end."""

from __future__ import annotations

OPERATORS = """
import os
import time

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(0, 1, 3))


def described(name, function, reference=lambda input: input * 2):
    return Operator(
        f"{name}(Tensor input) -> Tensor",
        inputs={"input": Tensor(n)},
        dtypes=("float32",),
        reference=reference,
        function=function,
    )


def sleep_for_ever(input):
    open(__file__ + ".started", "w").close()
    while True:
        time.sleep(0.1)


def refuse(input):
    raise RuntimeError("the reference is out of order")


right = described("right", lambda input: input * 2)
wrong = described("wrong", lambda input: input * 2 + 1)
fatal = described("fatal", lambda input: os.kill(os.getpid(), 11))
endless = described("endless", sleep_for_ever)
unreferenced = described("unreferenced", lambda input: input * 2, refuse)
writer = Operator(
    "writer(Tensor(a!) output, Tensor input) -> ()",
    inputs={"output": Tensor(n), "input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda output, input: output.copy_(input) and None,
    function=lambda output, input: output.copy_(input) and None,
)
"""
