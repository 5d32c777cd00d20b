"""Whether two records may be compared: an absolute time means little away from where it was taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opwright.records.measurement import Measurement, Row
from opwright.spec.target import DEVICE_TYPES

# The environment's facts that a time depends on, and what to call them.
_FACTS = {
    "machine": "architecture",
    "cpu": "processor",
    "cpus": "usable processors",
    "python": "python",
    "torch": "torch",
    "threads": "threads of torch",
}
_GPU_FACTS = {"gpus": "GPUs", "torch_cuda": "CUDA of torch", "torch_hip": "HIP of torch"}
_ROW_FACTS = {
    "timer": "timer",
    "cache": "cache state",
    "sizes": "sizes",
    "dtypes": "dtypes",
    "scalars": "scalars",
}
_HOST_TARGETS = tuple(kind for kind, type_ in DEVICE_TYPES.items() if type_ == "cpu")


def why_not_comparable(
    before: Measurement, after: Measurement, row_before: Row, row_after: Row
) -> list[str]:
    """What differs, or was not written down, so that a ratio of both rows would mean something else.

    A sentence each, empty for nothing. The clocks policy is ``machine["policy"]``, whatever it holds; two
    machines that both tell none are taken as equal in it. Samples of different records are never pairs:
    see `opwright.measure.statistics.ratio_of_independent`.
    """
    targets = [_target(before, row_before), _target(after, row_after)]
    on_host = all((target or "").partition(":")[0] in _HOST_TARGETS for target in targets)
    facts = _FACTS if on_host else {**_FACTS, **_GPU_FACTS}
    return [
        *_difference("target", *targets),
        *(
            told
            for name, word in facts.items()
            for told in _difference(word, before.environment.get(name), after.environment.get(name))
        ),
        *_difference(
            "clocks policy", before.machine.get("policy", ""), after.machine.get("policy", "")
        ),
        *(
            told
            for name, word in _ROW_FACTS.items()
            for told in _difference(word, getattr(row_before, name), getattr(row_after, name))
        ),
    ]


def _target(measurement: Measurement, row: Row) -> str | None:
    for operator in measurement.operators:
        if any(row is own for own in operator.rows):
            return operator.target
    return None


def _difference(word: str, before: Any, after: Any) -> Iterator[str]:
    if before is None or after is None:
        sides = [name for name, value in (("before", before), ("after", after)) if value is None]
        yield f"{word}: not known {' and '.join(sides)}"
    elif _plain(before) != _plain(after):
        yield f"{word}: {_plain(before)} before, {_plain(after)} after"


def _plain(value: Any) -> Any:
    """With tuples as the lists that they become in a file."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value
