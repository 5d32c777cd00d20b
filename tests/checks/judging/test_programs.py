"""Arguments in programs are written as the schema takes them."""

from __future__ import annotations

import torch

from opwright import Operator, Shape, Tensor
from opwright.checks.judging.programs import beside_reference, print_call
from opwright.inputs.call import Call
from opwright.spec.case import Case

BATCH = Shape("batch")
SPEC = Operator(
    "scaled(Tensor x, int times, *, int factor=2) -> Tensor",
    inputs={"x": Tensor(BATCH)},
    dtypes=("float32",),
    scalars={"times": (1,)},
    reference=lambda x, times, *, factor=2: x * times * factor,
    function=lambda x, times, *, factor=2: x * times * factor,
).spec
CALL = Call(SPEC, {"x": torch.ones(3), "times": 1, "factor": 2})


def test_what_comes_by_keyword_alone_is_written_so() -> None:
    assert print_call(CALL) == "print(operator(x, times, factor=factor))"
    lines = beside_reference(CALL, Case("numerics", "", {}, {}, {}))
    assert lines[0] == "expected = operator.spec.reference(x.clone(), times, factor=factor)"
