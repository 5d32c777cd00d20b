"""Forms in which gradients come in: each has the layout that it is called by."""

from __future__ import annotations

import torch

from opwright.checks.learning.incoming import formed, forms

GRAD = torch.randn(2, 4, 6, 8)
STRIDES = {
    "of a sum": (0, 0, 0, 0),
    "zeros": (192, 48, 8, 1),
    "expanded": (0, 48, 8, 1),
    "expanded inside": (24, 6, 1, 0),
    "transposed": (192, 48, 1, 6),
    "a slice": (384, 96, 16, 2),
    "offset": (192, 48, 8, 1),
    "rows of a wider one": (264, 66, 11, 1),
    "channels last": (192, 1, 32, 4),
}


def test_each_form_has_its_strides() -> None:
    assert {form: formed(GRAD, form).stride() for form in forms(GRAD.shape)} == STRIDES


def test_forms_that_keep_the_values_keep_them() -> None:
    for form in (
        "transposed",
        "a slice",
        "offset",
        "rows of a wider one",
        "channels last",
        "dense",
    ):
        assert torch.equal(formed(GRAD, form), GRAD), form


def test_one_dimension_cannot_be_transposed() -> None:
    assert "transposed" not in forms((4,))
    assert "a slice" in forms((4,))
