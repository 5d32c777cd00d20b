"""The shipped CPU kernels against PyTorch, through a shim in place of the generated binding."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 -- its usual name

from native_library import EACH_FLAG_SET, FLAG_SETS, OPS_DIR, compile_library

ELEMENT_TYPES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.bfloat16: "opwright::bfloat16",
    torch.float16: "opwright::float16",
}
SHIM = """
#include "{ops}/bias_gelu/bias_gelu.cpp"
#include "{ops}/swish/swish.cpp"
#include "{ops}/add2/add2.cpp"
#define EXPORT(name, T) \\
  extern "C" bool name##_bias_gelu(const T* x, const T* bias, const char* approximate, T* output, \\
                                   int64_t rows, int64_t hidden, int64_t row_stride) {{ \\
    try {{ \\
      bias_gelu<T>({{x, {{rows, hidden}}, {{row_stride, 1}}}}, {{bias, {{hidden}}, {{1}}}}, \\
                   approximate, {{output, {{rows, hidden}}, {{hidden, 1}}}}); \\
      return true; \\
    }} catch (const opwright::KernelError&) {{ \\
      return false; \\
    }} \\
  }} \\
  extern "C" void name##_swish(const T* input, T* output, int64_t count) {{ \\
    swish<T>({{input, {{count}}, {{1}}}}, {{output, {{count}}, {{1}}}}); \\
  }} \\
  extern "C" void name##_add2(const T* a, const T* b, T* output, int64_t count) {{ \\
    add2<T>({{a, {{count}}, {{1}}}}, {{b, {{count}}, {{1}}}}, {{output, {{count}}, {{1}}}}); \\
  }}
"""
# Relative. One rounding for the 16-bit types; for the others enough to show a wrong constant or a
# dropped term (GELU's tail multiplies the rounding of its argument): their accuracy is tested apart.
TOLERANCE = {
    torch.float32: 1e-5,
    torch.float64: 1e-13,
    torch.bfloat16: 2**-8,
    torch.float16: 2**-11,
}
COUNTS = (0, 1, 3, 31, 257, 4099, 100_003)


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def kernels(request, tmp_path_factory) -> ctypes.CDLL:
    exports = "".join(f"EXPORT({str(d)[6:]}, {name})\n" for d, name in ELEMENT_TYPES.items())
    source = SHIM.format(ops=OPS_DIR) + exports
    library = compile_library(tmp_path_factory.mktemp("ops"), source, FLAG_SETS[request.param])
    for dtype in ELEMENT_TYPES:
        function(library, dtype, "bias_gelu").restype = ctypes.c_bool
    return library


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def function(library: ctypes.CDLL, dtype: torch.dtype, name: str) -> Callable[..., bool | None]:
    return getattr(library, f"{str(dtype)[6:]}_{name}")


def pointer(tensor: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())


def size(value: int) -> ctypes.c_int64:
    return ctypes.c_int64(value)


def poisoned(*sizes: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.full(sizes, float("nan"), dtype=dtype)


def assert_rounded_once(actual: torch.Tensor, oracle: torch.Tensor) -> None:
    """The oracle, computed in float64 from the same inputs, up to one rounding (and float's error)."""
    tolerance = TOLERANCE[actual.dtype]
    nothing = 8 * torch.finfo(actual.dtype).tiny
    torch.testing.assert_close(actual.double(), oracle, rtol=tolerance, atol=nothing)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_swish_is_x_times_sigmoid(kernels, dtype, count):
    x = (4 * torch.randn(count)).to(dtype)
    output = poisoned(count, dtype=dtype)
    function(kernels, dtype, "swish")(pointer(x), pointer(output), size(count))
    assert_rounded_once(output, x.double() * torch.sigmoid(x.double()))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_add2_writes_the_sum_as_torch_rounds_it(kernels, dtype, count):
    a, b = torch.randn(count).to(dtype), torch.randn(count).to(dtype)
    output = poisoned(count, dtype=dtype)
    function(kernels, dtype, "add2")(pointer(a), pointer(b), pointer(output), size(count))
    assert torch.equal(output, a + b)


def test_add2_may_write_into_an_input(kernels):
    a, b = torch.randn(100_003), torch.randn(100_003)
    expected = a + b
    function(kernels, a.dtype, "add2")(pointer(a), pointer(b), pointer(a), size(a.numel()))
    assert torch.equal(a, expected)


@pytest.mark.parametrize("approximate", ["tanh", "none"])
@pytest.mark.parametrize(
    "sizes", [(0, 8), (8, 0), (1, 1), (3, 255), (1, 100_003), (70_001, 1), (77, 1024)]
)
@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_bias_gelu_adds_and_activates(kernels, dtype, sizes, approximate):
    x, bias = (2 * torch.randn(sizes)).to(dtype), torch.randn(sizes[1]).to(dtype)
    output = run_bias_gelu(kernels, x, bias, approximate)
    total = x.double() + bias.double()
    if dtype == torch.float32:
        total = (x + bias).double()
    assert_rounded_once(output, gelu_oracle(total, approximate))


def test_bias_gelu_honours_the_stride_between_rows(kernels):
    x, bias = torch.randn(40, 3000)[:, 7:2500], torch.randn(2493)
    output = run_bias_gelu(kernels, x, bias, "tanh")
    assert_rounded_once(output, gelu_oracle((x + bias).double(), "tanh"))


def test_bias_gelu_refuses_another_approximation(kernels):
    x, bias = torch.zeros(1, 1), torch.zeros(1)
    output = poisoned(1, 1, dtype=torch.float32)
    ok = function(kernels, torch.float32, "bias_gelu")(
        pointer(x), pointer(bias), b"sigmoid", pointer(output), size(1), size(1), size(1)
    )
    assert not ok


@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_special_values_are_those_of_torch(kernels, dtype):
    infinity, nan = float("inf"), float("nan")
    x = torch.tensor([infinity, -infinity, nan, 0.0, -0.0, 300.0, -300.0]).to(dtype).repeat(9)
    swish = poisoned(63, dtype=dtype)
    function(kernels, dtype, "swish")(pointer(x), pointer(swish), size(63))
    assert_same_bits(swish, F.silu(x))
    for approximate in ("tanh", "none"):
        output = run_bias_gelu(kernels, x[None], torch.zeros(63, dtype=dtype) * -1, approximate)
        # torch gives +0 for -300 where its vectorised code runs and -0 elsewhere: both are right.
        # Its code for AVX-512 gives NaN for infinity, which is not.
        expected = F.gelu(x, approximate=approximate).where(x != infinity, x)
        torch.testing.assert_close(output[0], expected, rtol=0, atol=0, equal_nan=True)


def run_bias_gelu(kernels, x, bias, approximate) -> torch.Tensor:
    rows, hidden = x.shape
    output = poisoned(rows, hidden, dtype=x.dtype)
    function(kernels, x.dtype, "bias_gelu")(
        pointer(x), pointer(bias), approximate.encode(), pointer(output),
        size(rows), size(hidden), size(x.stride(0)),
    )  # fmt: skip
    return output


def gelu_oracle(x: torch.Tensor, approximate: str) -> torch.Tensor:
    """GELU in float64 without the cancellation near -8 that torch's own formula has."""
    if approximate == "none":
        return 0.5 * x * torch.special.erfc(x * -(0.5**0.5))
    u = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
    return x * torch.sigmoid(2 * u)


def assert_same_bits(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)
    number = ~expected.isnan()  # the sign of NaN means nothing
    assert torch.equal(actual[number].signbit(), expected[number].signbit())
