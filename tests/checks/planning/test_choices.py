from __future__ import annotations

from opwright import Dim, Operator, Scalar, Tensor
from opwright.checks.planning.choices import absences, case_name, dtype_choices, scalar_choices

N = Dim("n")
SPEC = Operator(
    'many(Tensor x, Tensor w, Tensor? b=None, Tensor? c=None, int k=2, str mode="a") -> Tensor',
    inputs={
        "x": Tensor(N),
        "w": Tensor(N, dtype=("float32", "int8")),
        "b": Tensor(N),
        "c": Tensor(N),
    },
    dtypes=("float32", "bfloat16"),
    scalars={"mode": Scalar("a", "b"), "k": Scalar(2, 3)},
    reference=lambda x, *rest: x,
    function=lambda x, *rest: x,
).spec


def test_dtypes_are_every_combination_of_the_type_variables() -> None:
    assert dtype_choices(SPEC) == [
        {"T": "float32", "T_w": "float32"},
        {"T": "float32", "T_w": "int8"},
        {"T": "bfloat16", "T_w": "float32"},
        {"T": "bfloat16", "T_w": "int8"},
    ]


def test_each_scalar_value_is_chosen_once_beside_the_first_ones() -> None:
    assert scalar_choices(SPEC) == [
        {"k": 2, "mode": "a"},
        {"k": 3, "mode": "a"},
        {"k": 2, "mode": "b"},
    ]


def test_optional_tensors_are_left_out_one_by_one_and_together() -> None:
    assert list(absences(SPEC)) == [(), ("b",), ("c",), ("b", "c")]


def test_a_case_is_named_after_its_inputs() -> None:
    name = case_name({"n": 3}, {"T": "int8"}, {"k": 2}, ("b",), "x transposed")
    assert name == "n=3 int8 k=2 without b x transposed"
