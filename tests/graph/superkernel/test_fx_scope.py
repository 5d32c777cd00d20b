"""Which calls of a traced graph stand between a scope's markers."""

from __future__ import annotations

import torch

from opwright.graph.superkernel.answers import in_graph, wrong_markers
from opwright.graph.superkernel.fx_scope import read_scopes

_library = torch.library.Library("npu", "FRAGMENT")
for _marker in ("begin", "end"):
    _library.define(f"super_kernel_scope_{_marker}(str? scope_name=None) -> ()")


def _graph(*steps: str) -> torch.fx.Graph:
    """``[`` and ``]`` are the markers of scope sp1, ``x`` is the operator, ``o`` another one."""
    graph = torch.fx.Graph()
    value = graph.placeholder("value")
    for step in steps:
        if step in "[]":
            name = "super_kernel_scope_begin" if step == "[" else "super_kernel_scope_end"
            graph.call_function(getattr(torch.ops.npu, name).default, ("sp1",))
        else:
            target = torch.ops.aten.relu if step == "x" else torch.ops.aten.abs
            value = graph.call_function(target.default, (value,))
    return graph


def _answer(steps: str, times: int = 1, scope: str = "sp1") -> str:
    traced = read_scopes(_graph(*steps).nodes, "aten::relu")
    told = in_graph("relu", scope, times=times, calls=traced.calls, inside=traced.inside)
    return f"{told.verdict}: {told.reason}"


def test_calls_between_markers_are_in_the_scope() -> None:
    assert _answer("[x]") == "pass: 1 calls of relu in scope 'sp1'"
    assert _answer("o[oxxo]", times=2) == "pass: 2 calls of relu in scope 'sp1'"
    assert _answer("x", scope="") == "pass: 1 calls of relu"


def test_a_call_outside_or_a_call_that_is_gone_is_told() -> None:
    assert _answer("x[o]") == "fail: of 1 calls of relu in the graph, 0 are in a scope"
    assert _answer("[x]x", times=2) == "fail: of 2 calls of relu in the graph, 1 are in a scope"
    assert _answer("[x]", times=2) == "fail: 1 calls of relu in the graph, and 2 were made"
    assert _answer("[o]") == "fail: no call of relu in the graph"


def test_markers_that_are_no_pair_are_a_finding() -> None:
    traced = read_scopes(_graph(*"[x").nodes, "aten::relu")
    (finding,) = wrong_markers(traced.unpaired)
    assert (finding.kind, finding.message) == (
        "scope not paired",
        "in the graph scope 'sp1' is never ended",
    )
    assert wrong_markers(read_scopes(_graph(*"[x]").nodes, "aten::relu").unpaired) == ()
