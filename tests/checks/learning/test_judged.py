"""Gradients that a reference has and an operator loses, or that the reference has not either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from opwright.checks.learning import gradients
from opwright.checks.protocol import Subject
from opwright.operator import Operator
from opwright.records.verdict import Outcome
from opwright.spec.dims import Dim, Shape
from opwright.spec.tensor import Tensor

batch = Shape("batch", typical=((32,),), edge=((2, 3), (0,)))
hidden = Dim("hidden", typical=(16,), edge=(3,))


def of_a_gate(
    name: str, outputs: str, reference: Callable[..., Any], function: Callable[..., Any]
) -> dict[str, Outcome]:
    """The answers for a function of two tensors, in float64, by what is asked."""
    operator = Operator(
        f"judged_{name}(Tensor input, Tensor gate) -> {outputs}",
        inputs=dict.fromkeys(("input", "gate"), Tensor(batch, hidden, layout="copy")),
        outputs=[Tensor(batch, hidden)] * outputs.count("Tensor"),
        dtypes=("float64",),
        reference=reference,
        function=function,
        backward="own",
    )
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    return {case.name: gradients.run(case, subject) for case in gradients.cases(operator.spec)}


def kinds(found: dict[str, Outcome], word: str) -> set[str]:
    """The kinds of the findings of the cases with that word in their names."""
    return {finding.kind for name, o in found.items() if word in name for finding in o.findings}


TWO = "(Tensor first, Tensor second)"


def apart(input: torch.Tensor, gate: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return input.contiguous() * 2, gate.contiguous().exp()


def test_results_that_hang_on_one_argument_each_lose_no_gradient() -> None:
    found = of_a_gate("apart", TWO, apart, apart)
    assert {o.verdict for o in found.values()} == {"pass"}


def test_one_of_two_results_that_loses_its_gradient_is_told_with_the_argument() -> None:
    def losing(input: torch.Tensor, gate: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return input.contiguous() * 2, gate.contiguous().exp().detach()

    found = of_a_gate("losing", TWO, apart, losing)
    assert kinds(found, "asked gate") == {"gradient lost"}
    (told,) = {f.message for n, o in found.items() if "asked gate" in n for f in o.findings}
    assert "the gradient of `gate` is lost" in told
    assert kinds(found, "asked input,gate") == {"gradient lost"}
    assert {o.verdict for n, o in found.items() if n.endswith("asked input")} == {"pass"}


def gated(input: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return (input * torch.sigmoid(gate).detach()).contiguous()


def test_what_the_reference_detaches_needs_no_gradient() -> None:
    found = of_a_gate("gated", "Tensor", gated, gated)
    told = {name: o for name, o in found.items() if o.verdict != "pass"}
    (unchecked,) = told.values()
    assert unchecked.verdict == "not checked"
    assert "the reference's own gradient" in unchecked.reason
    assert "Jacobian mismatch" in unchecked.reason


def test_what_the_operator_detaches_alone_is_lost_and_fails_gradcheck() -> None:
    def attached(input: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        return input * torch.sigmoid(gate)

    found = of_a_gate("detaching", "Tensor", attached, gated)
    assert kinds(found, "asked gate") == {"gradient lost"}
    assert kinds(found, "gradcheck") == {"gradcheck fails"}


class Viewing(torch.autograd.Function):
    """A copy, whose backward takes it for granted that gradients come in dense."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if not grad.is_contiguous():
            raise ValueError("setStorage is out of bounds")
        return grad.clone()


def test_what_a_backward_raises_says_what_came_in() -> None:
    operator = Operator(
        "judged_viewing(Tensor input) -> Tensor",
        inputs={"input": Tensor(batch, hidden, layout="copy")},
        dtypes=("float32",),
        reference=torch.clone,
        function=Viewing.apply,
        backward="own",
    )
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    by_form = {c.extra["how"]: c for c in gradients.cases(operator.spec) if len(c.extra) == 1}
    with pytest.raises(
        ValueError, match=r"out of bounds \(where .* as from \.sum\(\): strides \[\[0"
    ):
        gradients.run(by_form["of a sum"], subject)
    with pytest.raises(ValueError, match=r"out of bounds \(where .* is transposed: strides \[\["):
        gradients.run(by_form["transposed"], subject)
    assert gradients.run(by_form["dense"], subject).verdict == "pass"


@pytest.mark.parametrize("place", [0, 1], ids=["incoming", "saved"])
def test_a_backward_that_writes_to_what_it_is_given_is_found_at_each_size(place: int) -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input, gate):
            ctx.save_for_backward(input, gate)
            return input * gate

        @staticmethod
        def backward(ctx, grad):
            saved, gate = (tensor.detach() for tensor in ctx.saved_tensors)
            found = grad * gate, grad * saved
            if grad.numel() > 100:
                (grad.detach(), saved)[place].mul_(2)
            return found

    found = of_a_gate(f"writes_{place}", "Tensor", torch.mul, Product.apply)
    changed = {
        name
        for name, outcome in found.items()
        if "backward writes to what it is given" in {f.kind for f in outcome.findings}
    }
    assert "batch=32,hidden=16 float64 dense" in changed
    assert not [name for name in changed if "batch=2x3" in name]
