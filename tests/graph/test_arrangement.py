from __future__ import annotations

from typing import Any

import pytest
import torch

from opwright import Dim, Operator, Tensor
from opwright.graph.arrangement import (
    ALONE,
    ARRANGEMENTS,
    Arranged,
    Arrangement,
    arrangement_named,
    why_not_joined,
)
from opwright.graph.companions import COMPANIONS, companion_named, takes
from opwright.inputs.call import Call, make_call
from opwright.spec.case import Case

n = Dim("n", typical=(4,), edge=(3,))


def operator(schema: str, function: Any, inputs: dict[str, Tensor], **more: Any) -> Any:
    return Operator(
        schema, inputs=inputs, dtypes=("float32",), reference=function, function=function, **more
    ).spec


DOUBLED = operator(
    "arranged_doubled(Tensor input) -> Tensor", lambda input: input * 2, {"input": Tensor(n, n)}
)
ADDED = operator(
    "arranged_added(Tensor(a!) c, Tensor a, *, float by=1.0) -> ()",
    lambda c, a, *, by=1.0: c.copy_(a + by),
    {"c": Tensor(n), "a": Tensor(n)},
)


def call_of(spec: Any) -> Call:
    return make_call(spec, Case("graph", "", {"T": "float32"}, {"n": 4}))


def run(spec: Any, arrangement: Arrangement) -> tuple[Call, tuple[torch.Tensor, ...]]:
    call = call_of(spec)
    return call, Arranged(call, spec.function, arrangement)(*call.tensors.values())


@pytest.mark.parametrize(
    ("name", "factor"), [("alone", 2), ("two in series", 4), ("three in series", 8)]
)
def test_in_series_results_become_arguments(name: str, factor: int) -> None:
    call, (result,) = run(DOUBLED, arrangement_named(name))
    assert torch.equal(result, factor * call.arguments["input"])


@pytest.mark.parametrize("dtype", ["int32", "complex64", "bool"])
def test_in_series_results_of_other_dtypes_become_arguments_too(dtype: str) -> None:
    seen: list[torch.Tensor] = []

    def turned(input: torch.Tensor) -> torch.Tensor:
        seen.append(input)
        return input.flip(0)

    spec = Operator(
        f"arranged_turned_{dtype}(Tensor input) -> Tensor",
        inputs={"input": Tensor(n)},
        dtypes=(dtype,),
        reference=turned,
        function=turned,
    ).spec
    call = make_call(spec, Case("graph", "", {"T": dtype}, {"n": 4}))
    (result,) = Arranged(call, turned, arrangement_named("three in series"))(*call.tensors.values())
    assert torch.equal(result, call.tensors["input"].flip(0))
    assert len({tensor.data_ptr() for tensor in seen}) == 3


def test_whole_numbers_that_may_be_no_index_do_not_become_one() -> None:
    spec = Operator(
        "arranged_counted(Tensor index) -> Tensor",
        inputs={"index": Tensor(n, dtype="int64", range=(0, 3))},
        outputs={"output": Tensor(n, dtype="int64")},
        reference=lambda index: index + 100,
        function=lambda index: index + 100,
    ).spec
    call = make_call(spec, Case("graph", "", {}, {"n": 4}))
    (result,) = Arranged(call, spec.function, arrangement_named("two in series"))(
        *call.tensors.values()
    )
    assert torch.equal(result, call.tensors["index"] + 100)


def test_what_is_written_becomes_an_argument_without_sharing_its_memory() -> None:
    call, results = run(ADDED, arrangement_named("three in series"))
    assert results == ()
    before = call_of(ADDED).arguments["a"]
    assert torch.equal(call.arguments["c"], before + 1 + 1 + 1)
    assert torch.equal(call.arguments["a"], before)


@pytest.mark.parametrize("companion", COMPANIONS, ids=lambda companion: companion.name)
def test_a_companion_gives_the_operator_values_and_takes_its_result(companion: Any) -> None:
    call, (result, *behind) = run(DOUBLED, arrangement_named(f"with {companion.name}"))
    given = companion.before(call_of(DOUBLED).arguments["input"])
    assert torch.equal(result, 2 * given)
    assert len(behind) == len(companion.after(result))
    assert all(map(torch.equal, behind, companion.after(result)))
    assert torch.equal(call.arguments["input"], call_of(DOUBLED).arguments["input"])


@pytest.mark.parametrize("name", ["elementwise", "matmul", "reduction"])
def test_exact_companions_give_values_that_were_there(name: str) -> None:
    tensor = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    given = companion_named(name).before(tensor)
    assert given.shape == tensor.shape
    assert set(given.flatten().tolist()) <= set(tensor.flatten().tolist())


def test_quantised_numbers_lie_within_half_a_step() -> None:
    tensor = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    values, scale = companion_named("quantisation").after(tensor)
    assert values.dtype == torch.int8
    assert ((values * scale - tensor).abs() <= 0.5001 * scale).all()


def test_no_companion_stands_before_bounded_or_whole_numbers() -> None:
    spec = operator(
        "arranged_root(Tensor input) -> Tensor",
        lambda input: input.sqrt(),
        {"input": Tensor(n, range=(0.0, 1.0))},
    )
    call = call_of(spec)
    joined = [one for one in ARRANGEMENTS if one.companion]
    assert all("without bounds" in why_not_joined(spec, call, one) for one in joined)
    assert why_not_joined(spec, call, ALONE) == ""
    assert not takes(torch.ones(3, dtype=torch.int64))
    assert not takes(torch.ones(()))
