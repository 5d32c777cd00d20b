"""What an output is, before its values count."""

from __future__ import annotations

import re

import pytest
import torch

from opwright.judge.structure import compare_structure

EXPECTED = torch.zeros(2, 3)


def kinds(actual: object, expected: object = EXPECTED, **keywords: object) -> list[str]:
    return [reason.kind for reason in compare_structure(actual, expected, **keywords)]


def test_the_same_structure_gives_no_reason() -> None:
    assert kinds(torch.ones(2, 3)) == []
    assert kinds(None, ()) == []
    assert kinds([torch.ones(2, 3), torch.ones(1)], (EXPECTED, torch.zeros(1))) == []


@pytest.mark.parametrize(
    "actual, kind, words",
    [
        (torch.zeros(1, 3), "shape", r"shape \[1, 3\], expected \[2, 3\]"),
        (torch.zeros(2, 3, 1), "shape", "expected"),
        (torch.zeros(2, 3).double(), "dtype", "torch.float64, expected torch.float32"),
        (torch.zeros(2, 3, device="meta"), "device", "device meta, expected cpu"),
        (torch.zeros(2, 3).to_sparse(), "layout", "sparse_coo"),
        (None, "outputs", "0 outputs, expected 1"),
        ((EXPECTED, EXPECTED), "outputs", "2 outputs, expected 1"),
        (1.0, "outputs", "a float, expected a tensor"),
    ],
)
def test_each_difference_is_a_reason_of_its_kind(actual: object, kind: str, words: str) -> None:
    (reason,) = compare_structure(actual, EXPECTED)
    assert reason.kind == kind
    assert re.search(words, reason.message)


def test_all_differences_of_an_output_are_told_by_its_name() -> None:
    reasons = compare_structure(
        (EXPECTED, torch.zeros(4, dtype=torch.int32)),
        (EXPECTED, torch.zeros(5)),
        names=("y", "count"),
    )
    assert [(reason.kind, reason.output) for reason in reasons] == [("shape", 1), ("dtype", 1)]
    assert all(reason.message.startswith("count: ") for reason in reasons)


def test_the_device_can_be_another_than_the_references() -> None:
    assert kinds(torch.zeros(2, 3, device="meta"), device="meta") == []
    assert kinds(torch.zeros(2, 3), device="meta") == ["device"]


def test_strides_count_where_they_are_expected_and_address_something() -> None:
    transposed = torch.zeros(3, 2).t()
    assert kinds(transposed) == []
    assert kinds(transposed, strides=[(3, 1)]) == ["strides"]
    assert kinds(transposed, strides=[(1, 2)]) == []
    one_row = torch.zeros(3, 1).t()
    assert kinds(one_row, torch.zeros(1, 3), strides=[(3, 1)]) == []
    assert kinds(torch.zeros(0, 3).t(), torch.zeros(3, 0), strides=[(7, 7)]) == []
