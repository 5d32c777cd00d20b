"""The check of compilers: what it plans, and whose fault it says a failing compilation is."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import silu

from opwright.checks.learning import backends, compiling
from opwright.checks.protocol import Subject
from opwright.operator import Operator
from opwright.spec.dims import Dim, Shape
from opwright.spec.tensor import Tensor

batch = Shape("batch", typical=((32,),), edge=((2, 3),))
hidden = Dim("hidden", typical=(16,), edge=(5,))


def described(name: str, **fields: object) -> Operator:
    plain = {
        "inputs": {"input": Tensor(batch, hidden, layout="copy")},
        "dtypes": ("float32",),
        "reference": silu,
        "function": silu,
    }
    return Operator(f"{name}(Tensor input) -> Tensor", **{**plain, **fields})


def test_a_right_operator_passes_every_way_to_compile() -> None:
    operator = described("compiled_right", backward="reference")
    for one in (operator, *operator.backwards):
        one.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    planned = list(compiling.cases(operator.spec))
    assert {case.extra["how"] for case in planned} == {
        *("static", "dynamic", "static gradients", "dynamic gradients"),
        *("export", "export dynamic", "inductor"),
    }
    for case in planned:
        assert compiling.run(case, subject).verdict == "pass", case.name


def test_an_operator_that_is_traced_itself_is_not_given_to_inductor() -> None:
    spec = described("compiled_own", backward="own").spec
    assert "inductor" not in {case.extra["how"] for case in compiling.cases(spec)}


def test_sizes_that_cannot_change_are_not_checked_for_changes() -> None:
    operator = described("compiled_at_one_size", constraints=("hidden <= 5",))
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    told = {
        case.extra["how"]: compiling.run(case, subject).verdict
        for case in compiling.cases(operator.spec)
        if case.extra["how"] != "inductor"
    }
    assert told == {
        **dict.fromkeys(("static", "export"), "pass"),
        **dict.fromkeys(("dynamic", "export dynamic"), "not checked"),
    }


def test_a_size_that_is_a_number_in_what_was_exported_is_found() -> None:
    def fixed(input: torch.Tensor) -> torch.Tensor:
        if torch.compiler.is_exporting():
            return silu(input).reshape([int(size) for size in input.shape])
        return silu(input)

    operator = described("exported_at_one_size", function=fixed, backward="own")
    operator.load()
    subject = Subject(operator.spec, operator.implementation.overload)
    (case,) = [c for c in compiling.cases(operator.spec) if c.extra["how"] == "export dynamic"]
    outcome = compiling.run(case, subject)
    assert [finding.kind for finding in outcome.findings] == ["export fails"]


def test_what_returns_its_argument_has_no_case_and_says_why() -> None:
    spec = Operator(
        "compiled_in_place(Tensor(a!) input) -> Tensor(a!)",
        inputs={"input": Tensor(hidden)},
        dtypes=("float32",),
        reference=lambda input: input.mul_(2),
        function=lambda input: input.mul_(2),
    ).spec
    plan = compiling.CHECK.plan(spec)
    assert plan.cases == ()
    assert "returns its argument" in plan.why_none


def test_a_back_end_that_compiles_nothing_is_no_fault_of_the_function() -> None:
    def broken(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> None:
        raise RuntimeError("out of order")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "compiled", _with(broken, backends.compiled))
        assert backends.blamed(RuntimeError("x"), torch.neg, "broken", (torch.ones(3),)) is None


def test_a_back_end_that_compiles_other_functions_blames_this_one() -> None:
    found = backends.blamed(RuntimeError("x"), torch.neg, "aot_eager", (torch.ones(3),))
    assert found is not None
    assert (found.kind, "in aot_eager" in found.message) == ("compile fails", True)


def test_what_no_graph_can_hold_is_a_graph_break() -> None:
    def printed(tensor: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return tensor + 1

    found = backends.blamed(RuntimeError("x"), printed, "aot_eager", (torch.ones(3),))
    assert found is not None
    assert found.kind == "graph break"


def _with(broken: object, compiled: object) -> object:
    def replaced(function: object, backend: object, *, dynamic: bool) -> object:
        chosen = broken if backend == "broken" else backend
        return compiled(function, chosen, dynamic=dynamic)

    return replaced
