"""The check of second derivatives: what passes, what is a refusal, and what is no evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.autograd.function import once_differentiable

from opwright.checks.learning import gradients
from opwright.checks.protocol import Subject
from opwright.errors import ReferenceFailed
from opwright.operator import Operator
from opwright.records.verdict import Outcome
from opwright.spec.backward import Backward
from opwright.spec.case import Case
from opwright.spec.dims import Dim
from opwright.spec.tensor import Scalar, Tensor

rows = Dim("rows", typical=(8,), edge=(3,))
columns = Dim("columns", typical=(16,), edge=(5,))
DTYPES = ("float32", "float64", "bfloat16", "float16")


def cubed(second: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """x³ with a right gradient, and that of its gradient by ``second`` (weight, grad, x)."""

    class Slope(torch.autograd.Function):
        @staticmethod
        def forward(ctx, grad, x):
            ctx.save_for_backward(grad, x)
            return grad * 3 * x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, weight):
            grad, x = ctx.saved_tensors
            return weight * 3 * x * x, second(weight, grad, x)

    class Cubed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            return Slope.apply(grad, *ctx.saved_tensors)

    return Cubed.apply


def right(weight: torch.Tensor, grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return 6 * weight * grad * x


def raising(weight: torch.Tensor, grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("no kernel for this")


class Once(torch.autograd.Function):
    """x³, which says in autograd's words that it cannot be differentiated twice."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


class SlopeOnce(torch.autograd.Function):
    """The gradient of x³, which refuses to be differentiated."""

    @staticmethod
    def forward(ctx, grad, x):
        ctx.save_for_backward(grad, x)
        return grad * 3 * x * x

    @staticmethod
    def backward(ctx, weight):
        raise RuntimeError("trying to differentiate twice a function that is not for it")


def described(name: str, function: Callable[..., Any], **how: Any) -> Operator:
    said = {"dtypes": DTYPES, "reference": lambda input: input**3, "backward": "own", **how}
    return Operator(
        f"second_{name}(Tensor input) -> Tensor",
        inputs={"input": Tensor(rows, columns, layout="copy")},
        function=function,
        **said,
    )


def asked(operator: Operator) -> list[Case]:
    """The cases of double backward."""
    return [c for c in gradients.cases(operator.spec) if c.extra["how"] == "double backward"]


def outcomes(operator: Operator, seed: int = 0) -> dict[str, Outcome]:
    """The answers at the first sizes, by dtype; ``seed`` is added to that of the values."""
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    first = asked(operator)[0].sizes
    return {
        case.dtypes["T"]: gradients.run(replace(case, seed=case.seed + seed), subject)
        for case in asked(operator)
        if case.sizes == first
    }


def kinds(found: dict[str, Outcome]) -> dict[str, set[str]]:
    return {name: {finding.kind for finding in o.findings} for name, o in found.items()}


def everywhere(kind: str) -> dict[str, set[str]]:
    return {name: {kind} for name in DTYPES}


def test_a_right_one_passes_at_every_dtype() -> None:
    found = outcomes(described("right", cubed(right)))
    assert {name: o.verdict for name, o in found.items()} == dict.fromkeys(DTYPES, "pass")


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.5, 2.0])
def test_one_that_is_a_multiple_of_the_right_one_fails_at_every_dtype(factor: float) -> None:
    wrong = cubed(lambda *given: factor * right(*given))
    found = outcomes(described(f"times_{int(10 * factor)}", wrong))
    assert kinds(found) == everywhere("wrong second derivative")


def test_one_that_is_lost_fails_at_every_dtype() -> None:
    found = outcomes(described("lost", cubed(lambda *_: None)))
    assert kinds(found) == everywhere("second derivative lost")


def test_one_that_should_be_zero_fails_where_it_is_not() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * grad + (x - x.detach())

    found = outcomes(described("straight", Doubled.apply, reference=lambda input: 2 * input))
    assert kinds(found) == everywhere("wrong second derivative")


def test_a_wide_judgement_is_no_evidence() -> None:
    def blurred(input: torch.Tensor) -> torch.Tensor:
        return ((input + 256) - 256) ** 3  # in bfloat16 nothing of the input is left

    found = outcomes(described("blurred", blurred, reference=blurred, dtypes=("bfloat16",)))
    assert found["bfloat16"].verdict == "not checked"
    assert "not evidence" in found["bfloat16"].reason


def test_what_autograd_says_is_a_refusal() -> None:
    found = outcomes(described("once", Once.apply))
    assert {o.verdict for o in found.values()} == {"pass"}
    assert all("refused: trying to differentiate twice" in o.notes[0] for o in found.values())


def test_an_undeclared_one_is_refused_by_the_operator() -> None:
    backward = Backward(
        "second_refused_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        function=lambda grad_output, input: grad_output * 3 * input**2,
    )
    found = outcomes(described("refused", lambda input: input**3, backward=backward))
    assert {o.verdict for o in found.values()} == {"pass"}
    assert all("cannot be differentiated again" in o.notes[0] for o in found.values())


