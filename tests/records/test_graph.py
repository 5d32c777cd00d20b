from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from made_graph import DIFFERS, NONE, OPEN, PASS, RIGHT, WRONG, made_operator, made_record
from opwright.errors import RecordError
from opwright.records.graph import Answer, GraphTrial, trial_from_json, write_graph_record


@pytest.mark.parametrize(
    ("trial", "verdict"),
    [
        (RIGHT, "pass"),
        (WRONG, "fail"),
        (OPEN, "not checked"),
        (replace(RIGHT, in_graph=NONE), "not checked"),
        (replace(RIGHT, captured=Answer("fail", "split")), "fail"),
        (replace(RIGHT, findings=(DIFFERS,)), "fail"),
    ],
)
def test_a_pass_takes_three_answers_and_no_finding(trial: GraphTrial, verdict: str) -> None:
    assert trial.verdict == verdict


@pytest.mark.parametrize(
    ("trials", "verdict"),
    [
        ((), "not checked"),
        ((RIGHT,), "pass"),
        ((RIGHT, OPEN), "pass"),
        ((OPEN, RIGHT), "not checked"),
        ((RIGHT, OPEN, WRONG), "fail"),
        ((RIGHT, OPEN, replace(RIGHT, case="n=9")), "pass"),
        ((RIGHT, replace(OPEN, case="n=9"), replace(RIGHT, case="n=9")), "not checked"),
    ],
)
def test_an_operator_passes_where_it_passes_alone_and_nothing_fails(
    trials: tuple[GraphTrial, ...], verdict: str
) -> None:
    assert made_operator(*trials).verdict == verdict


def test_a_trial_comes_back_from_plain_data() -> None:
    for trial in (RIGHT, WRONG, OPEN):
        assert trial_from_json(json.loads(json.dumps(asdict(trial)))) == trial


def test_a_record_is_written_with_its_verdicts(tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    write_graph_record(made_record(made_operator(RIGHT, WRONG), made_operator()), file)
    plain = json.loads(file.read_text())
    assert (plain["kind"], plain["version"]) == ("graph", 1)
    assert [operator["verdict"] for operator in plain["operators"]] == ["fail", "not checked"]
    assert [trial["verdict"] for trial in plain["operators"][0]["trials"]] == ["pass", "fail"]
    assert plain["operators"][0]["trials"][0]["equal"] == asdict(PASS)


def test_a_place_that_cannot_be_written_is_named() -> None:
    with pytest.raises(RecordError, match="cannot be written"):
        write_graph_record(made_record(), Path("/nowhere/at/all.json"))
