"""What is asked of a back end that makes graphs of the device, on one that gives out memory as those do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo
from torch._dynamo.utils import counters

from graph_operators import setting_for
from opwright.graph.compiling import MODE
from opwright.graph.trial import run_trial
from opwright.records.graph import GraphTrial


def pooled(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
    """Every run writes where the one before it has."""
    del inputs
    pool: list[torch.Tensor] = []

    def run(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        (result,) = graph(*given)
        if not pool:
            pool.append(result)
        return (pool[0].copy_(result),)

    return run


def skipping(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
    """It makes no graph of the device, and counts that as PyTorch does."""
    del inputs
    counters["inductor"]["cudagraph_skips"] += 1
    return graph.forward


def tried(backend: Any, option: str, monkeypatch: pytest.MonkeyPatch) -> GraphTrial:
    monkeypatch.setattr(torch._dynamo, "lookup_backend", lambda name: backend)
    return run_trial(MODE, setting_for(lambda input: input * 2, name="built-in", option=option))


def test_graphs_of_the_device_may_take_the_memory_of_the_last_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert tried(pooled, "cudagraphs", monkeypatch).equal.verdict == "pass"
    other = tried(pooled, "aot_eager", monkeypatch)
    assert [finding.kind for finding in other.findings] == ["earlier result changed"]


def test_where_no_graph_of_the_device_was_made_none_is_claimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    captured = tried(skipping, "cudagraphs", monkeypatch).captured
    assert captured.verdict == "not checked"
    assert "made no graph of the device 1 times" in captured.reason
