"""What a SuperKernel is told is read, or refused with the reason, before anything is compiled."""

from __future__ import annotations

import pytest

from opwright.errors import UsageError
from opwright.graph.modes import parse_mode
from opwright.graph.superkernel.asked import read_asked
from opwright.graph.superkernel.ge import option_text
from opwright.graph.superkernel.npugraph_ex import compiler_options
from opwright.graph.superkernel.options import (
    allowed_cores,
    read_options,
    release_for,
    why_unpaired,
)

REFUSED = {
    "npugraph": "Did you mean 'npugraph_ex'",
    "npugraph_ex:split_mod=1": "Did you mean 'split_mode'",
    "npugraph_ex:split_mode=two": "split_mode takes a whole number of at least 0, and not 'two'",
    "npugraph_ex:split_mode=-1": "split_mode takes a whole number",
    "npugraph_ex:clone_input=1": "clone_input takes true or false",
    "npugraph_ex:debug_per_op_max_core_num=2": "takes one of 0, 1",
    "npugraph_ex:capture_error_mode=lax": "takes one of global, thread_local, relaxed",
    "npugraph_ex:dcci_disable_on_kernel=a,,b": "takes names with commas between them",
    "npugraph_ex:super_kernel_optimize=false": "super_kernel_optimize is set by this mode itself",
    "npugraph_ex:split_mode": "'split_mode' is no option of a SuperKernel",
    "npugraph_ex:split_mode=1:split_mode=2": "split_mode is given twice",
    "npugraph_ex:scope= ": "a SuperKernel's scope has a blank name",
    "npugraph_ex:dynamic=true": "takes no dynamic sizes: a SuperKernel is made for sizes that are known",
    "ge:dynamic=false": "takes no dynamic sizes",
    "ge:feed-sync-al=1": "Did you mean 'feed-sync-all'",
    "ge:feed-sync-all=2": "takes one of 0, 1",
    "ge:strict-scope-check=maybe": "takes one of bypass, abort",
    "ge:debug-aic-num=24:debug-aiv-num=12": "no ratio that a SuperKernel starts",
    "ge:debug-aic-num=0:debug-aiv-num=0": "no ratio that a SuperKernel starts",
    "ge:split_mode=1": "SuperKernel by ge has no option 'split_mode'",
}


@pytest.mark.parametrize("asked", REFUSED)
def test_what_makes_no_sense_is_refused_with_the_reason(asked: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_mode(f"superkernel:{asked}")
    assert REFUSED[asked] in f"{caught.value} {caught.value.hint}"


def test_core_numbers_out_of_proportion_name_the_ratios_and_the_vendors_conflict() -> None:
    with pytest.raises(UsageError) as caught:
        read_asked("ge:debug-aic-num=24:debug-aiv-num=12")
    assert "1:0, 0:1, 1:1, 1:2" in str(caught.value.hint)
    assert "may not exceed what it would have started" in str(caught.value.hint)


@pytest.mark.parametrize(
    "cores", [(24, 0), (0, 48), (24, 24), (24, 48)], ids=lambda cores: f"{cores[0]}:{cores[1]}"
)
def test_these_proportions_of_cores_can_be_started(cores: tuple[int, int]) -> None:
    assert allowed_cores(*cores)


def test_options_go_where_torch_npu_looks_for_them() -> None:
    asked = (
        "npugraph_ex:split_mode=2:dcci_before_kernel_start=a,b:task_breaker_bypass=1:debug_sync_all=1"
        ":clone_output=true:static_kernel_compile=false"
    )
    assert compiler_options(asked, full_cores=True) == {
        "static_kernel_compile": False,
        "super_kernel_optimize": True,
        "clone_output": True,
        "super_kernel_optimize_options": {
            "split_mode": 2,
            "dcci_before_kernel_start": ["a", "b"],
            "aggressive_opt_strategies": {"task_breaker_bypass": 1},
        },
        "super_kernel_debug_options": {"debug_sync_all": 1, "debug_per_op_max_core_num": 1},
    }


def test_options_of_the_graph_engine_are_one_text() -> None:
    asked = read_asked("ge:scope=sp1:stream-fusion=1:dcci-disable-on-kernel=Add,Mul")
    assert asked.scope == "sp1"
    text = "stream-fusion=1:dcci-disable-on-kernel=Add,Mul"
    assert option_text(asked, full_cores=None) == text
    assert option_text(asked, full_cores=(24, 48)) == f"{text}:debug-aic-num=24:debug-aiv-num=48"


def test_each_release_has_its_own_table() -> None:
    assert release_for(None).version == "2.14"
    assert release_for("2.13.0").version == "2.13"
    assert release_for("2.14.0rc1").version == "2.14"
    assert release_for("2.9.0.post9+git1").version == "2.9.0.post9"
    assert release_for("3.0").version == "2.14"
    old = release_for("2.6.0.post5")
    with pytest.raises(
        UsageError, match=r"torch-npu 2\.6\.0\.post5 has no SuperKernel by npugraph_ex"
    ):
        read_options("npugraph_ex", {}, old)
    assert read_options("ge", {"stream-fusion": "1"}, old) == {"stream-fusion": 1}
    first = release_for("2.8.0.post5")
    assert read_options("npugraph_ex", {"split_mode": "2"}, first) == {"split_mode": 2}
    with pytest.raises(UsageError, match="no option 'debug_per_op_max_core_num'"):
        read_options("npugraph_ex", {"debug_per_op_max_core_num": "1"}, first)


def test_scopes_that_are_no_pairs_are_named() -> None:
    assert why_unpaired([("begin", "a"), ("begin", "b"), ("end", "a"), ("end", "b")]) == ""
    assert (
        why_unpaired([("begin", "a"), ("end", "b")])
        == "the end of scope 'b' has no beginning before it"
    )
    assert why_unpaired([("begin", "a")]) == "scope 'a' is never ended"
