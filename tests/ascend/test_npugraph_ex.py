"""SuperKernel by npugraph_ex: what the real torch-npu does on a simulated device, and what is said of faults.

Nothing here is evidence about hardware: every run is ``simulated``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from ascend.environment import Trials

pytestmark = [pytest.mark.xdist_group("ascend"), pytest.mark.slow]

SCOPED, FULL_CORES, UNSCOPED = "in a scope", "in a scope, full cores", "without a scope"
TWICE, JOINED = "two in series", "with quantisation"
# arrangement, way, fault -> are results equal?
VERDICTS = {
    ("alone", SCOPED, ""): "pass",
    ("alone", FULL_CORES, ""): "pass",
    ("alone", UNSCOPED, ""): "pass",
    (TWICE, SCOPED, ""): "pass",
    (JOINED, SCOPED, ""): "pass",
    ("alone", SCOPED, "missing_sync"): "pass",
    (TWICE, SCOPED, "missing_sync"): "fail",
    (JOINED, SCOPED, "missing_sync"): "fail",
    ("alone", SCOPED, "stale_cache"): "pass",
    (TWICE, SCOPED, "stale_cache"): "fail",
    (JOINED, SCOPED, "stale_cache"): "fail",
    ("alone", SCOPED, "empty_replay"): "fail",
    ("alone", UNSCOPED, "empty_replay"): "fail",
    (TWICE, SCOPED, "dropped_scope"): "pass",
    ("alone", SCOPED, "dropped_markers"): "pass",
}


class Told(NamedTuple):
    trial: dict[str, Any]
    log: list[str]


@pytest.fixture(scope="module")
def told(trials: Trials) -> dict[tuple[str, str, str], Told]:
    """All trials, made in one process."""
    answers = trials.made("superkernel", list(VERDICTS))
    return {asked: Told(**each) for asked, each in zip(VERDICTS, answers, strict=True)}


@pytest.mark.parametrize("asked", VERDICTS, ids=lambda asked: ", ".join(filter(None, asked)))
def test_results_are_judged_rightly_whatever_the_runtime_does(
    asked: tuple[str, str, str], told: dict[tuple[str, str, str], Told]
) -> None:
    trial = told[asked].trial
    assert trial["equal"]["verdict"] == VERDICTS[asked], trial
    kinds = {finding["kind"] for finding in trial["findings"]}
    assert kinds == ({"differs in the graph"} if VERDICTS[asked] == "fail" else set())


def test_no_run_says_that_anything_was_fused(told: dict[tuple[str, str, str], Told]) -> None:
    assert {each.trial["fused"]["verdict"] for each in told.values()} == {"not checked"}


def test_calls_are_in_the_scope_of_the_captured_graph(
    told: dict[tuple[str, str, str], Told],
) -> None:
    for asked, calls in (("alone", 1), (TWICE, 2), (JOINED, 1)):
        trial = told[asked, SCOPED, ""].trial
        assert (trial["in_graph"]["verdict"], trial["captured"]["verdict"]) == ("pass", "pass")
        assert trial["facts"]["calls_in_scope"] == calls
        assert trial["facts"]["replays"] == trial["replays"] == 4


def test_a_scope_that_never_reaches_the_graph_is_noticed(
    told: dict[tuple[str, str, str], Told],
) -> None:
    answer = told["alone", SCOPED, "dropped_markers"].trial["in_graph"]
    assert answer["verdict"] == "fail"
    assert "0 are in a scope" in answer["reason"]


def test_the_runtime_is_told_of_scope_and_options_in_order(
    told: dict[tuple[str, str, str], Told],
) -> None:
    log = told["alone", SCOPED, ""].log
    last = len(log) - 1 - log[::-1].index("captureBegin")
    assert log[last : log.index("execute")] == [
        *("captureBegin", "aclskScopeBegin opwright", "aclskScopeEnd opwright"),
        *("captureEnd kernels 1", "aclskOptimize"),
    ]
    assert [line for line in log if line.startswith("fused")] == ["fused 1 cores 8"] * 4
    full = told["alone", FULL_CORES, ""].log
    assert full[full.index("aclskOptimize") + 1] == "option debug_per_op_max_core_num=1"
    assert [line for line in full if line.startswith("fused")] == ["fused 1 cores 48"] * 4


def test_without_a_scope_nothing_is_asked_of_the_runtime(
    told: dict[tuple[str, str, str], Told],
) -> None:
    log = told["alone", UNSCOPED, ""].log
    assert not [line for line in log if line.startswith(("aclsk", "fused"))]


def test_a_scope_that_the_runtime_drops_is_fused_by_nobody(
    told: dict[tuple[str, str, str], Told],
) -> None:
    each = told[TWICE, SCOPED, "dropped_scope"]
    assert "aclskScopeBegin opwright" in each.log
    assert not [line for line in each.log if line.startswith("fused")]


def test_graphs_of_a_companion_alone_are_not_counted(
    told: dict[tuple[str, str, str], Told],
) -> None:
    trial = told[JOINED, SCOPED, "missing_sync"].trial
    assert trial["facts"]["replays"] == trial["replays"] == 1
