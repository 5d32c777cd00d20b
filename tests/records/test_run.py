"""Records are versioned JSON that keeps to the published schema, and come back unchanged."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from opwright.errors import RecordError
from opwright.records.artifact import Artifact, artifact_from_json, artifact_to_json
from opwright.records.run import (
    CaseRecord,
    OperatorRecord,
    Record,
    read_record,
    record_schema,
    worst,
    write_record,
)
from opwright.records.verdict import Finding, errored, failed, not_checked, passed

OUTCOMES = {
    "right": passed({"max_ulp": 0.5}, ("a note",)),
    "wrong": failed(Finding("wrong values", "too far off", {"at": [0, 1]})),
    "left out": not_checked("no device"),
    "not judged": errored("the reference raises"),
}


def record() -> Record:
    cases = tuple(
        CaseRecord("numerics", name, {"seed": 1}, outcome, 0.25)
        for name, outcome in OUTCOMES.items()
    )
    operator = OperatorRecord(
        "f", "f(Tensor x) -> Tensor", "generated", "op.py:3", "ab" * 32, "cpu", "hardware",
        {"build_key": "k", "digest": "d", "hit": True, "seconds": 0.5}, cases, 1.5,
        {"large": "it has no rows"},
        {"timing": "nothing was measured"},
    )  # fmt: skip
    return Record(
        "0.1.0", "opwright check f", "2024-01-01T00:00:00Z", {"torch": "2.10"}, (operator,)
    )


def test_a_record_comes_back_unchanged(tmp_path: Path) -> None:
    write_record(record(), tmp_path / "record.json")
    assert read_record(tmp_path / "record.json") == record()


def test_every_check_that_was_asked_for_has_a_verdict_in_the_file() -> None:
    (operator,) = record().to_json()["operators"]
    assert operator["checks"] == {"numerics": "fail", "large": "not checked"}
    assert operator["unplanned"] == {"large": "it has no rows"}


def test_a_record_keeps_to_its_schema() -> None:
    jsonschema.validate(record().to_json(), record_schema())


@pytest.mark.parametrize(
    "name, change",
    [
        ("wrong", {"findings": []}),
        ("left out", {"reason": ""}),
        ("not judged", {"reason": ""}),
        ("right", {"verdict": "fine"}),
    ],
)
def test_the_schema_refuses_verdicts_without_their_reason(name: str, change: dict) -> None:
    plain = record().to_json()
    case = next(case for case in plain["operators"][0]["cases"] if case["name"] == name)
    case["outcome"].update(change)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plain, record_schema())


def test_verdicts_are_summed_up_by_the_worst() -> None:
    operator = record().operators[0]
    assert operator.verdict == "fail"
    assert operator.counts() == {"pass": 1, "fail": 1, "not checked": 1, "error": 1}
    assert worst(["pass", "error", "not checked"]) == "error"
    assert worst(["pass", "not checked"]) == "not checked"
    assert worst([]) == "not checked"


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '{"version": '])
def test_another_file_is_no_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(RecordError, match=r"other\.json is not a record"):
        read_record(tmp_path / "other.json")


def test_another_version_is_named(tmp_path: Path) -> None:
    (tmp_path / "later.json").write_text(json.dumps({**record().to_json(), "version": 99}))
    with pytest.raises(
        RecordError, match="is a check record of version 99; this reads a check record of version 1"
    ):
        read_record(tmp_path / "later.json")


def test_a_record_of_another_command_is_named(tmp_path: Path) -> None:
    plain = {"kind": "measurement", "version": 1, "operators": [{"name": "f", "rows": []}]}
    (tmp_path / "times.json").write_text(json.dumps(plain))
    with pytest.raises(RecordError, match=r"times\.json is a measurement record of version 1"):
        read_record(tmp_path / "times.json")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"gone/record\.json cannot be written"):
        write_record(record(), tmp_path / "gone" / "record.json")


def test_an_artifact_comes_back_unchanged() -> None:
    folder = Path("/s/e")
    facts = {"kind": "generated"}
    artifact = Artifact(
        "f", "cpu", folder, folder / "f.so", "key", "digest", {"a": "b"}, facts, True, 0.5
    )
    assert artifact_from_json(json.loads(json.dumps(artifact_to_json(artifact)))) == artifact
