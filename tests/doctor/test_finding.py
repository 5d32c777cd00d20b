from __future__ import annotations

import json

from opwright.doctor.finding import Diagnosis, Finding, Status


def diagnosis(*statuses: Status) -> Diagnosis:
    found = (
        Finding(f"part {i}", status, "what", needed_for=("build cpu",))
        for i, status in enumerate(statuses)
    )
    return Diagnosis(quick=False, findings=tuple(found))


def test_all_that_is_needed_has_to_be_there() -> None:
    assert diagnosis("ok", "ok").ability("cpu", "build").answer == "yes"


def test_one_thing_that_is_missing_or_wrong_decides_and_is_named() -> None:
    for status in ("missing", "problem"):
        ability = diagnosis("ok", status, "not checked").ability("cpu", "build")
        assert (ability.answer, ability.because) == ("no", ("part 1: what",))


def test_what_was_not_looked_at_is_never_a_yes() -> None:
    ability = diagnosis("ok", "not checked").ability("cpu", "build")
    assert (ability.answer, ability.because) == ("not checked", ("part 1: what",))
    assert (
        diagnosis("ok").ability("cpu", "run").answer == "not checked"
    )  # nothing was looked at for it


def test_the_json_names_every_target_and_finding() -> None:
    data = json.loads(json.dumps(diagnosis("ok").as_json()))
    assert data["schema_version"] == 1
    assert [(entry["target"], entry["action"]) for entry in data["abilities"]][:2] == [
        ("cpu", "build"),
        ("cpu", "run"),
    ]
    assert data["findings"][0] == {
        "subject": "part 0",
        "status": "ok",
        "what": "what",
        "fix": "",
        "needed_for": ["build cpu"],
        "facts": {},
    }
