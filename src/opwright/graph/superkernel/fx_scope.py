"""Scopes in a traced graph: which calls stand between their markers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch

from opwright.graph.superkernel.options import why_unpaired

_MARKERS = {
    "npu.super_kernel_scope_begin.default": "begin",
    "npu.super_kernel_scope_end.default": "end",
}


class Traced(NamedTuple):
    """Calls of the operator in a graph, those of them inside a scope, and what is wrong with its markers."""

    calls: int
    inside: int
    markers: tuple[tuple[str, str | None], ...]

    @property
    def unpaired(self) -> str:
        """See `why_unpaired`."""
        return why_unpaired(self.markers)


def read_scopes(nodes: Iterable[torch.fx.Node], name: str) -> Traced:
    """What the nodes of a graph say of an operator ``opwright::swish``."""
    wanted = name.replace("::", ".")
    calls = inside = 0
    markers: list[tuple[str, str | None]] = []
    depth = 0
    for node in nodes:
        if node.op != "call_function":
            continue
        target = str(node.target)
        if kind := _MARKERS.get(target):
            scope = node.args[0] if node.args else None
            markers.append((kind, None if scope is None else str(scope)))
            depth += 1 if kind == "begin" else -1
        elif target == wanted or target.startswith(f"{wanted}."):
            calls += 1
            inside += depth > 0
    return Traced(calls, inside, tuple(markers))
