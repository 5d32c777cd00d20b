from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from opwright.measure.comparable import why_not_comparable
from opwright.records.measurement import (
    Estimate,
    Measurement,
    OperatorMeasurement,
    Row,
    read_measurement,
    write_measurement,
)

ENVIRONMENT = {
    "machine": "x86_64",
    "cpu": "Some Processor",
    "cpus": 2,
    "python": "3.11.2",
    "torch": "2.13.0",
    "threads": 2,
    "gpus": ["Some GPU"],
    "torch_cuda": "13.0",
    "torch_hip": "",
    "platform": "Linux",
}
POLICY = {"governor": "performance"}
ROW = Row(
    subject="operator",
    case="typical",
    sizes={"n": 1024, "shape": (2, 3)},
    dtypes={"x": "float32"},
    scalars={"alpha": 0.5},
    timer="events",
    cache="cold",
    series=(),
    estimate=Estimate(1.0, 0.9, 1.1, 30, 0),
)


def measured(row: Row = ROW, target: str = "cpu", **changed: Any) -> Measurement:
    operator = OperatorMeasurement(
        name="swish",
        schema="",
        implementation="generated",
        location="",
        target=target,
        label="",
        artifact={},
        checked="",
        rows=(row,),
    )
    machine = {"policy": changed.pop("policy", POLICY)}
    return Measurement("0.1", "bench", "", {**ENVIRONMENT, **changed}, machine, (operator,))


def reasons(before: Measurement, after: Measurement) -> list[str]:
    rows = [each.operators[0].rows[0] for each in (before, after)]
    return why_not_comparable(before, after, rows[0], rows[1])


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90"])
def test_equal_circumstances_may_be_compared_whatever_was_measured(target: str) -> None:
    other = replace(ROW, estimate=Estimate(2.0, 1.9, 2.1, 60, 3), subject="reference")
    assert reasons(measured(target=target), measured(other, target=target)) == []


CHANGES = {
    "machine": ("aarch64", "architecture: x86_64 before, aarch64 after"),
    "cpu": ("Other", "processor: Some Processor before, Other after"),
    "cpus": (64, "usable processors: 2 before, 64 after"),
    "python": ("3.12.1", "python: 3.11.2 before, 3.12.1 after"),
    "torch": ("2.14.0", "torch: 2.13.0 before, 2.14.0 after"),
    "threads": (1, "threads of torch: 2 before, 1 after"),
    "policy": ({}, "clocks policy: {'governor': 'performance'} before, {} after"),
}


@pytest.mark.parametrize("fact", CHANGES)
def test_each_circumstance_that_differs_is_told(fact: str) -> None:
    value, told = CHANGES[fact]
    assert reasons(measured(), measured(**{fact: value})) == [told]


ROW_CHANGES = {
    "timer": ("host", "timer: events before, host after"),
    "cache": ("warm", "cache state: cold before, warm after"),
    "sizes": ({"n": 1}, "sizes: {'n': 1024, 'shape': [2, 3]} before, {'n': 1} after"),
    "dtypes": ({"x": "float16"}, "dtypes: {'x': 'float32'} before, {'x': 'float16'} after"),
    "scalars": ({"alpha": 1}, "scalars: {'alpha': 0.5} before, {'alpha': 1} after"),
}


@pytest.mark.parametrize("fact", ROW_CHANGES)
def test_each_difference_of_the_rows_is_told(fact: str) -> None:
    value, told = ROW_CHANGES[fact]
    assert reasons(measured(), measured(replace(ROW, **{fact: value}))) == [told]


def test_another_gpu_counts_where_the_gpu_was_measured() -> None:
    gpus = ["Other GPU"]
    assert reasons(measured(), measured(gpus=gpus)) == []
    told = reasons(measured(target="cuda:sm_90"), measured(target="cuda:sm_90", gpus=gpus))
    assert told == ["GPUs: ['Some GPU'] before, ['Other GPU'] after"]


def test_another_target_is_told() -> None:
    told = reasons(measured(), measured(target="cuda:sm_90"))
    assert told == ["target: cpu before, cuda:sm_90 after"]


def test_what_was_not_written_down_is_told_and_not_taken_as_equal() -> None:
    told = reasons(measured(torch=None), measured(torch=None, cpu=None))
    assert told == ["processor: not known after", "torch: not known before and after"]


def test_a_row_that_is_in_no_record_has_no_target() -> None:
    assert why_not_comparable(measured(), measured(), ROW, replace(ROW)) == [
        "target: not known after"
    ]


def test_a_record_that_went_through_a_file_is_still_the_same(tmp_path) -> None:
    before = measured()
    write_measurement(before, tmp_path / "before.json")
    assert reasons(before, read_measurement(tmp_path / "before.json")) == []
