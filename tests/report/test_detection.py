from __future__ import annotations

import io

from rich.console import Console

from opwright.records.detection import Alarm, CorrectTrial, Detection, Trial
from opwright.report.detection import detection_report


def shown(detection: Detection) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=120)
    console.print(detection_report(detection))
    return [line.split() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_misses_reasons_and_false_alarms_are_named_below_the_counts() -> None:
    lines = shown(
        Detection(
            (
                Trial("a", "numerics", "caught"),
                Trial("b", "numerics", "missed", "3 cases, and none failed"),
                Trial("c", "memory", "not checkable", "no guard pages\nmore"),
            ),
            (CorrectTrial("d", (Alarm("d", "leak", "grows"),)), CorrectTrial("e", reason="no g++")),
        )
    )
    assert ["numerics", "2", "1", "1", "-"] in lines
    assert ["memory", "1", "-", "-", "1"] in lines
    assert ["operators", "3", "1", "1", "1"] in lines
    assert ["b", "numerics", "3", "cases,", "and", "none", "failed"] in lines
    assert ["c", "memory", "no", "guard", "pages"] in lines
    assert ["d", "leak", "grows"] in lines
    assert ["e", "no", "g++"] in lines
    assert ["1", "correct", "operator,", "false", "alarms", "on", "1"] in lines


def test_a_clean_run_ends_after_the_table() -> None:
    lines = shown(Detection((Trial("a", "numerics", "caught"),), (CorrectTrial("d"),)))
    assert lines[-1] == ["1", "correct", "operator,", "false", "alarms", "on", "0"]
    assert not any("missed" in line for line in lines[2:])
