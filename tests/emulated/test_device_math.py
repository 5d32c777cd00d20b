"""The device's activation functions against float64, and the lengths and roundings of runs."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from emulated.building import Emulated
from emulated.conftest import Load
from emulated.device_loops import function, guarded

pytestmark = pytest.mark.xdist_group("emulator")


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    """By the sigmoid: torch's own formula cancels below 0, in float64 too."""
    return x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


def gelu_erf(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * torch.special.erfc(-x * math.sqrt(0.5))


# The function, and its largest error: relative, and beside that absolute.
ORACLES: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], float, float]] = {
    "sigmoid": (torch.sigmoid, 4e-7, 1e-37),
    "silu": (lambda x: x * torch.sigmoid(x), 4e-7, 1e-36),
    "gelu_tanh": (gelu_tanh, 1.5e-5, 1e-34),  # its argument is up to 90
    "gelu_erf": (gelu_erf, 1e-5, 1e-34),
    "half_exp": (torch.exp, 2e-5, 0),
    "half_sigmoid": (torch.sigmoid, 2e-5, 0),
    "half_silu": (lambda x: x * torch.sigmoid(x), 2e-5, 0),
    "half_gelu_erf": (gelu_erf, 2e-5, 1e-30),
}


@pytest.fixture(scope="module")
def functions(load: Load) -> Emulated:
    return load("device_math.cu")


def called(functions: Emulated, name: str, x: torch.Tensor) -> torch.Tensor:
    y, _ = guarded(x.numel(), dtype=torch.float32)
    function(functions, torch.float32, name)(y, x, x.numel())
    return y


@pytest.mark.parametrize("name", ORACLES)
def test_functions_are_as_near_as_stated(functions: Emulated, name: str) -> None:
    oracle, relative, absolute = ORACLES[name]
    x = torch.linspace(-12, 12, 40_001)
    expected = oracle(x.double())
    torch.testing.assert_close(
        called(functions, name, x).double(), expected, rtol=relative, atol=absolute
    )


@pytest.mark.parametrize("name", ["silu", "gelu_tanh", "gelu_erf", "half_silu", "half_gelu_erf"])
def test_slopes_are_the_derivatives(functions: Emulated, name: str) -> None:
    x = torch.linspace(-12, 12, 40_001)
    point = x.double().requires_grad_()
    (expected,) = torch.autograd.grad(ORACLES[name][0](point).sum(), point)
    slope = called(functions, f"{name}_slope", x).double()
    relative, absolute = (2e-5, 2e-6) if name.startswith("half") else (2e-6, 1e-6)
    torch.testing.assert_close(slope, expected, rtol=relative, atol=absolute)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        *((name, -88.7, -85.0) for name in ("silu", "silu_slope", "half_silu", "half_silu_slope")),
        *((name, -10.05, -9.9) for name in ("gelu_tanh", "gelu_tanh_slope")),
        *((name, -13.3, -12.9) for name in ("gelu_erf", "gelu_erf_slope", "half_gelu_erf_slope")),
    ],
)
def test_normal_numbers_come_of_what_the_units_would_make_0(
    functions: Emulated, name: str, first: float, last: float
) -> None:
    x = torch.linspace(first, last, 4001)
    point = x.double().requires_grad_()
    expected = ORACLES[name.removesuffix("_slope")][0](point)
    if name.endswith("_slope"):
        (expected,) = torch.autograd.grad(expected.sum(), point)
    found = called(functions, name, x).double()
    torch.testing.assert_close(found, expected.detach(), rtol=4e-5, atol=1.2e-38)


@pytest.mark.parametrize("name", ["silu", "gelu_tanh", "gelu_erf"])
def test_large_and_special_values_are_those_of_torch(functions: Emulated, name: str) -> None:
    x = torch.tensor([math.inf, math.nan, 0.0, -0.0, 300.0, -300.0, 3e38, -3e38])
    expected = {"silu": x * (x > 0), "gelu_tanh": x * (x > 0), "gelu_erf": x * (x > 0)}[name]
    torch.testing.assert_close(called(functions, name, x), expected, rtol=0, atol=0, equal_nan=True)
    slopes = called(functions, f"{name}_slope", torch.tensor([200.0, -200.0, math.nan, 0.0]))
    expected = torch.tensor([1.0, 0.0, math.nan, 0.5])
    torch.testing.assert_close(slopes, expected, rtol=0, atol=1e-30, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_numbers_are_rounded_once(functions: Emulated, dtype: torch.dtype) -> None:
    x = torch.cat([torch.randn(4097), torch.tensor([math.inf, -math.inf, 1e30, 1e-30, -0.0])])
    y, _ = guarded(x.numel(), dtype=dtype)
    function(functions, dtype, "rounded")(y, x, x.numel())
    assert torch.equal(y.view(torch.int16), x.to(dtype).view(torch.int16))


def test_a_loop_moves_as_many_elements_of_each_tensor(functions: Emulated) -> None:
    lengths = {"float64": (2, 2), "bfloat16": (8, 4), "float16": (8, 4)}
    for name, (alone, beside) in lengths.items():
        assert getattr(functions.library, f"{name}_length")() == alone
        assert getattr(functions.library, f"{name}_length_beside_float")() == beside
