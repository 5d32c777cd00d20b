"""A file of operators to time, none of which needs a compiler: one for each way in which that can end."""

from __future__ import annotations

TIMED = """
import itertools
import os
import time

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(0, 1, 3))
calls = itertools.count(1)


def described(name, function, reference=lambda input: input * 2):
    return Operator(
        f"{name}(Tensor input) -> Tensor",
        inputs={"input": Tensor(n)},
        dtypes=("float32", "float64"),
        reference=reference,
        function=function,
    )


def slow(input):
    time.sleep(0.001)
    return input * 2


def twentieth(input):
    return input * 2 + (next(calls) % 20 == 0)


def later(input):
    return input * 2 + (next(calls) > 40)


def dies(input):
    if next(calls) > 40:
        os.kill(os.getpid(), 11)
    return input * 2


def refuses(input):
    raise RuntimeError("out of order")


def endless(input):
    if next(calls) > 40:
        open(__file__ + ".started", "w").close()
        while True:
            time.sleep(0.1)
    return input * 2


def add_to(total, input):
    total += input


timed_right = described("timed_right", lambda input: input * 2)
timed_too = described("timed_too", lambda input: input * 2)
timed_slow = described("timed_slow", slow)
timed_wrong = described("timed_wrong", lambda input: input * 2 + 1)
timed_twentieth = described("timed_twentieth", twentieth)
timed_later = described("timed_later", later)
timed_dies = described("timed_dies", dies)
timed_refuses = described("timed_refuses", refuses)
timed_endless = described("timed_endless", endless)
timed_adds = Operator(
    "timed_adds(Tensor(a!) total, Tensor input) -> ()",
    inputs={"total": Tensor(n), "input": Tensor(n)},
    dtypes=("float32",),
    reference=add_to,
    function=add_to,
)
"""
