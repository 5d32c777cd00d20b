from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from opwright.devices.activity import Activity, Launch
from opwright.graph.captured import evidence_of, missing_from
from opwright.graph.nodes import (
    cuda_nodes,
    inspectable_graph,
    is_kernel,
    ready_for_replays,
)

# As cudaGraphDebugDotPrint writes it: a kernel, a copy, and the edge between them.
DOT = r"""digraph dot {
subgraph cluster_1 {
label="graph_1" graph[style="dashed"];
"graph_1_node_0"[style="solid" shape="record" label="{KERNEL
| {ID | 0 (topoId: 1) | _Z12swish_kernelIfEvPKfPfl\<\<\<1,256,0\>\>\>}
| {{node handle | func handle} | {0x000055 | 0x000056}}
}"];

"graph_1_node_1"[style="solid" shape="record" label="{
MEMCPY
| {{ID | node handle} | {1 | 0x000057}}
}"];

"graph_1_node_0" -> "graph_1_node_1" [headlabel=0];
}
}
"""


def test_kernels_are_named_and_other_nodes_called_by_their_kind() -> None:
    assert cuda_nodes(DOT) == ["_Z12swish_kernelIfEvPKfPfl", "MEMCPY"]
    assert cuda_nodes("digraph dot {\n}\n") == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            r"void swish_kernel\<float, 4\>(float const*, long)",
            "void swish_kernel<float, 4>(float const*, long)",
        ),
        ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"),
        ("", "a kernel"),
    ],
)
def test_a_kernel_is_one_however_its_name_is_written(name: str, told: str) -> None:
    written = r"_Z12swish_kernelIfEvPKfPfl\<\<\<1,256,0\>\>\>"
    assert written in DOT
    dims = r"\<\<\<\{16,10,4\},128,0\>\>\>" if name else ""
    (kernel, copy) = cuda_nodes(DOT.replace(written, name + dims)) or ()
    assert (kernel, copy) == (told, "MEMCPY")
    assert is_kernel(kernel)
    assert not is_kernel(copy)
    if "swish" in told:
        assert missing_from([kernel], [launch("swish_kernel<float, 4>")]) == []


@pytest.mark.parametrize("text", ["", "graph of 3 nodes", 'digraph dot {\nnew_node_form "7"\n}'])
def test_a_dump_of_another_form_is_no_empty_graph(text: str) -> None:
    assert cuda_nodes(text) is None


def test_names_that_do_not_fit_are_no_fault_where_there_are_enough_nodes() -> None:
    activity = Activity(launches=(launch("aten::mul"), launch("aten::add")))
    fits = evidence_of(["aten::mul", "fill", "aten::add"], activity)
    assert (fits.in_graph.verdict, fits.captured.verdict) == ("pass", "pass")
    renamed = evidence_of(["kernel_7", "kernel_8"], activity)
    assert (renamed.in_graph.verdict, renamed.captured.verdict) == ("not checked", "pass")
    assert renamed.findings == ()
    split = evidence_of(["aten::mul", "fill", "MEMCPY"], activity)
    assert (split.in_graph.verdict, split.captured.verdict) == ("fail", "fail")
    assert [finding.kind for finding in split.findings] == ["not in the graph"]
    empty = evidence_of([], activity)
    assert [finding.kind for finding in empty.findings] == ["empty graph"]
    assert evidence_of(None, activity).captured.verdict == "not checked"
    assert evidence_of(["aten::mul"], Activity()).in_graph.verdict == "not checked"


def launch(kernel: str, *, current: bool = True) -> Launch:
    return Launch(kernel, 7, current)


def test_a_launch_is_found_by_the_name_that_a_profiler_gives_it() -> None:
    nodes = cuda_nodes(DOT)
    for name in (
        "void swish_kernel<float>(float const*, float*, long)",
        "void (anonymous namespace)::swish_kernel<float>(float const*)",
        "ours::swish_kernel [with T = float]",
        "_Z12swish_kernelIfEvPKfPfl",
    ):
        assert missing_from(nodes, [launch(name)]) == []
    assert missing_from(nodes, [launch("void at::native::other<float>(int)")]) != []


def test_each_launch_takes_a_node_of_its_own() -> None:
    two = [launch("aten::mul"), launch("aten::mul", current=False)]
    assert missing_from(["aten::mul", "aten::mul"], two) == []
    assert missing_from(["aten::mul", "aten::add"], two) == two[1:]


class Kept:
    """A graph of a PyTorch that throws captured ones away, unless it is told to keep them."""

    def __init__(self, *, keep_graph: bool = False) -> None:
        self.kept, self.ready, self.debugged = keep_graph, False, False

    def enable_debug_mode(self) -> None:
        self.debugged = True

    def instantiate(self) -> None:
        self.ready = True


class Old:
    """One of a PyTorch that keeps all of them while it debugs."""

    def __init__(self) -> None:
        self.debugged = False

    def enable_debug_mode(self) -> None:
        self.debugged = True


@pytest.mark.parametrize("kind", [Kept, Old])
def test_a_graph_that_is_to_tell_its_nodes_is_kept(kind: Any) -> None:
    device: Any = SimpleNamespace(kind="cuda", module=SimpleNamespace(CUDAGraph=kind))
    graph = inspectable_graph(device)
    ready_for_replays(graph, device)
    assert graph.debugged
    assert vars(graph).get("kept", True)
    assert vars(graph).get("ready", True)
