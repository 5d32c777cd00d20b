"""The check of gradients: what it plans, and that right gradients of each kind of backward pass."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch
from torch.nn.functional import silu

from opwright.checks.learning import gradients
from opwright.checks.protocol import Subject
from opwright.operator import Operator
from opwright.spec.backward import Backward
from opwright.spec.case import Case
from opwright.spec.dims import Dim, Shape
from opwright.spec.tensor import Tensor

batch = Shape("batch", typical=((32,),), edge=((2, 3), (0,)))
hidden = Dim("hidden", typical=(16,), edge=(3,))


def slope(grad_output, input, bias):
    total = (input + bias).to(torch.float64)
    s = torch.sigmoid(total)
    found = grad_output * s * (1 + total * (1 - s))
    return found.to(input.dtype), found.sum(tuple(range(found.dim() - 1))).to(bias.dtype)


BACKWARDS = {
    "reference": "reference",
    "own": "own",
    "kernels": Backward(
        "learned_kernels_backward(Tensor grad_output, Tensor input, Tensor bias)"
        " -> (Tensor grad_input, Tensor grad_bias)",
        function=slope,
        reduction=hidden,
    ),
}


def described(name: str, backward: object) -> Operator:
    return Operator(
        f"learned_{name}(Tensor input, Tensor bias) -> Tensor",
        inputs={
            "input": Tensor(batch, hidden, layout="copy"),
            "bias": Tensor(hidden, layout="copy"),
        },
        dtypes=("float32", "float64", "bfloat16"),
        reference=lambda input, bias: silu(input + bias),
        function=lambda input, bias: silu(input + bias),
        backward=backward,
    )


class OnePercentTooLarge(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, bias):
        ctx.save_for_backward(input, bias)
        return silu(input + bias)

    @staticmethod
    def backward(ctx, grad):
        of_input, of_bias = slope(grad, *ctx.saved_tensors)
        return of_input * 1.01, of_bias


def outcomes(operator: Operator) -> dict[str, tuple[Case, object]]:
    for one in (operator, *operator.backwards):
        one.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    return {
        case.name: (case, gradients.run(case, subject)) for case in gradients.cases(operator.spec)
    }


@pytest.mark.parametrize("name", BACKWARDS)
def test_right_gradients_pass_however_they_come_about(name: str) -> None:
    found = outcomes(described(name, BACKWARDS[name]))
    verdicts = [outcome.verdict for _, outcome in found.values()]
    assert "fail" not in verdicts
    assert "error" not in verdicts
    assert verdicts.count("pass") > verdicts.count("not checked")


def test_every_form_subset_and_question_is_planned() -> None:
    operator = described("planned", "reference")
    planned = [case.extra for case in gradients.cases(operator.spec)]
    assert {extra["how"] for extra in planned} >= {
        *("dense", "of a sum", "zeros", "expanded", "transposed", "a slice", "offset"),
        *("asked for twice", "double backward", "gradcheck", "arguments changed afterwards"),
    }
    asked = {extra["asked"] for extra in planned if "asked" in extra}
    assert asked == {("input",), ("bias",), ("input", "bias")}
    assert {"how": "dense", "leaves": False} in planned


def test_gradients_of_its_own_are_asked_what_kernels_are_asked_as_operators() -> None:
    own = list(gradients.cases(described("own_planned", "own").spec))
    derived = list(gradients.cases(described("derived_planned", BACKWARDS["kernels"]).spec))
    assert {case.name for case in own} > {case.name for case in derived}
    sizes = {(case.sizes["batch"], case.sizes["hidden"]) for case in own}
    assert {batch for batch, _ in sizes} >= {(32,), (2, 3), (0,)}
    assert max(case.sizes["batch"][0] * case.sizes["hidden"] for case in own) > 1 << 16
    assert {layout for case in own for layout in case.layouts.values()} >= {
        "transposed",
        "expanded",
    }
    assert {case.extra.get("values") for case in own} >= {"zeros among others", "huge among others"}
    assert {case.extra.get("times") for case in own} == {None, 2.0**-20, 2.0**10, 2.0**17}
    alone = [case for case in own if case.extra.get("asked") == ("bias",)]
    assert max(case.sizes["batch"][0] for case in alone) == 32
    asked = {case.extra["how"] for case in own} - {case.extra["how"] for case in derived}
    assert asked == {"another call alive", "results changed afterwards"}
    assert len({case.name for case in own}) == len(own)


@pytest.mark.parametrize(
    "backward",
    [
        Backward(
            "stated_planned_backward(Tensor grad_output, Tensor input, Tensor bias)"
            " -> (Tensor grad_input, Tensor grad_bias)",
            function=slope,
            reference=slope,
        ),
        Backward(
            "stated_planned_backward(Tensor grad_output, Tensor input, Tensor bias) -> Tensor grad_bias",
            function=lambda *values: slope(*values)[1],
            unchanged="input",
        ),
    ],
    ids=["reference", "unchanged"],
)
def test_gradients_that_a_description_states_are_asked_what_its_own_are(backward: Backward) -> None:
    own = gradients.cases(described("own_planned", "own").spec)
    stated = gradients.cases(described("stated_planned", backward).spec)
    assert [case.name for case in stated] == [case.name for case in own]


def test_an_operator_without_a_backward_has_no_case_and_says_why() -> None:
    spec = described("inferring", None).spec
    plan = gradients.CHECK.plan(spec)
    assert plan.cases == ()
    assert "no backward" in plan.why_none


def test_kernels_that_are_not_there_are_not_checked() -> None:
    operator = described("lacking", "reference")
    case = next(iter(gradients.cases(operator.spec)))
    subject = Subject(operator.spec, operator.spec.function, lacks_backward="it does not build")
    outcome = gradients.run(case, subject)
    assert (outcome.verdict, outcome.reason) == ("not checked", "it does not build")


class Parts(torch.autograd.Function):
    """Where numbers are above zero, themselves and their halves; notes which gradients come in."""

    defined: ClassVar[list[tuple[bool, bool]]] = []

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        above = (x > 0).to(torch.int64)
        ctx.mark_non_differentiable(above)
        return above, x * 2, x / 2

    @staticmethod
    def backward(ctx, _above, twice, half):
        Parts.defined.append((twice is not None, half is not None))
        parts = [g * by for g, by in ((twice, 2), (half, 0.5)) if g is not None]
        return sum(parts)


def test_just_the_gradient_that_is_named_is_left_out() -> None:
    operator = Operator(
        "learned_parts(Tensor input) -> (Tensor above, Tensor twice, Tensor half)",
        inputs={"input": Tensor(batch, hidden, layout="copy")},
        outputs=(Tensor(batch, hidden, dtype="int64"), *[Tensor(batch, hidden)] * 2),
        dtypes=("float32",),
        reference=lambda input: ((input > 0).to(torch.int64), input * 2, input / 2),
        function=Parts.apply,
        backward="own",
    )
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    asked = [c for c in gradients.cases(operator.spec) if "undefined" in c.extra]
    left_out = [case.extra["undefined"] for case in asked]
    assert set(left_out) == {"twice", "half"}
    Parts.defined.clear()
    assert {gradients.run(case, subject).verdict for case in asked} == {"pass"}
    assert Parts.defined == [(name != "twice", name != "half") for name in left_out]


class Counted(torch.autograd.Function):
    """A square; its backward raises for an argument that was changed, in words of its own."""

    @staticmethod
    def forward(ctx, x):
        ctx.x, ctx.total = x, x.sum()
        return x * x

    @staticmethod
    def backward(ctx, grad):
        if ctx.x.sum() != ctx.total:
            raise RuntimeError("something went wrong")
        return 2 * grad * ctx.x


def test_only_autograd_refuses_the_gradient_of_changed_arguments() -> None:
    operator = Operator(
        "learned_counted(Tensor input) -> Tensor",
        inputs={"input": Tensor(batch, hidden, layout="copy")},
        dtypes=("float32",),
        reference=torch.square,
        function=Counted.apply,
        backward="own",
    )
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    how = "arguments changed afterwards"
    case = next(c for c in gradients.cases(operator.spec) if c.extra["how"] == how)
    (finding,) = gradients.run(case, subject).findings
    assert finding.kind == "gradient fails after a change"
    assert "something went wrong" in finding.message


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_an_error_of_one_percent_in_one_gradient_is_found_in_each_dtype(dtype: str) -> None:
    operator = Operator(
        f"one_percent_in_{dtype}(Tensor input, Tensor bias) -> Tensor",
        inputs={
            "input": Tensor(batch, hidden, layout="copy"),
            "bias": Tensor(hidden, layout="copy"),
        },
        dtypes=(dtype,),
        reference=lambda input, bias: silu(input + bias),
        function=OnePercentTooLarge.apply,
        backward="own",
    )
    told = [f.message for _, outcome in outcomes(operator).values() for f in outcome.findings]
    assert any("gradient of input" in message for message in told)
    assert not any(message.startswith("gradient of bias") for message in told)
