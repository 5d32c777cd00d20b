"""The check of training: what it plans, what right operators of every kind give, and what each finding takes."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import silu

from opwright.checks.learning import training
from opwright.checks.protocol import Subject
from opwright.operator import Operator
from opwright.records.verdict import Outcome
from opwright.spec.backward import Backward
from opwright.spec.dims import Dim, Shape
from opwright.spec.tensor import Tensor

batch = Shape("batch", typical=((32,),), edge=((2, 3),))
hidden = Dim("hidden", typical=(16,), edge=(4,))


def swish(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return silu(input * weight)


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return swish(x, weight)

    @staticmethod
    def backward(ctx, grad):
        return slope(grad, *ctx.saved_tensors)


def slope(grad_output, input, weight):
    x, w = input.double(), weight.double()
    s = torch.sigmoid(x * w)
    inner = grad_output * s * (1 + x * w * (1 - s))
    of_weight = (inner * x).sum(tuple(range(inner.dim() - 1)))
    return (inner * w).to(input.dtype), of_weight.to(weight.dtype)


KERNELS = Backward(
    "trained_kernels_backward(Tensor grad_output, Tensor input, Tensor weight)"
    " -> (Tensor grad_input, Tensor grad_weight)",
    function=slope,
    reduction=hidden,
)
RIGHT = {"reference": (swish, "reference"), "own": (Own.apply, "own"), "kernels": (swish, KERNELS)}
_made = iter(range(1000))


def described(function=swish, **fields: object) -> Operator:
    known = {"dtypes": ("float32",), "reference": swish, "backward": "own"}
    return Operator(
        f"trained_{next(_made)}(Tensor input, Tensor weight) -> Tensor",
        inputs={
            "input": Tensor(batch, hidden, layout="copy"),
            "weight": Tensor(hidden, layout="copy"),
        },
        function=function,
        **(known | fields),
    )


def outcomes(operator: Operator) -> list[Outcome]:
    for one in (operator, *operator.backwards):
        one.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    return [training.run(case, subject) for case in training.cases(operator.spec)]


def finding_of(operator: Operator) -> tuple[str, str]:
    (outcome,) = outcomes(operator)
    assert outcome.verdict == "fail", outcome
    (finding,) = outcome.findings
    return finding.kind, finding.message


@pytest.mark.parametrize("name", RIGHT)
def test_right_operators_train_as_the_reference_however_gradients_come_about(name: str) -> None:
    function, backward = RIGHT[name]
    found = outcomes(described(function, backward=backward, dtypes=("float32", "bfloat16")))
    assert [outcome.verdict for outcome in found] == ["pass", "pass"]
    assert all(0 < outcome.figures["farthest"] < 1 for outcome in found)
    assert all(o.figures["last"] < o.figures["first"] for o in found), "something was learned"


def test_float64_is_left_to_operators_that_know_nothing_else() -> None:
    several = described(dtypes=("float64", "bfloat16", "float32"))
    planned = [case.dtypes["T"] for case in training.cases(several.spec)]
    assert planned == ["bfloat16", "float32"]
    alone = described(dtypes=("float64",))
    assert [outcome.verdict for outcome in outcomes(alone)] == ["pass"]


def test_what_is_remembered_is_right_where_changes_in_place_are_seen() -> None:
    packed: dict[int, tuple[int, torch.Tensor]] = {}

    def careful(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        if packed.get(id(weight), (-1,))[0] != weight._version:
            packed[id(weight)] = (weight._version, weight.detach().clone())
        scale = weight + (packed[id(weight)][1] - weight).detach()
        return silu(input * scale)

    assert [outcome.verdict for outcome in outcomes(described(careful))] == ["pass"]


def test_masks_integers_and_a_range_stay_what_the_description_says() -> None:
    seen: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []

    def chosen(
        input: torch.Tensor, mask: torch.Tensor, weight: torch.Tensor, row: torch.Tensor
    ) -> torch.Tensor:
        return torch.where(mask, 0, input * weight.log() * row[..., None])

    def watched(input, mask, weight, row):
        seen.append((mask.clone(), weight.detach().clone(), row.clone()))
        return chosen(input, mask, weight, row)

    operator = Operator(
        f"trained_{next(_made)}(Tensor input, Tensor mask, Tensor weight, Tensor row) -> Tensor",
        inputs={
            "input": Tensor(batch, hidden, layout="copy"),
            "mask": Tensor(batch, hidden, dtype="bool", layout="copy"),
            "weight": Tensor(hidden, layout="copy", range=(0.5, 2.0)),
            "row": Tensor(batch, dtype="int32", layout="copy"),
        },
        dtypes=("float32",),
        reference=chosen,
        function=watched,
        backward="own",
    )
    assert [outcome.verdict for outcome in outcomes(operator)] == ["pass"]
    masks, weights, rows = zip(*seen, strict=True)
    assert all(torch.equal(mask, masks[0]) for mask in masks)
    assert all(torch.equal(row, rows[0]) for row in rows)
    assert all(((weight >= 0.5) & (weight <= 2.0)).all() for weight in weights)
    assert not torch.equal(weights[0], weights[-1]), "it is learned"


def test_a_gradient_that_is_one_percent_too_large_is_seen_in_float32() -> None:
    class Larger(Own):
        @staticmethod
        def backward(ctx, grad):
            of_input, of_weight = slope(grad, *ctx.saved_tensors)
            return of_input, of_weight * 1.01

    kind, message = finding_of(described(Larger.apply))
    assert kind == "training differs"
    assert "another way from about step 1 on" in message


def test_a_fault_of_the_last_steps_is_seen_and_said_where_it_begins() -> None:
    calls = [0]

    class Tiring(Own):
        @staticmethod
        def backward(ctx, grad):
            calls[0] += 1
            of_input, of_weight = slope(grad, *ctx.saved_tensors)
            return of_input, of_weight * (1.0 if calls[0] <= 170 else 0.0)

    _, message = finding_of(described(Tiring.apply))
    assert "another way from about step 171 on" in message


def test_what_the_next_call_writes_over_is_seen() -> None:
    saved: list[torch.Tensor] = [torch.empty(0)]

    class Overwritten(Own):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.save_for_backward(weight)
            saved[0] = x.detach().clone()
            return swish(x, weight)

        @staticmethod
        def backward(ctx, grad):
            return slope(grad, saved[0], *ctx.saved_tensors)

    assert finding_of(described(Overwritten.apply))[0] == "training differs"


def test_a_parameter_without_a_gradient_is_named() -> None:
    found = finding_of(described(lambda input, weight: swish(input, weight.detach())))
    assert found[0] == "no gradient in training"
    assert "`weight`" in found[1]


def test_a_parameter_whose_gradient_is_always_zero_is_named() -> None:
    found = finding_of(described(lambda input, weight: swish(input, weight.detach() + 0 * weight)))
    assert found[0] == "parameter never moves"
    assert "`weight`" in found[1]


def test_a_loss_that_becomes_no_number_is_told_with_its_step() -> None:
    calls = [0]

    def breaking(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        return swish(input, weight) * (float("inf") if calls[0] > 41 else 1.0)

    kind, message = finding_of(described(breaking))
    assert kind == "loss is no number"
    assert "after 21 steps" in message  # of two calls each; the 42nd is behind a loss


def test_a_step_that_raises_is_a_finding() -> None:
    calls = [0]

    def giving_up(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        if calls[0] > 40:
            raise RuntimeError("out of handles")
        return swish(input, weight)

    assert finding_of(described(giving_up)) == (
        "training raises",
        "training raises RuntimeError: out of handles",
    )


def test_without_a_backward_or_floating_point_there_is_no_case_and_a_reason() -> None:
    plan = training.CHECK.plan(described(backward=None).spec)
    assert plan.cases == ()
    assert "no backward" in plan.why_none
    whole = described(
        lambda input, weight: input * weight,
        reference=lambda input, weight: input * weight,
        dtypes=("int32",),
    )
    plan = training.CHECK.plan(whole.spec)
    assert plan.cases == ()
    assert "floating-point" in plan.why_none


def test_kernels_that_are_not_there_are_not_checked() -> None:
    operator = described(backward="reference")
    case = next(iter(training.cases(operator.spec)))
    subject = Subject(operator.spec, operator.spec.function, lacks_backward="it does not build")
    outcome = training.run(case, subject)
    assert (outcome.verdict, outcome.reason) == ("not checked", "it does not build")


def test_a_reference_that_learns_nothing_is_no_evidence() -> None:
    def flat(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return (input * weight).detach() * 0 + 1.0

    (outcome,) = outcomes(described(flat, reference=flat))
    assert outcome.verdict == "not checked"
    assert "learns nothing" in outcome.reason


def test_where_there_is_no_time_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_SECONDS", 0.0)
    (outcome,) = outcomes(described())
    assert outcome.verdict == "not checked"
    assert "too long" in outcome.reason
