"""Records made by hand: what renderers and summaries are shown."""

from __future__ import annotations

from typing import Any

from opwright.records.run import CaseRecord, OperatorRecord, Record
from opwright.records.verdict import Finding, Outcome, errored, failed, not_checked, passed

ENVIRONMENT = {"torch": "2.13.0", "python": "3.11.7", "cpu": "Some CPU", "threads": 2}


def made_case(check: str, name: str, outcome: Outcome, *, rows: int = 4) -> CaseRecord:
    return CaseRecord(check, name, {"sizes": {"batch": [2, rows], "hidden": 3}}, outcome, 0.25)


def made_operator(*cases: CaseRecord, name: str = "swish", **changes: Any) -> OperatorRecord:
    facts: dict[str, Any] = {
        "name": name,
        "schema": f"{name}(Tensor input) -> Tensor",
        "implementation": "generated",
        "location": "op.py:8",
        "sources_digest": "0" * 64,
        "target": "cpu",
        "label": "hardware",
        "artifact": {"build_key": "ab12", "digest": "cd", "hit": False, "seconds": 3.4},
        "seconds": 12.0,
    }
    return OperatorRecord(**{**facts, **changes}, cases=cases)


def made_record(*operators: OperatorRecord) -> Record:
    return Record(
        "0.1.0", "opwright check swish", "2026-01-01T00:00:00+00:00", ENVIRONMENT, operators
    )


def numerics(max_ulp: float | str, ratio: float | str, reference: float = 1e-7) -> Outcome:
    figures = {"max_ulp": max_ulp, "ratio_worst": ratio}
    return passed({**figures, "reference_max_ulp": 2.0, "reference_max_abs": reference})


def finding(kind: str = "inaccurate", message: str = "output: off by 3") -> Outcome:
    return failed(Finding(kind, message))


RIGHT = made_operator(
    made_case("contract", "input dtype int64", passed()),
    made_case("numerics", "rows=4", numerics(1.94, 1.2)),
    made_case("numerics", "rows=5", numerics(0.5, "inf")),
)
WRONG = made_operator(
    made_case("contract", "input rank", finding("rank not refused", "`input` was accepted")),
    made_case("numerics", "rows=9", finding(message="the larger case"), rows=9),
    made_case("numerics", "rows=2", finding(message="the smaller case"), rows=2),
    made_case("numerics", "rows=3", passed()),
    name="add2",
)
HOLLOW = made_operator(
    made_case("numerics", "rows=4", passed()),
    made_case("coverage", "rows=4", not_checked("memory cannot be poisoned")),
    made_case("coverage", "rows=5", not_checked("memory cannot be poisoned")),
    name="gelu",
)
BROKEN = made_operator(
    made_case("numerics", "rows=4", errored("the reference raises\nmend it\nthird line")),
    made_case("numerics", "rows=5", passed()),
    name="norm",
)
