"""What an operator is called in a report: by its name, and by its target where there are several of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from opwright.records.run import OperatorRecord


def titled(operators: Iterable[OperatorRecord]) -> list[tuple[str, OperatorRecord]]:
    """Each operator with its title: ``swish``, or ``swish on emulated:wave64`` beside one on wave32."""
    found = list(operators)
    often = Counter(operator.name for operator in found)
    return [
        (f"{each.name} on {each.target}" if often[each.name] > 1 else each.name, each)
        for each in found
    ]
