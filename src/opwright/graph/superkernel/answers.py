"""Answers that both ways to a SuperKernel give alike."""

from __future__ import annotations

from opwright.records.graph import Answer
from opwright.records.verdict import Finding

NOT_FUSED = (
    "a scope does not prove that anything was fused: an operator that cannot be splits it without a word. Only "
    "a device's profile shows that, in rows of the type SuperKernel (msprof)"
)


def in_graph(name: str, scope: str, *, times: int, calls: int, inside: int) -> Answer:
    """Whether all ``times`` calls are in the graph, and inside the scope where there is to be one."""
    if not calls:
        return Answer("fail", f"no call of {name} in the graph")
    if calls < times:
        return Answer("fail", f"{calls} calls of {name} in the graph, and {times} were made")
    if scope and inside < calls:
        told = f"of {calls} calls of {name} in the graph, {inside} are in a scope"
        return Answer("fail", told)
    return Answer("pass", f"{calls} calls of {name}{f' in scope {scope!r}' if scope else ''}")


def wrong_markers(unpaired: str) -> tuple[Finding, ...]:
    """The finding on markers of a scope that are no pair."""
    return (Finding("scope not paired", f"in the graph {unpaired}"),) if unpaired else ()
