"""Views index by strides, convert to read-only ones, and tell an absent tensor from an empty one."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from native_library import INCLUDE_DIR, compile_library

pytestmark = pytest.mark.xdist_group("view")  # one library is compiled for all

SOURCE = """
#include <opwright/kernel.h>
using opwright::Optional;
using opwright::View;

extern "C" double at(double* data, int64_t i, int64_t j, int64_t row_stride, int64_t stride) {
  View<double, 2> view{data, {4, 3}, {row_stride, stride}};
  View<const double, 2> read_only = view;
  return view.size(0) == 4 && read_only.stride(1) == stride ? read_only(i, j) : -1;
}
extern "C" int64_t numel() {
  double value = 5;
  View<double, 0> scalar{&value};
  View<double, 3> empty{nullptr, {4, 0, 3}, {0, 0, 0}};
  return scalar() == 5 ? 10 * scalar.numel() + empty.numel() : -1;
}
extern "C" int presence() {
  View<float, 1> empty{nullptr, {0}, {1}};
  View<const float, 1> absent = View<float, 1>::absent();
  Optional<int64_t> none, three{3, true};
  return (empty ? 1 : 0) + (absent ? 2 : 0) + (none ? 4 : 0) + (*three == 3 ? 8 : 0) +
         (none.value_or(7) == 7 ? 16 : 0);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    return compile_library(tmp_path_factory.mktemp("view"), SOURCE, ("-O2",))


@pytest.mark.parametrize("strides", [(3, 1), (1, 4), (5, 2), (0, 1)])
def test_element_is_found_by_strides(library, strides):
    data = (ctypes.c_double * 30)(*range(30))
    library.at.restype = ctypes.c_double
    for i in range(4):
        for j in range(3):
            arguments = [ctypes.c_int64(n) for n in (i, j, *strides)]
            assert library.at(data, *arguments) == i * strides[0] + j * strides[1]


def test_number_of_elements_of_a_scalar_is_one_and_of_an_empty_tensor_zero(library):
    assert library.numel() == 10


def test_empty_tensor_is_present_and_none_is_not(library):
    assert library.presence() == 1 + 8 + 16


@pytest.mark.parametrize(
    "body",
    [
        "View<float, 1> v = View<const float, 1>();",
        "View<double, 1> v = View<float, 1>();",
        "View<float, 2> v{}; v(1);",
        "bool b = View<float, 1>();",
        "opwright::bfloat16 x = 1.0f;",
    ],
)
def test_misuse_does_not_compile(tmp_path, body):
    assert compiles(tmp_path, "View<const float, 1> v = View<float, 1>(); (void)v;")
    assert not compiles(tmp_path, body)


def compiles(folder: Path, body: str) -> bool:
    source = folder / "misuse.cpp"
    source.write_text(
        f"#include <opwright/kernel.h>\nusing opwright::View;\nvoid f() {{ {body} }}\n"
    )
    command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{INCLUDE_DIR}", source]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
