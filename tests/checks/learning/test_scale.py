"""Scale: an error of 1 % in a whole gradient shows where no element shows it."""

from __future__ import annotations

import pytest
import torch

from opwright.checks.learning.scale import scale_of
from opwright.judge import set_standards


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_one_percent_is_told_in_every_dtype_and_rounding_is_not(dtype: torch.dtype) -> None:
    exact = torch.randn(4096, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    rounded = exact.to(dtype)
    (standard,) = set_standards(rounded, exact)
    right, wrong = scale_of(rounded, standard), scale_of((exact * 1.01).to(dtype), standard)
    assert right is not None
    assert wrong is not None
    assert not right.is_wrong
    assert wrong.is_wrong
    assert wrong.found == pytest.approx(1.01, abs=1e-3)


def test_a_gradient_of_zeros_has_no_scale() -> None:
    zeros = torch.zeros(8)
    (standard,) = set_standards(zeros, zeros.double())
    assert scale_of(zeros, standard) is None
