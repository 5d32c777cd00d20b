"""What a captured graph holds: its nodes by name, as the device's own dump tells them."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

# CUDA's dump in Graphviz's language: a node a record, with the kernel's name in front of its launch.
_CUDA_NODE = re.compile(r'^\s*"graph_\d+_node_\d+"\s*\[(.*?)\];?\s*$', re.MULTILINE | re.DOTALL)
_CUDA_KERNEL = re.compile(r"([A-Za-z_]\w*)\s*(?:\\?<){3}")
_CUDA_KIND = re.compile(r'label="\{?\s*([A-Z_]+)')


def nodes_of(graph: Any, kind: str) -> list[str] | None:
    """Names of a captured graph's nodes on a device of ``kind``; None where its dump says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph"
        try:
            graph.debug_dump(str(file))
            text = file.read_text(encoding="utf-8", errors="replace")
        except (RuntimeError, OSError):
            return None
    return cuda_nodes(text) if kind == "cuda" else text.splitlines()


def cuda_nodes(text: str) -> list[str]:
    """Kernels by name, other nodes by their kind (``MEMCPY``), from ``cudaGraphDebugDotPrint``."""
    return [_cuda_name(match[1]) for match in _CUDA_NODE.finditer(text)]


def _cuda_name(label: str) -> str:
    for pattern in (_CUDA_KERNEL, _CUDA_KIND):
        if found := pattern.search(label):
            return found[1]
    return "node"
