from __future__ import annotations

import json

from opwright.records.detection import Alarm, CorrectTrial, Detection, Trial

DETECTION = Detection(
    (
        Trial("a", "numerics", "caught"),
        Trial("a", "layouts", "missed", "3 cases, and none failed"),
        Trial("b", "numerics", "caught"),
        Trial("b", "memory", "not checkable", "no guard pages"),
        Trial("c", "memory", "not checkable", "no guard pages"),
    ),
    (
        CorrectTrial("right"),
        CorrectTrial("blamed", (Alarm("blamed", "numerics", "x"), Alarm("blamed", "leak", "y"))),
        CorrectTrial("unbuilt", reason="no compiler"),
    ),
)


def test_a_defect_counts_once_by_the_worst_answer_of_its_checks() -> None:
    assert DETECTION.by_defect() == {"a": "missed", "b": "caught", "c": "not checkable"}


def test_totals_count_operators_and_leave_out_what_could_not_be_run() -> None:
    assert DETECTION.totals() == {
        "planted": 3,
        "checkable": 2,
        "caught": 1,
        "missed": 1,
        "correct_operators": 2,
        "false_alarms": 1,
    }


def test_each_check_counts_what_it_has_to_find() -> None:
    assert DETECTION.by_check()["numerics"] == {"caught": 2, "missed": 0, "not checkable": 0}
    assert DETECTION.by_check()["memory"] == {"caught": 0, "missed": 0, "not checkable": 2}


def test_the_document_holds_totals_and_reasons() -> None:
    plain = json.loads(json.dumps(DETECTION.to_json()))
    assert (plain["kind"], plain["caught"]) == ("selftest", 1)
    assert plain["trials"][3]["reason"] == "no guard pages"
