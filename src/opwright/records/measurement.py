"""Everything one run of measurements saw, as versioned JSON: raw samples, and what was made of them."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from opwright.errors import RecordError
from opwright.records.json_file import write_json

MEASUREMENT_VERSION = 1
MEASUREMENT_KIND = "measurement"

# faster and slower: the whole interval of the ratio lies beyond the bound of what counts as the same.
RatioVerdict = Literal["faster", "slower", "same", "cannot tell", "not comparable"]
RATIO_VERDICTS: tuple[RatioVerdict, ...] = get_args(RatioVerdict)


@dataclass(frozen=True)
class Series:
    """What one fresh process measured of one subject: every sample, in the order in which it was taken.

    ``stopped`` says why there are no more: the interval was narrow enough, or a limit came first.
    """

    process: int
    times_us: tuple[float, ...]
    warmup_calls: int
    stopped: str


@dataclass(frozen=True)
class Estimate:
    """The median of all samples in microseconds, with its confidence interval, and what lies far off."""

    median_us: float
    low_us: float
    high_us: float
    samples: int
    outliers: int


@dataclass(frozen=True)
class Row:
    """One subject on one case: what was called, how it was timed, and what came of it.

    ``subject`` is ``operator``, or what it is measured against. ``cache`` is the state of the last level
    before each sample. ``unreliable`` says why the samples do not describe the machine at rest, empty where
    nothing speaks against them. ``memory_bytes``, ``roofline``, ``device`` and ``accuracy`` hold figures by
    name, the last those of the first result that was judged. ``layouts`` are those of arguments that are not
    dense from the start of their memory.
    """

    subject: str
    case: str
    sizes: dict[str, Any]
    dtypes: dict[str, str]
    scalars: dict[str, Any]
    timer: str
    cache: str
    series: tuple[Series, ...]
    estimate: Estimate
    unreliable: tuple[str, ...] = ()
    rechecked: int = 0
    memory_bytes: dict[str, int] = field(default_factory=dict)
    roofline: dict[str, Any] = field(default_factory=dict)
    device: dict[str, Any] = field(default_factory=dict)
    accuracy: dict[str, float] = field(default_factory=dict)
    layouts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RatioRecord:
    """A subject's time over another's on the same case, in pairs: below 1 the first is faster.

    ``low`` and ``high`` bound the ratio with the confidence that ``reason`` names. ``whole_model`` is how many
    times as fast a model becomes that spends ``share_percent`` of its time in the other, where that is asked.
    """

    subject: str
    against: str
    case: str
    verdict: RatioVerdict
    reason: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    processes: int = 0
    share_percent: float | None = None
    whole_model: float | None = None


@dataclass(frozen=True)
class Stage:
    """A step on the way of a program that starts: how long it took, in each of several fresh processes."""

    name: str
    times_us: tuple[float, ...]


@dataclass(frozen=True)
class OperatorRatios:
    """The ratios of one operator's rows in two measurements: the time after over the time before."""

    name: str
    ratios: tuple[RatioRecord, ...]


@dataclass(frozen=True)
class OperatorMeasurement:
    """One operator on one target: which binary was timed, what is known of its checks, and every row."""

    name: str
    schema: str
    implementation: str
    location: str
    target: str
    label: str
    artifact: dict[str, Any]
    checked: str
    rows: tuple[Row, ...] = ()
    ratios: tuple[RatioRecord, ...] = ()
    stages: tuple[Stage, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """One run over any number of operators. ``machine`` is its state before and after."""

    opwright: str
    command: str
    started_at: str
    environment: dict[str, Any]
    machine: dict[str, Any]
    operators: tuple[OperatorMeasurement, ...]
    version: int = MEASUREMENT_VERSION
    kind: str = field(default=MEASUREMENT_KIND, init=False)


def write_measurement(measurement: Measurement, path: Path) -> None:
    """Write it, whole or not at all; an end of an interval that is open is null. Raises `RecordError`."""
    write_json(path, asdict(measurement))


def read_measurement(path: Path) -> Measurement:
    """The measurement in a file. Raises `RecordError` for anything else, and for other versions."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        kind, version = plain["kind"], plain["version"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RecordError(
            f"{path} is not a measurement: {error}", hint="Make one with opwright bench --json."
        ) from error
    if (kind, version) != (MEASUREMENT_KIND, MEASUREMENT_VERSION):
        raise RecordError(
            f"{path} is a {kind} record of version {version}; this reads a measurement of version "
            f"{MEASUREMENT_VERSION}",
            hint="Make one with opwright bench --json.",
        )
    fields = {k: v for k, v in plain.items() if k != "kind"}
    try:
        return Measurement(**{**fields, "operators": tuple(map(_operator, plain["operators"]))})
    except (TypeError, KeyError, ValueError) as error:
        raise RecordError(
            f"{path} is not a whole measurement: {error}", hint="Run opwright bench again."
        ) from error


def _operator(plain: dict[str, Any]) -> OperatorMeasurement:
    rows = tuple(map(_row, plain["rows"]))
    ratios = tuple(map(_ratio, plain["ratios"]))
    stages = tuple(Stage(item["name"], tuple(item["times_us"])) for item in plain["stages"])
    return OperatorMeasurement(**{**plain, "rows": rows, "ratios": ratios, "stages": stages})


def _row(plain: dict[str, Any]) -> Row:
    series = tuple(map(_series, plain["series"]))
    estimate = Estimate(**_with_open_end(plain["estimate"], "high_us"))
    unreliable = tuple(plain["unreliable"])
    return Row(**{**plain, "series": series, "estimate": estimate, "unreliable": unreliable})


def _series(plain: dict[str, Any]) -> Series:
    times_us = tuple(plain["times_us"])
    if not all(isinstance(time, (int, float)) and 0 <= time < math.inf for time in times_us):
        raise ValueError("a sample is no time")
    return Series(**{**plain, "times_us": times_us})


def _ratio(plain: dict[str, Any]) -> RatioRecord:
    return RatioRecord(**(plain if plain["ratio"] is None else _with_open_end(plain, "high")))


def _with_open_end(plain: dict[str, Any], name: str) -> dict[str, Any]:
    return {**plain, name: math.inf} if plain[name] is None else plain
