from __future__ import annotations

import pytest
import torch

from opwright import Dim, Shape, Tensor
from opwright.inputs.layouts import LAYOUTS, OFFSETS, OVERLAPPING, can_lay_out, is_covered, lay_out

IMAGE = torch.arange(120, dtype=torch.float32).view(2, 3, 4, 5)
ROWS, COLUMNS, BATCH = Dim("rows"), Dim("columns"), Shape("batch")


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in OVERLAPPING])
def test_a_layout_keeps_shape_and_values(layout: str) -> None:
    laid_out = lay_out(IMAGE, layout)
    assert torch.equal(laid_out, IMAGE)
    assert laid_out.is_contiguous() == (layout in OFFSETS)


@pytest.mark.parametrize("layout", sorted(OVERLAPPING))
def test_an_overlapping_layout_repeats_elements_by_a_stride_of_zero(layout: str) -> None:
    laid_out = lay_out(IMAGE, layout)
    assert laid_out.shape == IMAGE.shape
    assert 0 in laid_out.stride()


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.bfloat16, torch.complex64])
def test_every_dtype_can_be_laid_out(dtype: torch.dtype) -> None:
    dense = (IMAGE > 60).to(dtype)
    for layout in LAYOUTS:
        assert lay_out(dense, layout).dtype == dtype


def test_what_lies_beside_a_view_is_not_what_lies_in_it() -> None:
    zeros = torch.zeros(4, 4)
    for layout in ("offset 3", "step 2", "padded rows", "every second row"):
        storage = torch.empty(0).set_(lay_out(zeros, layout).untyped_storage())
        assert storage.count_nonzero() > 0


def test_a_layout_that_a_shape_has_no_room_for_leaves_the_tensor_as_it_is() -> None:
    row = torch.ones(3)
    assert not can_lay_out((3,), "transposed")
    assert not can_lay_out((), "step 2")
    assert lay_out(row, "transposed") is row


@pytest.mark.parametrize(
    "described, layout, covered",
    [
        (Tensor(ROWS, COLUMNS), "offset 3", True),
        (Tensor(ROWS, COLUMNS), "transposed", False),
        (Tensor(ROWS, COLUMNS, layout="copy"), "transposed", True),
        (Tensor(ROWS, COLUMNS, layout="strided"), "transposed", True),
    ],
)
def test_a_description_covers_what_its_layout_promises(
    described: Tensor, layout: str, covered: bool
) -> None:
    assert is_covered(described, lay_out(torch.ones(4, 4), layout)) is covered


@pytest.mark.parametrize(
    "layout, covered",
    [
        ("padded rows", True),
        ("step 2", True),
        ("every second row", False),
        ("channels last", False),
    ],
)
def test_a_strided_shape_covers_dimensions_that_can_be_read_as_one(
    layout: str, covered: bool
) -> None:
    described = Tensor(BATCH, COLUMNS, layout="strided")
    assert is_covered(described, lay_out(IMAGE, layout)) is covered


def test_dimensions_of_one_element_have_no_say_in_that() -> None:
    described = Tensor(BATCH, COLUMNS, layout="strided")
    single = torch.ones(4, 1, 3, 5)[:, :, :2]
    assert not is_covered(described, single)
    assert is_covered(described, torch.ones(4, 1, 5).expand(4, 1, 5))
