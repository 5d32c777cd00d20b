"""What carries the description of an operator, whatever else it can do."""

from __future__ import annotations

from typing import Protocol

from opwright.spec.operator import OperatorSpec


class Described(Protocol):
    """What discovery finds."""

    spec: OperatorSpec
