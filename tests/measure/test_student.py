from __future__ import annotations

import pytest

from opwright.measure.student import student_quantile

# Two-sided values of printed tables.
TABLE = {
    (0.99, 1): 63.657,
    (0.99, 4): 4.604,
    (0.99, 6): 3.707,
    (0.95, 2): 4.303,
    (0.95, 10): 2.228,
    (0.999, 8): 5.041,
    (0.99, 1e9): 2.576,
}


@pytest.mark.parametrize("confidence, freedom", TABLE)
def test_the_quantile_is_that_of_the_tables(confidence: float, freedom: float) -> None:
    found = student_quantile(confidence, freedom)
    assert found == pytest.approx(TABLE[confidence, freedom], abs=1e-3)


def test_degrees_between_whole_ones_lie_between() -> None:
    assert student_quantile(0.99, 5) > student_quantile(0.99, 5.5) > student_quantile(0.99, 6)
