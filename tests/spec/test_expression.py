"""Sizes as expressions: one text, three meanings."""

from __future__ import annotations

import pytest

from opwright import Dim
from opwright.errors import SpecError
from opwright.spec.expression import Expression

rows, cols = Dim("rows"), Dim("cols")
KNOWN = {"rows": 7, "cols": 3}


@pytest.mark.parametrize(
    "made, value",
    [
        (rows + 1, 8), (1 + rows, 8), (rows - cols, 4), (10 - rows, 3), (rows * cols, 21), (2 * rows, 14),
        (rows // 2, 3), (rows % cols, 1), ((rows + 1) * 2, 16), (2 * (rows + cols), 20), (rows - (cols - 1), 5),
        ((rows - cols) - 1, 3), ((rows + 1) // 2 * 2, 8), (rows * "cols + 1", 28), ((rows + cols) % 4, 2),
    ],
)  # fmt: skip
def test_dims_are_reckoned_with_as_numbers_are(made: Expression, value: int) -> None:
    assert isinstance(made, Expression)
    assert made.evaluate(KNOWN) == value


def test_names_come_in_order_and_once() -> None:
    assert Expression("cols + rows * cols").names == ("cols", "rows")


def test_a_comparison_is_a_condition() -> None:
    assert Expression("1 < rows <= 7").evaluate(KNOWN) is True
    assert Expression("rows == cols").evaluate(KNOWN) is False
    assert Expression("rows < 2").is_condition
    assert not Expression("rows - 2").is_condition


def test_division_by_zero_has_no_value() -> None:
    assert Expression("rows // (cols - 3)").evaluate(KNOWN) is None


@pytest.mark.parametrize(
    "text",
    [
        "rows ** 2",
        "-rows",
        "rows and cols",
        "f(rows)",
        "rows.x",
        "rows[0]",
        "1.5",
        "True",
        "rows if cols else 1",
        "rows in cols",
        "'a'",
        "b'a'",
        "rows / 2",
        "lambda: 1",
        "(rows, cols)",
    ],
)
def test_what_has_no_meaning_in_cpp_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="cannot be used in a size or a constraint"):
        Expression(text)
