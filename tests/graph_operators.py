"""What tests of graph modes share: right operators, and what becomes of one in the first mode."""

from __future__ import annotations

from typing import Any

from opwright.records.graph import GraphedOperator
from opwright.session.graph_asked import GraphAsked
from opwright.session.graph_planted import Silent
from opwright.session.graph_run import GraphRun, graph_operators
from opwright.worker import Worker

# Two correct operators: one that returns, and one that writes and takes a scalar by keyword.
RIGHT = """
from opwright import Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((4,), (2, 3)), edge=())
n = Dim("n", typical=(8,), edge=(5,))


def scaled(output, input, *, factor=2.0):
    output.copy_(input * factor)


doubled = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=lambda input: input * 2,
)
scaled_into = Operator(
    "scaled_into(Tensor(a!) output, Tensor input, *, float factor=2.0) -> ()",
    inputs={"output": Tensor(batch, n), "input": Tensor(batch, n)},
    dtypes=("float32",),
    scalars={"factor": Scalar(3.0)},
    reference=scaled,
    function=scaled,
)
"""


def graphed(worker: Worker, operator: object, asked: GraphAsked) -> GraphedOperator:
    """What becomes of one operator in the first mode that is asked for."""
    run = GraphRun()
    graph_operators(run, worker, [str(operator)], asked, Silent())
    assert run.errors == []
    return run.operators[0]


def setting_for(function: Any, **more: Any) -> Any:
    """A setting whose operator is a plain function of one tensor, which no dispatcher knows."""
    from opwright import Dim, Operator, Tensor
    from opwright.graph.arrangement import ALONE
    from opwright.graph.differences import EXACT
    from opwright.graph.protocol import Setting
    from opwright.spec.case import Case

    n = Dim("n", typical=(8,), edge=(3,))
    spec = Operator(
        "plain_function(Tensor input) -> Tensor",
        inputs={"input": Tensor(n, n)},
        dtypes=("float32",),
        reference=lambda input: input * 2,
        function=function,
    ).spec
    cases = tuple(Case("graph", "n=8", {"T": "float32"}, {"n": 8}, seed=seed) for seed in range(3))
    given = {
        "spec": spec,
        "function": function,
        "name": "aten::mul",
        "device": None,
        "arrangement": ALONE,
        "how": "static",
        "option": "eager",
        "cases": cases,
        "allowed": EXACT,
        "judge": lambda case, call, results: (),
        "stage": lambda name: None,
    }
    return Setting(**{**given, **more})
