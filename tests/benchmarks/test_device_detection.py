"""What the benchmark of device faults counts as missed, and what as not checkable."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from opwright.records.detection import Trial as Answered
from opwright.session.planted import Defect, read_defect
from opwright.spec.target import Target

ROOT = Path(__file__).parent.parent.parent
DEFECTS = ROOT / "tests" / "device_defects"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import device_detection

    return device_detection


def test_a_fault_that_takes_two_devices_is_not_missed_where_there_is_one(
    benchmark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    trial = benchmark.tried(None, DEFECTS / "device_0_taken_for_granted", Target("cuda"))
    assert (trial.answer, trial.missed) == ("not checkable here", ())
    assert trial.not_checkable == "takes 2 devices of kind cuda, and there is 1 here"
    benchmark.print_table([trial], {})
    assert "0 of 0 caught, 1 not checkable here" in capsys.readouterr().out


def test_every_fault_of_the_guard_alone_says_that_it_takes_two_unless_the_host_will_do() -> None:
    for folder in DEFECTS.iterdir():
        if (folder / "finding.json").exists():
            defect = read_defect(folder)
            guards = {expected.check for expected in defect.expected} == {"device_guard"}
            host = any("on the host" in said for each in defect.expected for said in each.says)
            assert (defect.devices == 2) == (guards and not host), folder.name


@pytest.mark.parametrize(
    ("answers", "whole"),
    [
        (["caught", "caught"], "caught"),
        (["caught", "missed"], "missed"),
        (["not checkable", "caught"], "caught"),
        (["not checkable", "missed"], "missed"),
        (["not checkable", "not checkable"], "not checkable here"),
    ],
)
def test_a_fault_is_missed_where_one_check_misses_it(
    benchmark: Any, answers: list[Any], whole: str
) -> None:
    defect = Defect(Path("f"), "f", ())
    found = [Answered("f", "check", answer, f"why {answer}") for answer in answers]
    trial = benchmark.judged(benchmark.Trial("f", "f", ()), defect, found)
    assert trial.answer == whole
    assert bool(trial.missed) == (whole == "missed")
    assert bool(trial.not_checkable) == (whole == "not checkable here")


def test_the_table_of_evidence_counts_what_could_be_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import evidence

    trials = [
        {"name": "null_pointer", "missed": []},
        {"name": "device_0_taken_for_granted", "missed": [], "not_checkable": "takes 2 devices"},
        {"name": "host_decides", "missed": ["x"], "not_checkable": ""},
    ]
    documents = {
        "h200/device_detection.json": {"trials": trials, "false_alarms": {"a": []}},
        "h200/build_time.json": {"cold_build_ratio": 16.0},
    }
    monkeypatch.setattr(evidence, "_json", documents.__getitem__)
    monkeypatch.setattr(evidence, "_since", list)
    faults, *_ = evidence._beside()
    assert "caught there: 1 of 2 (1 not checkable there);" in faults
    planted = sum((folder / "finding.json").exists() for folder in DEFECTS.iterdir())
    assert f"{planted - 3} more have been planted since" in faults
    sys.modules.pop("evidence")


def test_the_table_of_evidence_says_what_the_sanitizers_found_or_that_they_did_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import evidence

    monkeypatch.setattr(evidence, "FOLDER", tmp_path)
    assert evidence._sanitized().endswith("there: not run.")
    outcomes = [("pass", []), ("fail", ["a stray write"]), ("not checked", [])]
    cases = [
        {"check": "device_sanitizers", "outcome": {"verdict": verdict, "findings": findings}}
        for verdict, findings in outcomes
    ]
    operator = {"name": "a", "target": "cuda", "sources_digest": "", "cases": cases}
    path = tmp_path / evidence.SANITIZED
    path.parent.mkdir()
    path.write_bytes(gzip.compress(json.dumps({"operators": [operator]}).encode()))
    assert evidence._sanitized().endswith("there: 1 of 3 calls pass, 1 findings.")
    sys.modules.pop("evidence")
