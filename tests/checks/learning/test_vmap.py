"""The check of torch.vmap and torch.func: what it asks, and what is a refusal and what a fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from opwright import Dim, Operator, Shape, Tensor
from opwright.checks.learning import vmap
from opwright.checks.learning.refusing import refusal
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome
from opwright.spec.case import Case

batch = Shape("batch", typical=((4,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(8,), edge=(1, 5))


def reference(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return (input + bias).tanh()


def described(name: str, **fields: Any) -> Operator:
    plain: dict[str, Any] = {"function": reference, "dtypes": ("float32",), **fields}
    return Operator(
        f"{name}(Tensor input, Tensor bias) -> Tensor",
        inputs={
            "input": Tensor(batch, hidden, layout="copy"),
            "bias": Tensor(hidden, layout="copy"),
        },
        reference=reference,
        **plain,
    )


def outcomes(
    operator: Operator, call: Callable[..., Any] | None = None
) -> list[tuple[Case, Outcome]]:
    """Each planned case with what it gives; of ``call`` in place of the operator where given."""
    if call is None:
        for one in (operator, *operator.backwards):
            one.load()
        call = operator.implementation.overload
    subject = Subject(operator.spec, call)
    return [(case, vmap.run(case, subject)) for case in vmap.cases(operator.spec)]


def kinds(found: list[tuple[Case, Outcome]]) -> set[str]:
    return {finding.kind for _, outcome in found for finding in outcome.findings}


@pytest.mark.parametrize("backward", [None, "reference", "own"])
def test_a_right_operator_passes_everything(backward: str | None) -> None:
    found = outcomes(described(f"mapped_{backward}", backward=backward))
    assert {outcome.verdict for _, outcome in found} == {"pass"}, found
    refused = {case.extra["how"] for case, o in found if any("refused" in n for n in o.notes)}
    derivatives = {how for how in refused if how != "vmap"}
    assert {how.startswith("torch.func.jvp") for how in derivatives} == (
        {True, False} if backward is None else {True} if backward == "reference" else set()
    )


def test_the_plan_has_each_tensor_alone_and_all_in_front_at_the_end_nested_and_none() -> None:
    planned = [c for c in vmap.cases(described("planned").spec) if c.extra["how"] == "vmap"]
    asked = {(*c.extra["in_dims"].items(), c.extra["batch"], c.extra["nested"]) for c in planned}
    both = (("input", 0), ("bias", 0))
    for wanted in (
        (*both, 3, False), (*both, 1, False), (*both, 0, False), (*both, 3, True),
        (("input", 0), 3, False), (("bias", 0), 3, False), (("input", -1), 5, False),
        (("input", 0), ("bias", -1), 5, False),
    ):  # fmt: skip
        assert wanted in asked


def test_a_function_is_asked_beside_the_operator_made_of_it() -> None:
    planned = list(vmap.cases(described("beside", backward="own").spec))
    assert {case.extra["through"] for case in planned} == {"operator", "function"}
    assert len({case.name for case in planned}) == len(planned)


@pytest.mark.parametrize("backward", [None, "own"])
def test_gradients_of_zero_are_lost_gradients(backward: str | None) -> None:
    def detached(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return (input.detach() + bias.detach()).tanh() + 0 * input + 0 * bias

    found = outcomes(described("detached", backward=backward), detached)
    lost = {case.extra["how"] for case, outcome in found if outcome.verdict == "fail"}
    assert kinds(found) <= {"gradient lost", "tangent lost"}
    assert {"torch.func.jvp", "torch.func.jvp in torch.vmap"} <= lost
    if backward is None:
        assert {"torch.func.grad", "torch.func.vjp", "torch.func.grad in torch.vmap"} <= lost


def test_zero_gradients_of_autograd_itself_are_another_checks() -> None:
    def detached(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return (input.detach() + bias.detach()).tanh() + 0 * input + 0 * bias

    found = outcomes(described("detached_everywhere", backward="own"), detached)
    (reverse,) = [
        outcome
        for case, outcome in found
        if (case.extra["how"], case.extra["through"]) == ("torch.func.grad", "operator")
    ]
    assert "the check of gradients tells why" in reverse.reason


def test_what_a_shape_promises_may_not_be_refused() -> None:
    def refusing(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        if torch._C._functorch.maybe_get_level(input) > 0:
            raise RuntimeError("promised: takes no batches")
        return reference(input, bias)

    assert kinds(outcomes(described("promised", vmap=batch), refusing)) == {
        "refused though declared"
    }
    assert kinds(outcomes(described("unpromised"), refusing)) == set()


def test_samples_that_write_into_one_tensor_are_a_fault() -> None:
    spec = Operator(
        "written(Tensor(a!) total, Tensor input) -> ()",
        inputs={"total": Tensor(hidden), "input": Tensor(hidden)},
        dtypes=("float32",),
        reference=lambda total, input: total.copy_(input),
        function=lambda total, input: total.copy_(input),
    ).spec
    case = next(
        c
        for c in vmap.cases(spec)
        if list(c.extra["in_dims"]) == ["input"] and c.extra["in_dims"]["input"] == 0
    )

    def last_wins(total: torch.Tensor, input: torch.Tensor) -> None:
        total.copy_(torch._C._functorch.get_unwrapped(input)[-1] if _is_mapped(input) else input)

    assert {f.kind for f in vmap.run(case, Subject(spec, last_wins)).findings} == {
        "written by each sample"
    }


def _is_mapped(tensor: torch.Tensor) -> bool:
    return torch._C._functorch.is_batchedtensor(tensor)


def test_refusals_have_to_name_what_refuses_and_accidents_are_none() -> None:
    kernels = described("named").spec
    kernels = type(kernels)(**{**vars(kernels), "function": None})
    assert refusal(kernels, RuntimeError("named: no"), "vmap").verdict == "pass"
    assert [f.kind for f in refusal(kernels, RuntimeError("no"), "vmap").findings] == [
        "refusal names no operator"
    ]
    assert [f.kind for f in refusal(kernels, KeyError("x"), "vmap").findings] == ["unclear refusal"]


def test_what_takes_no_continuous_tensor_is_asked_for_no_gradient() -> None:
    spec = Operator(
        "whole(Tensor input) -> Tensor",
        inputs={"input": Tensor(hidden)},
        dtypes=("int32",),
        reference=torch.neg,
        function=torch.neg,
    ).spec
    assert {case.extra["how"] for case in vmap.cases(spec)} == {"vmap"}
