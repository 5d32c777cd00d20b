"""The shipped CPU kernels that work along rows, and the transpose, against PyTorch in float64."""

from __future__ import annotations

import ctypes

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
NAMES = ("row_softmax", "rms_norm", "layer_norm", "swish_backward", "transpose")
FOLDERS = {"swish_backward": "swish"}
SHIM = """
#define MATRIX(T, data) {{data, {{rows, columns}}, {{columns, 1}}}}
#define VECTOR(T, data) {{data, {{columns}}, {{1}}}}
#define EXPORT(name, T) \\
  extern "C" void name##_row_softmax(const T* x, T* y, int64_t rows, int64_t columns) {{ \\
    row_softmax<T>(MATRIX(T, x), MATRIX(T, y)); \\
  }} \\
  extern "C" void name##_rms_norm(const T* x, const T* weight, T* y, int64_t rows, \\
                                  int64_t columns) {{ \\
    rms_norm<T>(MATRIX(T, x), VECTOR(T, weight), 1e-6, MATRIX(T, y)); \\
  }} \\
  extern "C" void name##_layer_norm(const T* x, const T* weight, const T* bias, T* y, \\
                                    int64_t rows, int64_t columns) {{ \\
    layer_norm<T>(MATRIX(T, x), VECTOR(T, weight), VECTOR(T, bias), 1e-5, MATRIX(T, y)); \\
  }} \\
  extern "C" void name##_swish_backward(const T* grad, const T* x, T* y, int64_t columns) {{ \\
    swish_backward<T>(VECTOR(T, grad), VECTOR(T, x), VECTOR(T, y)); \\
  }} \\
  extern "C" void name##_transpose(const T* x, T* y, int64_t rows, int64_t columns) {{ \\
    transpose<T>(MATRIX(T, x), {{y, {{columns, rows}}, {{rows, 1}}}}); \\
  }}
"""
# Relative to the largest result of a row, and one rounding for the 16-bit types.
TOLERANCE = {
    torch.float32: 2e-6,
    torch.float64: 1e-14,
    torch.bfloat16: 2**-8,
    torch.float16: 2**-11,
}
SIZES = [(0, 8), (1, 1), (3, 15), (3, 16), (3, 17), (7_001, 20), (77, 1024), (1, 100_003)]
of_every_dtype = pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
of_many_sizes = pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: "x".join(map(str, sizes)))


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def kernels(request, tmp_path_factory) -> ctypes.CDLL:
    includes = "".join(
        f'#include "{OPS_DIR}/{FOLDERS.get(name, name)}/{name}.cpp"\n' for name in NAMES
    )
    exports = "".join(f"EXPORT({str(d)[6:]}, {name})\n" for d, name in ELEMENT_TYPES.items())
    source = includes + SHIM.format() + exports
    return compile_library(tmp_path_factory.mktemp("rows"), source, FLAG_SETS[request.param])


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def run(kernels: ctypes.CDLL, name: str, output: torch.Tensor, *inputs: torch.Tensor) -> None:
    """Call a kernel with its tensors, and the sizes of the last input but vectors'."""
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (*inputs, output)]
    sizes = [ctypes.c_int64(size) for size in inputs[0].shape]
    getattr(kernels, f"{str(output.dtype)[6:]}_{name}")(*pointers, *sizes)


def made(kernels: ctypes.CDLL, name: str, *inputs: torch.Tensor) -> torch.Tensor:
    output = torch.full_like(inputs[0], float("nan"))
    run(kernels, name, output, *inputs)
    return output


def assert_near(actual: torch.Tensor, oracle: torch.Tensor) -> None:
    if not actual.numel():
        return
    tolerance = TOLERANCE[actual.dtype]
    largest = oracle.abs().amax(-1, keepdim=True)
    assert ((actual.double() - oracle).abs() <= tolerance * largest).all()


@of_many_sizes
@of_every_dtype
def test_softmax_is_that_of_torch(kernels, dtype, sizes):
    x = (5 * torch.randn(sizes)).to(dtype)
    assert_near(made(kernels, "row_softmax", x), torch.softmax(x.double(), -1))


def test_softmax_does_not_overflow(kernels):
    x = torch.tensor([[1e30, 1e30, -1e30]])
    assert made(kernels, "row_softmax", x).tolist() == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize("special", [float("nan"), float("inf")])
def test_softmax_of_a_row_without_an_answer_is_nan(kernels, special):
    x = torch.randn(1, 40)
    x[0, 33] = special
    assert made(kernels, "row_softmax", x).isnan().all()


@of_many_sizes
@of_every_dtype
def test_rms_norm_is_that_of_torch(kernels, dtype, sizes):
    x, weight = torch.randn(sizes).to(dtype), torch.randn(sizes[1]).to(dtype)
    oracle = F.rms_norm(x.double(), weight.shape, weight.double(), 1e-6)
    assert_near(made(kernels, "rms_norm", x, weight), oracle)


@of_many_sizes
@of_every_dtype
def test_layer_norm_is_that_of_torch(kernels, dtype, sizes):
    x = torch.randn(sizes).to(dtype)
    weight, bias = torch.randn(2, sizes[1]).to(dtype)
    oracle = F.layer_norm(x.double(), weight.shape, weight.double(), bias.double(), 1e-5)
    assert_near(made(kernels, "layer_norm", x, weight, bias), oracle)


def test_the_variance_does_not_cancel_where_the_mean_is_large(kernels):
    x, weight = 4096 + torch.randn(3, 1024), torch.ones(1024)
    oracle = F.layer_norm(x.double(), (1024,), eps=1e-5)
    actual = made(kernels, "layer_norm", x, weight, torch.zeros(1024))
    assert (actual.double() - oracle).abs().max() < 5e-4


@pytest.mark.parametrize("count", [0, 1, 31, 4099, 100_003])
@of_every_dtype
def test_the_gradient_of_swish_is_that_of_torch(kernels, dtype, count):
    grad, x = torch.randn(count).to(dtype), (4 * torch.randn(count)).to(dtype)
    oracle = torch.ops.aten.silu_backward(grad.double(), x.double())
    assert_near(made(kernels, "swish_backward", grad, x), oracle)


@pytest.mark.parametrize("sizes", [(0, 3), (1, 1), (31, 33), (32, 32), (65, 100), (1, 5000)])
@of_every_dtype
def test_a_transpose_moves_every_element(kernels, dtype, sizes):
    x = torch.arange(sizes[0] * sizes[1]).view(sizes).to(dtype)
    output = torch.full(sizes[::-1], float("nan"), dtype=dtype)
    run(kernels, "transpose", output, x)
    assert torch.equal(output, x.t())
