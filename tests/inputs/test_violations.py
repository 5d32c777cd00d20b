from __future__ import annotations

import torch

from opwright import Dim, Operator, Shape, Tensor
from opwright.inputs.call import Call, make_call
from opwright.inputs.violations import Violation, broken_call, forbidden_sizes, violations
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

BATCH = Shape("batch", typical=((2, 3),), edge=((),))
WIDTH = Dim("width", typical=(5,), edge=(1,))


def described() -> OperatorSpec:
    return Operator(
        "mix(Tensor(a!) c, Tensor a, Tensor row, Tensor pair) -> ()",
        inputs={
            "c": Tensor(BATCH, WIDTH),
            "a": Tensor(BATCH, WIDTH),
            "row": Tensor(WIDTH),
            "pair": Tensor(2, WIDTH * 2),
        },
        dtypes=("float32", "bfloat16"),
        reference=lambda c, a, row, pair: c.copy_(a),
        function=lambda c, a, row, pair: c.copy_(a),
    ).spec


def call_of(spec: OperatorSpec, batch: tuple[int, ...] = (2, 3)) -> Call:
    return make_call(spec, Case("contract", "x", {"T": "float32"}, {"batch": batch, "width": 5}))


def shape_after(violation: Violation, batch: tuple[int, ...] = (2, 3)) -> list[int] | None:
    broken = broken_call(call_of(described(), batch), violation)
    return None if broken is None else list(broken.arguments[violation.argument].shape)


def test_each_violation_breaks_exactly_one_thing() -> None:
    spec = described()
    for violation in violations(spec, {"T": "float32"}):
        call = call_of(spec)
        broken = broken_call(call, violation)
        if broken is None:
            continue
        changed = [n for n, v in call.arguments.items() if broken.arguments[n] is not v]
        assert violation.argument in changed
        assert len(changed) == (
            2 if str(violation.detail).startswith("with ") and "self" not in violation.detail else 1
        )


def test_sizes_behind_a_shape_are_counted_from_the_end() -> None:
    assert shape_after(Violation("a", "size", [1, "one more"])) == [2, 3, 6]
    assert shape_after(Violation("a", "size", [1, "only one"]), batch=()) == [1]
    assert shape_after(Violation("a", "size", [0, "one less"])) == [1, 3, 5]
    assert shape_after(Violation("a", "size", [0, "one more"]), batch=()) is None


def test_ranks_are_one_more_than_allowed_and_one_less() -> None:
    assert shape_after(Violation("row", "rank", "one more")) == [5, 1]
    assert shape_after(Violation("row", "rank", "one less")) == []
    assert shape_after(Violation("pair", "rank", "one less")) == [1]


def test_a_smaller_tensor_holds_the_same_elements_as_far_as_it_goes() -> None:
    call = call_of(described())
    broken = broken_call(call, Violation("row", "size", [0, "one less"]))
    assert broken is not None
    assert torch.equal(broken.arguments["row"], call.arguments["row"][:4])


def test_partial_overlap_is_in_memory_and_leaves_the_other_argument_its_values() -> None:
    call = call_of(described())
    broken = broken_call(call, Violation("c", "overlap", "with a"))
    assert broken is not None
    c, a = broken.arguments["c"], broken.arguments["a"]
    assert torch.equal(a, call.arguments["a"])
    assert a.data_ptr() == c.data_ptr() + c.element_size()
    assert c.is_contiguous()
    assert a.is_contiguous()


def test_a_dtype_that_other_arguments_share_may_not_differ_from_theirs() -> None:
    foreign = [
        v.detail
        for v in violations(described(), {"T": "float32"})
        if v.kind == "dtype" and v.argument == "a"
    ]
    assert "bfloat16" in foreign
    assert "float32" not in foreign


def test_complex_values_become_real_ones_without_a_warning() -> None:
    n = Dim("n", typical=(3,))
    spec = Operator(
        "one(Tensor x) -> Tensor",
        inputs={"x": Tensor(n)},
        dtypes=("complex64",),
        reference=torch.conj,
        function=torch.conj,
    ).spec
    call = make_call(spec, Case("contract", "x", {"T": "complex64"}, {"n": 3}))
    broken = broken_call(call, Violation("x", "dtype", "float32"))
    assert broken is not None
    assert torch.equal(broken.arguments["x"], call.arguments["x"].real)


def test_forbidden_sizes_break_one_constraint_each() -> None:
    a, b = Dim("a", typical=(8,)), Dim("b", typical=(6,))
    spec = Operator(
        "two(Tensor x, Tensor y) -> Tensor",
        inputs={"x": Tensor(a), "y": Tensor(b)},
        constraints=("a % 2 == 0", "b <= a"),
        dtypes=("float32",),
        reference=lambda x, y: x,
        function=lambda x, y: x,
    ).spec
    found = {str(c): sizes for c, sizes in forbidden_sizes(spec, {"a": 8, "b": 6}, {})}
    assert found == {"a % 2 == 0": {"a": 7, "b": 6}, "b <= a": {"a": 8, "b": 9}}
