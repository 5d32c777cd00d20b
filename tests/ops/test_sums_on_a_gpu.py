"""Sums down the columns on a GPU: by pairs of blocks, by shares of the rows, and by single blocks."""

from __future__ import annotations

import pytest
import torch

from opwright import load

pytestmark = pytest.mark.cuda

# Pairs fill an H200 where there are 119 to 132 blocks of 8, 16 or 32 runs of 16 bytes, and two shares.
SIZES = [
    *((rows, columns) for rows in (128, 301, 5000) for columns in (2048, 4096, 4092, 8192)),
    (5000, 1024),
    (100, 4096),
    (128, 1000),
    (70_000, 64),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_sums_are_those_of_all_rows_and_the_same_each_time(
    sizes: tuple[int, int], dtype: torch.dtype
) -> None:
    backward = load("bias_gelu:bias_gelu_backward", target="cuda")
    generator = torch.Generator("cuda").manual_seed(0)
    grad, x = (torch.randn(sizes, generator=generator, device="cuda").to(dtype) for _ in range(2))
    bias = torch.randn(sizes[1], generator=generator, device="cuda").to(dtype)
    of_input, of_bias = backward(grad, x, bias, "tanh")
    wide = x.double() + bias.double()
    expected = torch.ops.aten.gelu_backward(grad.double(), wide, approximate="tanh")
    epsilon = torch.finfo(dtype).eps
    torch.testing.assert_close(of_input.double(), expected, rtol=4 * epsilon, atol=1e-5)
    summed, magnitude = expected.sum(0), expected.abs().sum(0)
    assert ((of_bias.double() - summed).abs() <= epsilon * summed.abs() + 1e-5 * magnitude).all()
    for _ in range(3):
        assert torch.equal(backward(grad, x, bias, "tanh")[1], of_bias)
