"""Which calls are timed: typical sizes side by side, or those that a user lists, if they are the operator's."""

from __future__ import annotations

from typing import Any

import pytest

from opwright import Dim, Operator, Scalar, Shape, Tensor
from opwright.errors import UsageError
from opwright.inputs.call import make_call
from opwright.session.bench_cases import bench_cases
from opwright.spec.operator import OperatorSpec

BATCH = Shape("batch", typical=((4,), (8, 2), (16,)))
HIDDEN = Dim("hidden", typical=(32, 64))


def described(*constraints: str, **changes: Any) -> OperatorSpec:
    facts: dict[str, Any] = {
        "inputs": {"input": Tensor(BATCH, HIDDEN)},
        "dtypes": ("float32", "float64"),
        "reference": lambda input, k=3: input * k,
        "function": lambda input, k=3: input * k,
        "constraints": constraints,
    }
    return Operator("scaled(Tensor input, int k=3) -> Tensor", **{**facts, **changes}).spec


def sizes(spec: OperatorSpec, *shapes: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(case.sizes) for case in bench_cases(spec, shapes or None)]


def test_typical_sizes_are_taken_side_by_side_and_the_last_one_stands_in() -> None:
    assert sizes(described()) == [
        {"batch": (4,), "hidden": 32},
        {"batch": (8, 2), "hidden": 64},
        {"batch": (16,), "hidden": 64},
    ]


def test_typical_sizes_that_the_constraints_forbid_are_left_out() -> None:
    assert sizes(described("hidden == 32")) == [{"batch": (4,), "hidden": 32}]


def test_where_none_fits_together_large_ones_that_do_are_taken() -> None:
    rows, cols = Dim("rows", typical=(4, 16)), Dim("cols", typical=(8, 32))
    spec = described("rows == 16", "cols == 8", inputs={"input": Tensor(rows, cols)})
    assert sizes(spec) == [{"rows": 16, "cols": 8}]


def test_scalars_have_their_first_values_and_names_say_sizes_and_dtype() -> None:
    (case, *_) = bench_cases(described())
    assert case.scalars == {"k": 3}
    assert case.name == "batch=4,hidden=32 float32"


def test_the_first_dtype_is_taken_or_those_that_are_asked_for() -> None:
    spec, shapes = described(), [{"batch": (4,), "hidden": 32}]
    assert [case.dtypes for case in bench_cases(spec, shapes)] == [{"T": "float32"}]
    both = bench_cases(spec, shapes, ["float64", "float32"])
    assert {case.dtypes["T"] for case in both} == {"float32", "float64"}


def test_an_entry_may_have_values_of_scalars_which_the_name_says() -> None:
    (case,) = bench_cases(described(), [{"batch": (4,), "hidden": 32, "k": 7}])
    assert case.scalars == {"k": 7}
    assert case.name == "batch=4,hidden=32 float32 k=7"


@pytest.mark.parametrize("value", [0, 10])
def test_a_scalar_out_of_its_bounds_is_refused(value: int) -> None:
    spec = described(scalars={"k": Scalar(1, 2, minimum=1, maximum=9)})
    assert bench_cases(spec, [{"batch": (4,), "hidden": 32, "k": 9}])[0].scalars == {"k": 9}
    with pytest.raises(UsageError, match=f"scaled: k cannot be {value}"):
        bench_cases(spec, [{"batch": (4,), "hidden": 32, "k": value}])


def test_sizes_that_hang_on_a_scalar_are_judged_with_the_entrys_own() -> None:
    spec = described("k <= hidden")
    entry = {"batch": (4,), "hidden": 32}
    assert bench_cases(spec, [{**entry, "k": 32}])
    with pytest.raises(UsageError, match="a constraint is not met"):
        bench_cases(spec, [{**entry, "k": 33}])


def test_with_an_offset_every_tensor_begins_beside_the_start_of_its_memory() -> None:
    spec = described()
    (case,) = bench_cases(spec, [{"batch": (4,), "hidden": 32, "offset": 3}])
    assert case.name == "batch=4,hidden=32 float32 offset 3"
    (tensor,) = make_call(spec, case).tensors.values()
    assert (tensor.storage_offset(), tensor.is_contiguous()) == (3, True)
    plain = bench_cases(spec, [{"batch": (4,), "hidden": 32, "offset": 0}])[0]
    assert (plain.layouts, plain.name) == ({}, "batch=4,hidden=32 float32")


def test_an_entry_with_a_dtype_of_its_own_is_a_row_in_no_other() -> None:
    own = {"batch": (4,), "hidden": 32, "dtype": "float64"}
    cases = bench_cases(described(), [own, {"batch": (4,), "hidden": 64}], ["float32"])
    assert [case.name for case in cases] == [
        "batch=4,hidden=64 float32",
        "batch=4,hidden=32 float64",
    ]


def test_a_dim_that_is_called_offset_is_a_dim() -> None:
    spec = described(inputs={"input": Tensor(Dim("offset", typical=(4,)))})
    assert sizes(spec, {"offset": 9}) == [{"offset": 9}]


def test_sizes_that_are_listed_twice_are_one_row() -> None:
    one = {"batch": (4,), "hidden": 32}
    assert sizes(described(), one, {"hidden": 32, "batch": (4,)}) == [one]


def test_with_gradients_the_name_says_so() -> None:
    (case, *_) = bench_cases(described(), gradients=True)
    assert case.name == "batch=4,hidden=32 float32 with gradients"


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ({"hidden": 32}, "scaled has the dims batch, hidden, and the shapes name hidden"),
        ({"batch": (4,), "hidden": 3, "m": 1}, "and the shapes name batch, hidden, m"),
        ({"batch": (4,), "hidden": 3, "k": 1.5}, "k cannot be 1.5"),
        ({"batch": (4,), "hidden": 3, "k": True}, "k cannot be True"),
        ({"batch": (4,), "hidden": 3, "offset": 8}, "offset is 8"),
        ({"batch": (4,), "hidden": 3, "offset": "1"}, "offset is '1'"),
        ({"batch": (4,), "hidden": 3, "dtype": "int8"}, "does not take int8"),
        ({}, "and the shapes name none"),
        ({"batch": 4, "hidden": 3}, "batch is a list of sizes, and not 4"),
        ({"batch": (4,), "hidden": (3,)}, r"hidden is one size, and not \(3,\)"),
        ({"batch": (4,), "hidden": -1}, "hidden is one size, and not -1"),
        ({"batch": (4,), "hidden": True}, "hidden is one size, and not True"),
        ({"batch": (4, "5"), "hidden": 3}, "batch is a list of sizes, and not"),
        ({"batch": (4,), "hidden": 0}, "a tensor is empty or has more than"),
        ({"batch": (4,), "hidden": 33}, "a tensor is empty or has more than"),
    ],
)
def test_sizes_that_are_not_the_operators_are_refused_with_why(
    shape: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        bench_cases(described("hidden < 33"), [shape])


def test_a_dtype_that_is_not_the_operators_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="scaled does not take bfloat16") as refused:
        bench_cases(described(), dtypes=["float32", "bfloat16"])
    assert refused.value.hint == "Its first dtype is one of float32, float64."
