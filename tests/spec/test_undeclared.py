from __future__ import annotations

from typing import Any

from opwright import Dim, Operator, Scalar, Shape, Tensor
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import largest
from opwright.spec.undeclared import (
    MILLION,
    far_size_sets,
    sizes_past_a_million,
    undeclared_scalars,
    undeclared_size_sets,
)

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(1024, 4096), edge=(1, 5))


def spec(*sizes: Any, schema: str = "f(Tensor x) -> Tensor", **more: Any) -> OperatorSpec:
    return Operator(
        schema, inputs={"x": Tensor(*sizes)}, dtypes=("float32",), reference=max,
        sources={"cpu": "k.cpp"}, **more,
    ).spec  # fmt: skip


def test_powers_of_two_and_their_neighbours_are_tried_between_and_beyond_the_listed() -> None:
    found = undeclared_size_sets(spec(rows, columns), {})
    tried = {sizes["columns"] for sizes in found}
    assert {2, 4, 63, 64, 65, 511, 512, 513, 4095, 4097, 8191, 8192, 8193} <= tried
    assert {65, 127, 128, 129, 17} <= {sizes["rows"] for sizes in found}


def test_no_listed_size_is_repeated_alone_and_one_dim_differs_at_a_time() -> None:
    for sizes in undeclared_size_sets(spec(rows, columns), {}):
        assert (sizes["rows"] in (3, 16)) != (sizes["columns"] in (5, 1024))


def test_constraints_are_kept_and_forbidden_sizes_left_out() -> None:
    found = undeclared_size_sets(spec(rows, columns, constraints=("columns % 8 == 0",)), {})
    assert found
    assert all(sizes["columns"] % 8 == 0 for sizes in found)


def test_shapes_are_tried_at_a_rank_that_is_listed() -> None:
    two = Shape("two", typical=((8, 4),), edge=((2, 3),))
    tried = [sizes["two"] for sizes in undeclared_size_sets(spec(two), {})]
    assert (1, 64) in tried
    assert {len(shape) for shape in tried} == {2}


def test_one_set_passes_a_million_elements_by_little() -> None:
    plain = spec(rows, columns)
    sizes = sizes_past_a_million(plain, {})
    assert sizes is not None
    assert MILLION < largest(plain, sizes, {}) < MILLION + 100_000
    fixed = spec(rows, 4, constraints=("rows <= 100",))
    assert sizes_past_a_million(fixed, {}) is None


def numbers(declared: str, scalar: Scalar | None) -> list[Any]:
    scalars = {"s": scalar} if scalar else {}
    found = spec(rows, schema=f"f(Tensor x, {declared}) -> Tensor", scalars=scalars)
    return [value for _, value in undeclared_scalars(found)]


def test_bounds_and_what_lies_between_are_tried() -> None:
    assert numbers("float s", Scalar(1.0, 2.0, minimum=0.0, maximum=8.0)) == [
        0.0,
        8.0,
        0.5,
        1.5,
        5.0,
    ]
    assert numbers("int s", Scalar(2, 8, minimum=1)) == [1, 5]


def test_a_float_that_nothing_bounds_is_tried_near_by_and_a_text_never() -> None:
    assert numbers("float s=1.0", None) == [0.75]
    assert numbers("int s=-1", None) == []
    assert numbers('str s="a"', Scalar("a", "b")) == []
    assert numbers("bool s", Scalar(False, True)) == []


def test_each_dim_is_tried_far_beyond_what_is_listed_and_past_a_grids_limit() -> None:
    found = far_size_sets(spec(rows, columns), {})
    assert {sizes["columns"] for sizes in found if sizes["rows"] < 16} >= {16_385, 65_537}
    assert {sizes["rows"] for sizes in found if sizes["columns"] < 1024} >= {65, 257, 65_537}
    assert all(largest(spec(rows, columns), sizes, {}) <= MILLION for sizes in found)


def test_far_sizes_keep_the_constraints() -> None:
    one = spec(rows, columns, constraints=("columns <= 8192",))
    assert {sizes["columns"] for sizes in far_size_sets(one, {})} <= {1, 5, 1024}
