"""Values where gradients break, and what gradients there are held to."""

from __future__ import annotations

import pytest
import torch

from opwright.checks.learning.varied import VALUES, roughly, with_values
from opwright.inputs.call import Call
from opwright.judge import holds, set_standards
from opwright.operator import Operator
from opwright.spec.dims import Dim
from opwright.spec.tensor import Tensor

rows, hidden = Dim("rows", typical=(4,)), Dim("hidden", typical=(5,))


def call_with(range: tuple[float, float] | None) -> Call:
    operator = Operator(
        "varied(Tensor input, Tensor index) -> Tensor",
        inputs={
            "input": Tensor(rows, hidden, layout="copy", range=range),
            "index": Tensor(rows, hidden, dtype="int64", layout="copy"),
        },
        dtypes=("float32",),
        reference=lambda input, index: input + index,
        function=lambda input, index: input + index,
        backward="own",
    )
    generator = torch.Generator().manual_seed(0)
    drawn = torch.rand((4, 5), generator=generator) + 1
    return Call(operator.spec, {"input": drawn, "index": torch.ones(4, 5, dtype=torch.int64)})


@pytest.mark.parametrize("kind", VALUES)
def test_only_floating_point_arguments_change(kind: str) -> None:
    before = call_with(None)
    after = with_values(before, kind)
    assert not torch.equal(before.arguments["input"], after.arguments["input"])
    assert torch.equal(before.arguments["index"], after.arguments["index"])


@pytest.mark.parametrize("kind", [kind for kind in VALUES if kind != "equal in a row"])
def test_a_declared_range_is_kept(kind: str) -> None:
    before = call_with((1.0, 2.0))
    assert torch.equal(with_values(before, kind).tensors["input"], before.tensors["input"])


def test_gradients_are_held_where_the_reference_has_one() -> None:
    nan, inf = float("nan"), float("inf")
    exact = torch.tensor([1.0, nan, 2.0, 4.0], dtype=torch.float64)
    reference = torch.tensor([1.0, 0.0, inf, 2.0])  # the last is far from the oracle
    rough = roughly(set_standards(reference, exact))
    assert rough.told[0].tolist() == [True, False, False, False]
    assert holds(rough.of([torch.tensor([1.0, 7.0, nan, 0.0])]), rough.standards)
    assert not holds(rough.of([torch.tensor([nan, 0.0, 2.0, 4.0])]), rough.standards)
    assert not holds(rough.of([torch.tensor([1.5, 0.0, 2.0, 4.0])]), rough.standards)
    assert rough.is_seen(0)
