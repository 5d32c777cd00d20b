"""Operators that several tests of bindings share; each is built once for a binding."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from operator_folder import make_operator
from opwright.errors import OpwrightError
from opwright.operator import Operator

# All tests of a binding run in one test process, which builds its operators once.
STABLE = pytest.param("stable", marks=pytest.mark.xdist_group("stable binding"))
ATEN = pytest.param("aten", marks=[pytest.mark.slow, pytest.mark.xdist_group("aten binding")])

CONTRACT = """
contract = Operator(
    'contract(Tensor(a!) out, Tensor x, Tensor bias, Tensor index, Tensor lead, Tensor mid, '
    'Tensor? mask=None, int k=1, float eps=0.5, float? gain=None, str mode="soft") -> (Tensor(a!), Tensor)',
    inputs={
        "out": Tensor(rows, cols, layout="strided"),
        "x": Tensor(rows, cols),
        "bias": Tensor(cols, layout="copy"),
        "index": Tensor(rows, dtype=("int32", "int64")),
        "lead": Tensor(batch, cols, layout="strided"),
        "mid": Tensor(2, batch, "cols * k"),
        "mask": Tensor(rows, cols, dtype="bool"),
    },
    outputs=Tensor(rows, "cols + k - 1"),
    dtypes=("float32", "bfloat16"),
    scalars={
        "k": Scalar(1, 2, minimum=1, maximum=8),
        "eps": Scalar(0.5, minimum=0, maximum=1),
        "gain": Scalar(2.0, None, maximum=1e3),
        "mode": Scalar("soft", "hard"),
    },
    constraints=("k <= cols",),
    reference=lambda out, x, bias, index, lead, mid, mask=None, k=1, eps=0.5, gain=None, mode="soft": x,
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
)
"""
CONTRACT_KERNEL = """
template <typename T, typename T_index>
void contract(opwright::View<T, 2> out, opwright::View<const T, 2> x, opwright::View<const T, 1> bias,
              opwright::View<const T_index, 1> index, opwright::View<const T, 2> lead,
              opwright::View<const T, 3> mid, opwright::View<const bool, 2> mask, int64_t k, double eps,
              opwright::Optional<double> gain, const char* mode, opwright::View<T, 2> output) {
  for (int64_t r = 0; r < out.size(0); ++r)
    for (int64_t c = 0; c < out.size(1); ++c) out(r, c) = x(r, c);
  for (int64_t i = 0; i < output.numel(); ++i) output.data[i] = T(1.0f);
}
"""

SCALARS = """
scalars = Operator(
    "scalars(Tensor x, int i, float f, bool b, str s, int? oi=None, float? of=None, bool? ob=None, "
    "str? os=None, *, int kw=7) -> Tensor",
    inputs={"x": Tensor(dtype="float64")},
    outputs=Tensor(12, dtype="float64"),
    scalars={
        "i": Scalar(1, -3), "f": Scalar(0.5), "b": Scalar(True, False), "s": Scalar("abc", ""),
        "os": Scalar(None, "xy"),
    },
    reference=lambda x, i, f, b, s, oi=None, of=None, ob=None, os=None, *, kw=7: x,
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
)
"""
SCALARS_KERNEL = """
#include <cstring>
void scalars(opwright::View<const double, 0> x, int64_t i, double f, bool b, const char* s,
             opwright::Optional<int64_t> oi, opwright::Optional<double> of, opwright::Optional<bool> ob,
             const char* os, int64_t kw, opwright::View<double, 1> output) {
  const double values[12] = {
      x(), double(i), f, double(b), double(std::strlen(s)), double(kw),
      oi ? double(*oi) : -1, of ? *of : -1, ob ? double(*ob) : -1, os ? double(std::strlen(os)) : -1,
      double(oi.value_or(40)), of.value_or(0.25)};
  for (int j = 0; j < 12; ++j) output(j) = values[j];
}
"""

SPREAD = """
spread = Operator(
    "spread(Tensor(a!) x, Tensor? y=None) -> (Tensor low, Tensor high)",
    inputs={"x": Tensor(batch), "y": Tensor(batch)},
    outputs=(Tensor(batch), Tensor(dtype="float64")),
    dtypes=("float32", "int32"),
    reference=lambda x, y=None: (x, x),
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
)
"""
SPREAD_KERNEL = """
template <typename T>
void spread(opwright::View<T, 1> x, opwright::View<const T, 1> y, opwright::View<T, 1> low,
            opwright::View<double, 0> high) {
  double sum = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    low(i) = x(i) - (y ? y(i) : T(0));
    sum += double(x(i));
    x(i) = x(i) + T(1);
  }
  high() = sum;
}
"""

STRIDES = """
strides = Operator(
    "strides(Tensor x, Tensor(a!) seen) -> ()",
    inputs={"x": Tensor(batch, cols, layout="strided"), "seen": Tensor(4, dtype="int64")},
    dtypes=("float32",),
    reference=lambda x, seen: None,
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
)
"""
STRIDES_KERNEL = """
template <typename T>
void strides(opwright::View<const T, 2> x, opwright::View<int64_t, 1> seen) {
  for (int d = 0; d < 2; ++d) { seen(d) = x.size(d); seen(2 + d) = x.stride(d); }
}
"""

THROWS = """
throws = Operator(
    "throws(Tensor x, str how) -> Tensor",
    inputs={"x": Tensor(rows)},
    dtypes=("int64",),
    scalars={"how": Scalar("nothing", "kernel error", "runtime error", "parallel", "int")},
    reference=lambda x, how: x,
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
)
"""
THROWS_KERNEL = """
#include <cstring>
#include <stdexcept>
#include <string>
template <typename T>
void throws(opwright::View<const T, 1> x, const char* how, opwright::View<T, 1> output) {
  if (!std::strcmp(how, "kernel error")) throw opwright::KernelError("the kernel refuses");
  if (!std::strcmp(how, "runtime error")) throw std::runtime_error("made of " + std::string("parts"));
  if (!std::strcmp(how, "int")) throw 3;
  int64_t pieces = 0;
  opwright::parallel_for(0, x.numel(), 1, [&](int64_t begin, int64_t end) {
    if (!std::strcmp(how, "parallel")) throw opwright::KernelError("a piece refuses");
    __atomic_fetch_add(&pieces, 1, __ATOMIC_RELAXED);
    for (int64_t i = begin; i < end; ++i) output(i) = x(i);
  });
  output(0) = pieces;
}
"""
ALL = {
    "contract": (CONTRACT, CONTRACT_KERNEL),
    "scalars": (SCALARS, SCALARS_KERNEL),
    "spread": (SPREAD, SPREAD_KERNEL),
    "strides": (STRIDES, STRIDES_KERNEL),
    "throws": (THROWS, THROWS_KERNEL),
}


class Operators:
    """The shared operators by name, described once in a session and built when first asked for."""

    def __init__(self, folder: Path, binding: str) -> None:
        self._folder = folder
        self.binding = binding
        self._made: dict[str, Operator | OpwrightError] = {}

    def __getattr__(self, name: str) -> Operator:
        if name not in self._made:
            description, kernel = ALL[name]
            try:
                made = make_operator(self._folder / name, description, kernel)
                self._made[name] = made.load(binding=self.binding)
            except OpwrightError as error:
                self._made[name] = error  # not built again for every test
        made_or_error = self._made[name]
        if isinstance(made_or_error, OpwrightError):
            raise made_or_error
        return made_or_error


@pytest.fixture(scope="session")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Operators]:
    """The shared operators of a binding."""
    return cache(lambda binding: Operators(tmp_path_factory.mktemp(f"ops-{binding}"), binding))


@pytest.fixture(scope="session", params=[STABLE, ATEN])
def ops(request: pytest.FixtureRequest, bound: Callable[[str], Operators]) -> Operators:
    """Bound in each of the two ways."""
    return bound(request.param)


@pytest.fixture(scope="session", params=[STABLE])
def stable_ops(request: pytest.FixtureRequest, bound: Callable[[str], Operators]) -> Operators:
    """Bound through the stable C ABI."""
    return bound(request.param)