def test_any_other_error_is_none() -> None:
    found = outcomes(described("raising", cubed(raising)))
    assert kinds(found) == everywhere("second derivative fails")
    assert "no kernel for this" in found["float32"].findings[0].message


def test_a_declared_one_may_not_be_refused() -> None:
    backward = Backward(
        "second_promised_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        function=lambda grad_output, input: grad_output * 3 * input**2,
        reference=SlopeOnce.apply,
        double_backward="reference",
    )
    found = outcomes(described("promised", lambda input: input**3, backward=backward))
    assert kinds(found) == everywhere("second derivative fails")


def test_a_declared_one_is_the_reference_s() -> None:
    backward = Backward(
        "second_declared_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        function=lambda grad_output, input: grad_output * 3 * input**2,
        double_backward="reference",
    )
    found = outcomes(described("declared", lambda input: input**3, backward=backward))
    assert {o.verdict for o in found.values()} == {"pass"}
    assert not any(o.notes for o in found.values())


def test_a_reference_without_one_is_the_reference_s_failure() -> None:
    operator = described("without", cubed(right), reference=Once.apply)
    with pytest.raises(ReferenceFailed, match="second derivative of the reference raises"):
        outcomes(operator)


class Signed(torch.autograd.Function):
    """|x|, whose gradient is the quotient x / |x|: differentiated, its terms cancel, and roundings stay."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x / x.abs())


class Bent(torch.autograd.Function):
    """|x|, whose gradient is the right one and has a derivative, which is small."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.sgn() + (x - x.detach()) / 4)


def of_no_memory(input: torch.Tensor) -> torch.Tensor:
    """|x|: autograd gives its second derivative as zeros that have no memory."""
    return input.abs()


def test_zeros_without_memory_are_judged_like_others() -> None:
    found = outcomes(described("plain", of_no_memory, reference=of_no_memory))
    assert {name: o.verdict for name, o in found.items()} == dict.fromkeys(DTYPES, "pass")


@pytest.mark.parametrize("reference", [of_no_memory, Signed.apply])
def test_what_cancels_to_zero_may_be_off_by_roundings_of_its_terms(reference: Any) -> None:
    operator = described("signed", Signed.apply, reference=reference)
    for seed in range(20):
        found = outcomes(operator, seed)
        assert {name: o.verdict for name, o in found.items()} == dict.fromkeys(DTYPES, "pass")


@pytest.mark.parametrize("reference", [of_no_memory, Signed.apply])
def test_a_small_one_where_all_terms_should_cancel_fails(reference: Any) -> None:
    found = outcomes(described("bent", Bent.apply, reference=reference))
    assert kinds(found) == everywhere("wrong second derivative")


def test_one_that_is_not_there_is_not_lost_where_the_reference_s_cancels() -> None:
    class Constant(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x.sgn())
            return x.abs()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    found = outcomes(described("constant", Constant.apply, reference=Signed.apply))
    assert {name: o.verdict for name, o in found.items()} == dict.fromkeys(DTYPES, "pass")


def test_what_torch_compile_says_is_a_refusal() -> None:
    compiled = torch.compile(lambda input: input**3, backend="aot_eager")
    found = outcomes(described("compiled", compiled, dtypes=("float32",)))
    assert found["float32"].verdict == "pass"
    assert "refused: torch.compile" in found["float32"].notes[0]


def test_a_wrong_one_of_a_declared_reference_says_that_it_is_what_is_differentiated() -> None:
    backward = Backward(
        "second_detaching_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        function=lambda grad_output, input: grad_output * 3 * input**2,
        reference=lambda grad_output, input: grad_output * 3 * input * input.detach(),
        double_backward="reference",
    )
    found = outcomes(described("detaching", lambda input: input**3, backward=backward))
    assert kinds(found) == everywhere("wrong second derivative")
    told = "differentiates the reference of second_detaching_backward, and not its kernels"
    assert all(told in o.findings[0].message for o in found.values())


def test_a_gradient_that_is_another_one_where_it_is_recorded_fails() -> None:
    class Shifted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            right = grad * 3 * ctx.saved_tensors[0] ** 2
            return right + 0.1 if torch.is_grad_enabled() else right

    found = outcomes(described("shifted", Shifted.apply))
    assert kinds(found) == everywhere("gradient depends on create_graph")


def test_every_value_of_a_scalar_and_a_larger_size_are_asked() -> None:
    operator = Operator(
        "second_scaled(Tensor input, float scale=1.0) -> Tensor",
        inputs={"input": Tensor(rows, columns, layout="copy")},
        dtypes=DTYPES,
        scalars={"scale": Scalar(1.0, 2.0, -0.5)},
        reference=lambda input, scale=1.0: scale * input**3,
        function=lambda input, scale=1.0: scale * input**3,
        backward="own",
    )
    assert {case.scalars["scale"] for case in asked(operator)} == {1.0, 2.0, -0.5}
    assert len({str(case.sizes) for case in asked(operator)}) == 2
