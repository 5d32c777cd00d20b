"""The check of the dispatcher: what it plans, and what it makes of symbols and of other callables."""

from __future__ import annotations

import torch
from torch.nn.functional import silu

from opwright.checks.learning import dispatcher
from opwright.checks.protocol import Subject
from opwright.operator import Operator
from opwright.records.verdict import Outcome
from opwright.spec.dims import Dim, Shape
from opwright.spec.operator import OperatorSpec
from opwright.spec.tensor import Tensor

batch = Shape("batch", typical=((32,),), edge=((2, 3),))
hidden = Dim("hidden", typical=(16,), edge=(4,))


def described(name: str, function=silu, **fields: object) -> Operator:
    return Operator(
        f"{name}(Tensor input) -> Tensor",
        inputs={"input": Tensor(batch, hidden, layout="copy")},
        dtypes=("float32", "bfloat16"),
        reference=silu,
        function=function,
        **fields,
    )


def outcomes(operator: Operator) -> dict[str, Outcome]:
    for one in (operator, *operator.backwards):
        one.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    return {case.name: dispatcher.run(case, subject) for case in dispatcher.cases(operator.spec)}


def verdicts(operator: Operator) -> dict[str, str]:
    return {name: outcome.verdict for name, outcome in outcomes(operator).items()}


def asked(spec: OperatorSpec) -> set[str]:
    return {case.extra["how"] for case in dispatcher.cases(spec)}


def test_right_operators_pass_with_and_without_a_backward() -> None:
    for name, fields in (("told", {}), ("told_learning", {"backward": "reference"})):
        found = outcomes(described(name, lambda input: silu(input.contiguous()), **fields))
        assert {case: one for case, one in found.items() if one.verdict != "pass"} == {}


def test_gradients_are_asked_about_where_there_are_any() -> None:
    plain = asked(described("told_plan").spec)
    learning = asked(described("told_learning_plan", backward="reference").spec)
    assert plain >= {"fake", "fake transposed", "fake expanded", "unbacked", "opcheck test_schema"}
    assert learning - plain == {
        f"opcheck {utility} with gradients"
        for utility in (
            *("test_schema", "test_autograd_registration", "test_faketensor"),
            *("test_aot_dispatch_static", "test_aot_dispatch_dynamic"),
        )
    }


def test_strides_of_symbolic_sizes_are_compared_as_numbers() -> None:
    def turned(input: torch.Tensor) -> torch.Tensor:
        return silu(input).mT.contiguous().mT

    found = verdicts(described("told_turned", turned))
    unbacked = next(name for name in found if name.endswith("unbacked"))
    assert found[unbacked] == "fail"


def test_what_is_no_operator_of_the_dispatcher_is_not_checked() -> None:
    spec = described("told_elsewhere").spec
    case = next(iter(dispatcher.cases(spec)))
    assert dispatcher.run(case, Subject(spec, silu)).verdict == "not checked"


def test_what_refuses_every_call_is_not_checked() -> None:
    def refusing(input: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("told_nothing: not today")

    operator = described("told_nothing", refusing)
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    told = {
        dispatcher.run(case, subject).verdict
        for case in dispatcher.cases(operator.spec)
        if case.extra["how"] == "fake"
    }
    assert told == {"not checked"}
