"""Standards and judgement in one step."""

from __future__ import annotations

from typing import Any

from opwright import Tolerance
from opwright.judge import Comparison, judge, set_standards


def compare(
    actual: Any,
    reference: Any,
    oracle: Any,
    tolerance: Tolerance | None = None,
    *,
    reduction_length: int = 1,
    **judging: Any,
) -> Comparison:
    """What the judge says of ``actual``."""
    standards = set_standards(reference, oracle, tolerance, reduction_length=reduction_length)
    return judge(actual, standards, **judging)
