from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from opwright.errors import CompileError, OpwrightError, WorkerError
from opwright.records.graph import Answer, GraphTrial
from opwright.records.verdict import Finding
from opwright.session import graph_planted
from opwright.session.graph_planted import Stated, answered, graph_defects, try_graph_defect
from opwright.spec.target import HOST, Target

YES = Answer("pass", "so it is")
HANG = Stated("hang", ("while capturing",), "replayed")


def trial(*findings: Finding) -> GraphTrial:
    return GraphTrial("alone", "replayed", "n=8", YES, YES, YES, YES, findings)


def defect_in(folder: Path) -> graph_planted.GraphDefect:
    (folder / "finding.json").write_text(
        '{"fault": "f", "mode": "compile:aot_eager", "target": "cpu", "seconds": 4, "findings": [{"kind": '
        '"hang", "says": ["while capturing"], "how": "static"}], "on_a_gpu": [{"kind": "crash", "says": [], '
        '"how": "static"}]}'
    )
    return graph_planted.read_graph_defect(folder)


def test_what_is_found_on_a_gpu_may_be_another_thing_and_take_longer(tmp_path: Path) -> None:
    defect = defect_in(tmp_path)
    assert [one.kind for one in defect.stated_on(HOST)] == ["hang"]
    assert [one.kind for one in defect.stated_on(Target("cuda"))] == ["crash"]
    assert (defect.seconds_on(HOST), defect.seconds_on(Target("cuda"))) == (4, 120.0)
    assert (defect.name, defect.how) == (tmp_path.name, "static")


def test_it_is_caught_where_the_finding_says_what_is_stated() -> None:
    found = answered((HANG,), trial(Finding("hang", "it hung while capturing"), Finding("b", "")))
    assert (found.answer, found.kinds) == ("caught", ("hang", "b"))


@pytest.mark.parametrize(
    ("findings", "reason"),
    [
        ((), "equal: so it is"),
        ((Finding("hang", "in run 2"),), "found, in other words: hang: in run 2"),
        ((Finding("crash", "while capturing"),), "in other words: crash: while capturing"),
    ],
)
def test_it_is_missed_where_anything_else_is_said(
    findings: tuple[Finding, ...], reason: str
) -> None:
    found = answered((HANG,), trial(*findings))
    assert found.answer == "missed"
    assert reason in found.reason


def test_what_cannot_run_is_not_checkable_with_the_reason() -> None:
    defect = next(one for one in graph_defects() if one.mode == "cudagraph")
    found = try_graph_defect(SimpleNamespace(), defect, HOST)  # type: ignore[arg-type]
    assert found.answer == "not checkable"
    assert "a host has no streams to capture" in found.reason


def test_a_fault_of_newer_releases_is_not_checkable_with_an_older_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    defect = next(one for one in graph_defects() if one.torch)
    monkeypatch.setattr(graph_planted, "version", lambda name: "2.9.1+cpu")
    found = try_graph_defect(SimpleNamespace(), defect, HOST)  # type: ignore[arg-type]
    assert found.answer == "not checkable"
    assert "it is a fault from PyTorch 2.13 on" in found.reason


@pytest.mark.parametrize("error", [WorkerError, CompileError])
def test_what_could_not_be_tried_is_missed_with_the_reason(
    error: type[OpwrightError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any) -> None:
        raise error("no process", hint="")

    monkeypatch.setattr(graph_planted, "graph_operators", refuse)
    found = try_graph_defect(object(), defect_in(tmp_path), HOST)  # type: ignore[arg-type]
    assert (found.answer, found.reason) == ("missed", "no process")
