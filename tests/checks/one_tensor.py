"""Descriptions of one-tensor operators, and subjects of them in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opwright import Dim, Operator, Tensor
from opwright.checks.protocol import Subject
from opwright.spec.operator import OperatorSpec

ROWS = Dim("rows", typical=(4,), edge=(0, 1, 3))
COLUMNS = Dim("columns", typical=(64,), edge=(0, 1, 5))


def described(reference: Callable[..., Any], **fields: Any) -> OperatorSpec:
    """An operator of (rows, columns); ``fields`` replace what is said of it otherwise."""
    plain: dict[str, Any] = {
        "schema": "one(Tensor input) -> Tensor",
        "inputs": {"input": Tensor(ROWS, COLUMNS)},
        "dtypes": ("float32", "bfloat16"),
        **fields,
    }
    return Operator(**plain, reference=reference, function=reference).spec


def subject(function: Callable[..., Any], reference: Callable[..., Any], **fields: Any) -> Subject:
    """The function, called as it is, under the description that its reference makes."""
    return Subject(described(reference, **fields), function)
