from __future__ import annotations

from typing import Any

import pytest
import torch

from opwright import Dim, Operator, Scalar, Tensor
from opwright.errors import ReferenceFailed
from opwright.inputs.call import make_call, reference_results, results_of
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

N = Dim("n", typical=(4,))


def described(schema: str, reference: Any, **fields: Any) -> OperatorSpec:
    return Operator(
        schema, dtypes=("float32", "bfloat16"), reference=reference, function=reference, **fields
    ).spec


ADD = described(
    "add(Tensor(a!) c, Tensor a, Tensor? b=None, float k=2.0) -> Tensor norm",
    lambda c, a, b, k: c.copy_(a * k).sum(),
    inputs={"c": Tensor(N), "a": Tensor(N), "b": Tensor(N)},
    outputs=Tensor(),
    scalars={"k": Scalar(2.0)},
)


def case(**fields: Any) -> Case:
    return Case("numerics", "x", {"T": "bfloat16"}, {"n": 4}, **fields)


def test_a_case_gives_the_same_call_every_time() -> None:
    one, other = make_call(ADD, case(seed=3)), make_call(ADD, case(seed=3))
    assert all(torch.equal(one.tensors[name], other.tensors[name]) for name in "cab")
    assert not torch.equal(one.tensors["a"], make_call(ADD, case(seed=4)).tensors["a"])
    assert one.arguments["k"] == 2.0
    assert one.written == ["c"]


def test_what_a_case_leaves_out_is_none() -> None:
    call = make_call(ADD, case(absent=("b",)))
    assert call.in_order[2] is None
    assert sorted(call.tensors) == ["a", "c"]


def test_results_are_fresh_returns_and_then_what_was_written() -> None:
    call = make_call(ADD, case())
    norm, c = results_of(ADD, ADD.reference, call)
    assert norm.dim() == 0
    assert c is call.arguments["c"]
    assert torch.equal(c, call.arguments["a"] * 2)


def test_reference_and_oracle_leave_the_call_as_it_was() -> None:
    call = make_call(ADD, case())
    before = call.cloned()
    own = reference_results(ADD, call, wide=False)
    wide = reference_results(ADD, call, wide=True)
    assert [t.dtype for t in own] == [torch.bfloat16] * 2
    assert [t.dtype for t in wide] == [torch.float64] * 2
    assert all(torch.equal(before.tensors[name], call.tensors[name]) for name in "cab")


def test_what_a_reference_returns_for_a_schema_that_returns_nothing_is_dropped() -> None:
    spec = described("zero(Tensor(a!) c) -> ()", lambda c: c.zero_(), inputs={"c": Tensor(N)})
    results = reference_results(spec, make_call(spec, case()), wide=False)
    assert len(results) == 1


def test_a_reference_that_raises_is_named_with_what_it_said() -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("gamma")

    spec = described("one(Tensor x) -> Tensor", broken, inputs={"x": Tensor(N)})
    with pytest.raises(ReferenceFailed) as caught:
        reference_results(spec, make_call(spec, case()), wide=True)
    assert "one: the reference raises in float64 KeyError: 'gamma'" in caught.value.what
