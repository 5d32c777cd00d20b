"""What a clock around a call has measured, with and without waiting for the device before and after."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from opwright.records.json_file import write_json

TIMING_VERSION = 1


@dataclass(frozen=True)
class Span:
    """Something on a lane of the timeline (``host``, ``stream``), in microseconds since its beginning."""

    lane: str
    name: str
    begin_us: float
    end_us: float


@dataclass(frozen=True)
class Combination:
    """One way of timing: whether it waits for the device ``before`` and ``after`` the call, and what that shows.

    ``spans`` are those of the last sample, ``clock_us`` says where in them the clock ran.
    """

    before: bool
    after: bool
    measured: str
    times_us: tuple[float, ...]
    clock_us: tuple[float, float]
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Timing:
    """The four ways on one call of one operator. ``device_us`` is the call's own time on the device, if it has one."""

    operator: str
    target: str
    label: str
    case: str
    earlier_us: float
    combinations: tuple[Combination, ...]
    device_us: float | None = None
    spans_from: str = ""
    version: int = TIMING_VERSION
    kind: str = field(default="timing", init=False)


def write_timing(timing: Timing, path: Path) -> None:
    """Write it, whole or not at all. Raises `RecordError` when the place cannot be written."""
    write_json(path, asdict(timing))
