"""What a captured graph holds: its nodes by name, as the device itself tells them."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from opwright.devices.device import Device

# CUDA's dump in Graphviz's language: a node a record, with the kernel's name in front of its launch.
_CUDA_NODE = re.compile(r'^\s*"graph_\d+_node_\d+"\s*\[(.*?)\];?\s*$', re.MULTILINE | re.DOTALL)
_CUDA_KERNEL = re.compile(r"([A-Za-z_]\w*)\s*(?:\\?<){3}")
_CUDA_SIGNATURE = re.compile(r"\|\s*([^|{}]+?)\s*(?:\\?<){3}")  # a name with its arguments
_CUDA_KIND = re.compile(r'label="\{?\s*([A-Z_]+)')


def inspectable_graph(device: Device) -> Any:
    """A graph that `nodes_of` can be asked about. Call `ready_for_replays` when it is captured."""
    if device.kind != "cuda":
        return device.graph()
    make: Any = device.module.CUDAGraph
    graph = make(keep_graph=True) if _is_kept(make) else make()
    graph.enable_debug_mode()
    return graph


def ready_for_replays(graph: Any, device: Device) -> None:
    """Do what a kept graph would else do at its first replay. Raises what PyTorch does."""
    if device.kind == "cuda" and _is_kept(graph):
        graph.instantiate()


def _is_kept(graph: Any) -> bool:
    """Whether this PyTorch keeps a captured graph when it is asked to: else a new one leaves nothing to dump."""
    return hasattr(graph, "instantiate")


def nodes_of(graph: Any, device: Device) -> list[str] | None:
    """Names of a captured graph's nodes; None where the device says nothing of them.

    The simulated device knows a kernel's whole name when it runs, so that there the graph is replayed once
    more, and its journal read.
    """
    if hasattr(device.module, "launches"):
        device.synchronize()
        device.module.launches()  # what came before
        graph.replay()
        device.synchronize()
        return [entry.name for entry in device.module.launches()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph"
        try:
            graph.debug_dump(str(file))
            text = file.read_text(encoding="utf-8", errors="replace")
        except (RuntimeError, OSError):
            return None
    return cuda_nodes(text)


def cuda_nodes(text: str) -> list[str] | None:
    """Kernels by name, other nodes by their kind (``MEMCPY``), from ``cudaGraphDebugDotPrint``.

    None for a text of another form: what cannot be read is no empty graph.
    """
    names = [_cuda_name(match[1]) for match in _CUDA_NODE.finditer(text)]
    readable = text.startswith("digraph") and (names or "_node_" not in text)
    return names if readable else None


def is_kernel(node: str) -> bool:
    """Whether a node is no copy, fill or event, as both devices call these."""
    return not node.isupper() and not node.startswith(("copy from ", "fill", "delay"))


def _cuda_name(label: str) -> str:
    for pattern in (_CUDA_KERNEL, _CUDA_SIGNATURE):
        if found := pattern.search(label):
            return found[1].replace("\\", "")
    kind = _CUDA_KIND.search(label)
    # A kernel without a name is one all the same: nothing is missing then.
    return "a kernel" if kind is None or kind[1] == "KERNEL" else kind[1]
