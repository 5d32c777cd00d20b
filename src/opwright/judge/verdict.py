"""What the judge found, as plain data: figures, reasons and whether the output passed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reason:
    """One thing that is wrong with one output.

    ``kind`` is ``"outputs"``, ``"shape"``, ``"dtype"``, ``"device"``, ``"layout"`` or ``"strides"``
    (structure), ``"nan"`` or ``"infinity"`` (class mismatch), ``"accuracy"``, ``"value"`` (exact
    dtypes), or ``"tolerance"``: only the declared tolerance is missed, and the operator is as good
    as its reference. ``count`` elements are concerned, the first (for accuracy: the worst) of them
    at ``index``.
    """

    kind: str
    message: str
    output: int = 0
    count: int = 0
    index: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Comparison:
    """The judgement of all outputs of one call.

    ``figures`` are those of the worst output, ``outputs`` those of each; see
    `opwright.judge.figures` for their names. ``notes`` are facts that fail nothing.
    """

    passed: bool
    reasons: tuple[Reason, ...] = ()
    figures: dict[str, float] = field(default_factory=dict)
    outputs: tuple[dict[str, float], ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; infinities and NaN become strings."""
        return {
            "passed": self.passed,
            "reasons": [plain(vars(reason)) for reason in self.reasons],
            "figures": plain(self.figures),
            "outputs": plain(self.outputs),
            "notes": list(self.notes),
        }


def plain(value: Any) -> Any:
    """``value`` with tuples as lists and numbers that JSON has not as ``"inf"``, ``"-inf"``, ``"nan"``."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value
