from __future__ import annotations

from dataclasses import replace

import pytest

from opwright.discovery import find_one
from opwright.errors import UsageError
from opwright.session.graph_asked import GraphAsked, graph_cases, planned
from opwright.spec.target import Target

ASCEND = GraphAsked(Target("npu"), ("superkernel",), join=("matmul",))
SCOPED, FULL, UNSCOPED = "in a scope", "in a scope, full cores", "without a scope"


def trials(asked: GraphAsked) -> list[tuple[str, str]]:
    return [(t.arrangement, t.how) for t in planned(find_one("swish").spec, asked.modes[0], asked)]


def test_the_operator_alone_is_tried_at_full_cores_without_being_asked() -> None:
    assert trials(replace(ASCEND, alone=True, join=())) == [
        ("alone", SCOPED),
        ("alone", FULL),
        ("alone", UNSCOPED),
    ]


def test_full_cores_are_for_series_and_companions_too_where_that_is_asked_for() -> None:
    usual = trials(ASCEND)
    assert {how for arrangement, how in usual if arrangement != "alone"} == {SCOPED}
    full = trials(replace(ASCEND, full_cores=True))
    assert full[: len(usual[:3])] == usual[:3]
    assert set(full) - set(usual) == {
        ("two in series", FULL),
        ("three in series", FULL),
        ("with matmul", FULL),
    }


def test_ways_that_are_named_are_the_only_ones() -> None:
    asked = GraphAsked(Target("cpu"), ("compile",), hows=("dynamic",), join=("matmul",))
    assert {how for _, how in trials(asked)} == {"dynamic"}


def test_every_case_is_tried_in_all_of_them() -> None:
    asked = GraphAsked(Target("cpu"), ("compile",), alone=True, shapes="typical")
    spec = find_one("swish").spec
    cases = graph_cases(spec, asked)
    assert len(cases) > 1
    assert [(t.case, t.how) for t in planned(spec, "compile", asked)] == [
        (case.name, how) for case in cases for how in ("static", "dynamic")
    ]


def test_dtypes_alone_keep_the_middling_sizes() -> None:
    spec = find_one("swish").spec
    (usual,) = graph_cases(spec, GraphAsked(Target("cpu"), ()))
    named = graph_cases(spec, GraphAsked(Target("cpu"), (), dtypes=("float16", "bfloat16")))
    assert [case.sizes for case in named] == [usual.sizes] * 2
    assert sorted(d for case in named for d in case.dtypes.values()) == ["bfloat16", "float16"]
    with pytest.raises(UsageError, match="does not take int8"):
        graph_cases(spec, GraphAsked(Target("cpu"), (), dtypes=("int8",)))


def test_a_compiler_that_knows_one_size_is_tried_with_one() -> None:
    asked = GraphAsked(Target("cuda"), ("compile:cudagraphs",), alone=True)
    assert trials(asked) == [("alone", "static")]
