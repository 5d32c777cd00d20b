"""SuperKernel by torchair's graph engine: the real torchair builds its graph, up to where the engine would get it.

The engine itself is not simulated: results come from the operators, run one by one.
"""

from __future__ import annotations

from typing import Any

import pytest

from ascend.environment import Trials

pytestmark = [pytest.mark.xdist_group("ascend"), pytest.mark.slow]

SCOPED, FULL_CORES, UNSCOPED = "in a scope", "in a scope, full cores", "without a scope"
ASKED = [
    *(("alone", how, "") for how in (SCOPED, FULL_CORES, UNSCOPED)),
    ("two in series", SCOPED, ""),
    ("with quantisation", SCOPED, ""),
]


@pytest.fixture(scope="module")
def told(trials: Trials) -> dict[tuple[str, str], dict[str, Any]]:
    answers = trials.made("superkernel:ge:scope=sp1:stream-fusion=1", ASKED)
    return {asked[:2]: each["trial"] for asked, each in zip(ASKED, answers, strict=True)}


def test_the_dumped_graph_has_every_operator_in_the_scope_with_its_options(
    told: dict[tuple[str, str], dict[str, Any]],
) -> None:
    for (arrangement, how), trial in told.items():
        asked = f"{arrangement}, {how}"
        answers = [trial[name]["verdict"] for name in ("equal", "in_graph", "captured", "fused")]
        assert answers == ["pass", "pass", "pass", "not checked"], asked
        assert trial["findings"] == [], asked
        assert "MoeGatingTopKSoftmax" in trial["facts"]["operators"], asked
        assert trial["facts"]["scopes"] == ([] if how == UNSCOPED else ["sp1"]), asked
    assert told["alone", SCOPED]["facts"]["scope_options"] == ["stream-fusion=1"]
    full = "stream-fusion=1:debug-aic-num=24:debug-aiv-num=48"
    assert told["alone", FULL_CORES]["facts"]["scope_options"] == [full]


def test_operators_in_series_and_companions_are_in_the_graph(
    told: dict[tuple[str, str], dict[str, Any]],
) -> None:
    twice = told["two in series", SCOPED]["facts"]["operators"]
    assert twice.count("MoeGatingTopKSoftmax") == 2
    joined = told["with quantisation", SCOPED]["facts"]["operators"]
    assert joined.count("Round") == 2  # one in front and one behind
