"""What the nodes of a captured graph say, beside what a call launches without one."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.devices.activity import Activity, Launch
from opwright.graph.nodes import is_kernel
from opwright.graph.protocol import Evidence
from opwright.records.graph import Answer
from opwright.records.verdict import Finding

_NOT_FUSED = "a graph of the device launches the same kernels one after the other"
_SHOWN = 20  # names of nodes in a record


def evidence_of(nodes: Sequence[str] | None, activity: Activity) -> Evidence:
    """Whether each launch of a call without a graph has a node in it; ``nodes`` are None where they are not known."""
    launches = activity.launches
    unfused = Answer("not checked", _NOT_FUSED)
    if nodes is None:
        untold = Answer("not checked", "the device does not say what is in its graphs")
        return Evidence(untold, untold, unfused)
    facts = {"nodes": len(nodes), "names": nodes[:_SHOWN], **activity.figures}
    if not nodes:
        return Evidence(*_nothing_captured(), (_empty(activity),), facts)
    if not launches:
        untold = Answer("not checked", "what the operator launches without a graph is not known")
        return Evidence(untold, Answer("pass", f"{len(nodes)} nodes"), unfused, (), facts)
    missing = missing_from(nodes, launches)
    if missing and sum(map(is_kernel, nodes)) >= len(launches):
        told = f"its nodes have other names than what a call launches: {_names(missing)}"
        return Evidence(
            Answer("not checked", told), Answer("pass", f"{len(nodes)} nodes"), unfused, (), facts
        )
    if missing:
        split = Answer("fail", "a part of what it launches is not in the graph")
        return Evidence(split, split, unfused, (_split(missing),), facts)
    told = f"{len(launches)} launches of a call are among its {len(nodes)} nodes"
    return Evidence(Answer("pass", told), Answer("pass", f"{len(nodes)} nodes"), unfused, (), facts)


def missing_from(nodes: Sequence[str], launches: Sequence[Launch]) -> list[Launch]:
    """Launches without a node of their own.

    A profiler writes a kernel's name with its arguments, a graph's dump as the linker has it.
    """
    left = list(nodes)
    missing = []
    for launch in launches:
        plain = _plain(launch.kernel)
        found = next((node for node in left if launch.kernel == node or plain in node), None)
        if found is None:
            missing.append(launch)
        else:
            left.remove(found)
    return missing


def _plain(kernel: str) -> str:
    """``add`` for ``void (anonymous namespace)::add<float>(float*)`` and ``add [with T = float]``."""
    text = kernel.replace("(anonymous namespace)::", "").partition(" [with ")[0]
    return text.partition("(")[0].partition("<")[0].rpartition("::")[2].split(" ")[-1]


def _names(launches: Sequence[Launch]) -> str:
    return ", ".join(dict.fromkeys(f"`{one.kernel}`" for one in launches))


def _split(missing: Sequence[Launch]) -> Finding:
    elsewhere = [one for one in missing if not one.current]
    told = f" Not on the current stream: {_names(elsewhere)}." if elsewhere else ""
    return Finding(
        "not in the graph",
        f"launched without a graph, and no node of it: {_names(missing)}. A replay does not do that work.{told}",
        {"missing": [one.kernel for one in missing]},
    )


def _nothing_captured() -> tuple[Answer, Answer, Answer]:
    empty = Answer("fail", "the graph has no nodes")
    return empty, empty, Answer("not checked", "there is nothing in the graph")


def _empty(activity: Activity) -> Finding:
    return Finding(
        "empty graph",
        "the graph has no nodes: a replay does nothing. What is computed does not go to the device's current "
        f"stream, or was computed before.{activity.told}",
        activity.figures,
    )
