"""A record of graph modes made by hand: a pass, a fault, and what was not run."""

from __future__ import annotations

from opwright.records.graph import Answer, GraphedOperator, GraphRecord, GraphTrial
from opwright.records.verdict import Finding

PASS = Answer("pass", "3 runs with changed data, compared bit for bit")
UNKNOWN = Answer("not checked", "a device's profile would show it")
DIFFERS = Finding("differs in the graph", "In run 2, `output` differs in 3 of 12 elements.")

RIGHT = GraphTrial("alone", "static", "n=8 float32", PASS, PASS, PASS, UNKNOWN, replays=3)
WRONG = GraphTrial(
    *("two in series", "static", "n=8 float32", Answer("fail", DIFFERS.kind), PASS, PASS, UNKNOWN),
    findings=(DIFFERS,),
    stage="run 2 of 3",
)
NONE = Answer("not checked", "no companion fits")
OPEN = GraphTrial("with matmul", "static", "n=8 float32", NONE, NONE, NONE, NONE)


def made_operator(*trials: GraphTrial, not_run: str = "", **more: object) -> GraphedOperator:
    return GraphedOperator(
        *("twice", "twice(Tensor input) -> Tensor", "callable", "op.py:3", "cpu", "hardware"),
        *("compile:aot_eager", "bit for bit", trials, not_run),
        **more,
    )


def made_record(*operators: GraphedOperator) -> GraphRecord:
    return GraphRecord("0", "opwright graph twice", "2030-01-01", {"torch": "2"}, operators)
