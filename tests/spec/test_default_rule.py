from __future__ import annotations

from opwright.spec.default_rule import reduction_limit


def test_sums_are_allowed_more_the_longer_they_are_and_half_types_sum_in_float32() -> None:
    assert reduction_limit("float32", 1, 1.0) == 0.0
    assert reduction_limit("float32", 400, 1.0) == 2 * reduction_limit("float32", 100, 1.0)
    assert reduction_limit("bfloat16", 100, 3.0) == reduction_limit("float32", 100, 3.0)
