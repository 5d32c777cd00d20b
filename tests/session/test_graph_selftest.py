"""The part of a self-test that graph modes answer: where a fault is tried, and what counts as an alarm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from opwright.errors import ToolchainError, UsageError
from opwright.records.detection import Alarm, CorrectTrial
from opwright.session import graph_selftest
from opwright.session.graph_planted import GraphDefect, Tried, graph_defects
from opwright.session.graph_selftest import graphing_here, try_correct_graph, try_planted_graph
from opwright.session.planted import planted_folder
from opwright.session.selftest import Chosen
from opwright.spec.target import HOST, Target
from opwright.worker import Worker

DEFECTS = {defect.name: defect for defect in graph_defects()}
COMPILED, CAPTURED = DEFECTS["one_column_fewer"], DEFECTS["counts_its_calls"]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with graphing_here() as started:
        yield started


@pytest.mark.parametrize(
    ("defect", "gpus", "quick", "place"),
    [
        (COMPILED, 0, False, HOST),
        (COMPILED, 1, False, HOST),
        (CAPTURED, 0, False, Target("simulated")),
        (CAPTURED, 0, True, HOST),
        (CAPTURED, 1, True, Target("cuda")),
    ],
)
def test_a_fault_is_tried_where_it_shows_and_quickly_where_that_is_asked(
    defect: GraphDefect, gpus: int, quick: bool, place: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Target] = []

    def try_it(worker: Worker, given: GraphDefect, target: Target) -> Tried:
        tried.append(target)
        return Tried("caught")

    monkeypatch.setattr(graph_selftest, "device_count", lambda target: gpus)
    monkeypatch.setattr(graph_selftest, "build_simulated_device", lambda: None)
    monkeypatch.setattr(graph_selftest, "try_graph_defect", try_it)
    trial = try_planted_graph(object(), defect, quick=quick)  # type: ignore[arg-type]
    assert (tried, trial.check, trial.answer) == ([place], "graph", "caught")


def test_without_a_compiler_there_is_no_simulated_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ToolchainError("no compiler", hint="")

    monkeypatch.setattr(graph_selftest, "build_simulated_device", refuse)
    trial = try_planted_graph(object(), CAPTURED, quick=False)  # type: ignore[arg-type]
    assert (trial.answer, trial.reason) == ("not checkable", "no compiler")


def test_a_fault_is_caught_and_would_be_an_alarm_in_a_correct_operator(worker: Worker) -> None:
    assert try_planted_graph(worker, COMPILED, quick=True).answer == "caught"
    before = CorrectTrial("x", (Alarm("x", "numerics", "wrong"),))
    found = try_correct_graph(worker, COMPILED.folder, before)
    assert [alarm.check for alarm in found.alarms] == ["numerics", "graph", "graph"]
    correct = try_correct_graph(worker, planted_folder() / "correct" / "softmax", before)
    assert correct == before


def test_graph_is_chosen_like_a_check() -> None:
    assert Chosen(("graph",)).asks_checks is False
    assert Chosen(("graph", "mutation")).of_calls == ("mutation",)
    assert Chosen().asks_checks
    assert not Chosen(("mutation",)).wants("graph")
    with pytest.raises(UsageError):
        Chosen(("graph", "mutatoin"))
