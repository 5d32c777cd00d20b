"""Cases survive JSON unchanged, so that another process can run them."""

from __future__ import annotations

import json

from opwright.spec.case import Case, case_from_json


def test_a_case_is_the_same_after_json() -> None:
    case = Case(
        "numerics",
        "a=1 b=2x3",
        {"T": "float32"},
        {"a": 1, "b": (2, 3), "c": ()},
        {"k": 1, "s": "x", "n": None},
        {"x": "transposed"},
        ("mask",),
        "large",
        7,
        {"detail": [1, 2]},
    )
    assert case_from_json(json.loads(json.dumps(case.to_json()))) == case
    assert case.id == "numerics/a=1 b=2x3"


def test_defaults_survive_too() -> None:
    case = Case("empty", "-", {}, {})
    assert case_from_json(json.loads(json.dumps(case.to_json()))) == case
