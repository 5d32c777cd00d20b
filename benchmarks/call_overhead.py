"""What a call costs beside the kernel: 8 float32 elements on the CPU, one thread, Opwright against hand-written.

The hand-written side is a pybind11 module with the same two kernels and the same compiler flags: called
bare, and through the ``torch.autograd.Function`` that one writes around it. Beside both stands PyTorch's
own operator, `torch.nn.functional.silu`. Opwright's side is called as `op(x)`. All are timed in one
process, in turn, many times; medians are shown.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from build_time import compile_flags

KERNELS = """
#include <opwright/kernel.h>

template <typename T>
void smooth(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  opwright::map(output, [](auto x) { return opwright::silu(x); }, input);
}

template <typename T>
void smooth_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> input,
                     opwright::View<T, 1> grad_input) {
  opwright::map(
      grad_input,
      [](auto g, auto x) {
        const auto s = opwright::sigmoid(x);
        return g * s * (1 + x * (1 - s));
      },
      grad_output, input);
}
"""
OPERATOR = """
import torch
from opwright import Backward, Operator, Shape, Tensor

smooth = Operator(
    "smooth(Tensor input) -> Tensor",
    inputs={"input": Tensor(Shape("shape"), layout="copy")},
    dtypes=("float32",),
    reference=torch.nn.functional.silu,
    sources={"cpu": "smooth.cpp"},
    backward=Backward(
        "smooth_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        sources={"cpu": "smooth.cpp"},
    ),
)
"""
PYBIND = """
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include "smooth.cpp"

extern "C" void opwright_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                      void (*f)(int64_t, int64_t, void*), void* context) {
  at::parallel_for(begin, end, grain, [&](int64_t from, int64_t to) { f(from, to, context); });
}

template <typename T>
opwright::View<T, 1> flat(T* data, int64_t size) {
  opwright::View<T, 1> view;
  view.data = data, view.sizes[0] = size, view.strides[0] = 1;
  return view;
}

void check(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.device().is_cpu(), "expected a tensor on the CPU");
  TORCH_CHECK(tensor.scalar_type() == at::kFloat, "expected float32");
}

at::Tensor forward(at::Tensor input) {
  check(input);
  input = input.contiguous();
  at::Tensor output = at::empty_like(input);
  smooth<float>(flat(input.const_data_ptr<float>(), input.numel()),
                flat(output.mutable_data_ptr<float>(), output.numel()));
  return output;
}

at::Tensor backward(at::Tensor grad_output, at::Tensor input) {
  check(grad_output), check(input);
  TORCH_CHECK(grad_output.sizes() == input.sizes(), "expected a gradient of the input's sizes");
  grad_output = grad_output.contiguous(), input = input.contiguous();
  at::Tensor grad_input = at::empty_like(input);
  smooth_backward<float>(flat(grad_output.const_data_ptr<float>(), input.numel()),
                         flat(input.const_data_ptr<float>(), input.numel()),
                         flat(grad_input.mutable_data_ptr<float>(), input.numel()));
  return grad_input;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
  m.def("backward", &backward);
}
"""
ELEMENTS = 8
# Our time as a multiple of theirs, at most.
LIMITS = {"forward": 3.0, "forward + backward": 1.0, "forward to PyTorch's": 1.6}
Call = Callable[[], Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=41, help="times that each is timed (41)")
    parser.add_argument("--calls", type=int, default=2000, help="calls in each of them (2000)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        ours, module = build(Path(scratch))
        figures = measure(calls_of(ours, module), options.repeats, options.calls)
    print_table(figures)
    print(json.dumps(figures))


def build(scratch: Path) -> tuple[Any, Any]:
    """Opwright's operator and the hand-written module, of the same kernels."""
    from torch.utils.cpp_extension import load

    import opwright

    (scratch / "smooth.cpp").write_text(KERNELS)
    (scratch / "op.py").write_text(OPERATOR)
    (scratch / "smooth_pybind.cpp").write_text(PYBIND)
    (scratch / "build").mkdir()
    module = load(
        "smooth_pybind",
        [str(scratch / "smooth_pybind.cpp")],
        build_directory=str(scratch / "build"),
        extra_cflags=compile_flags(),
        extra_include_paths=[str(Path(opwright.__file__).parent / "include"), str(scratch)],
    )
    return opwright.load(str(scratch)), module


def hand_written(module: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    class Smooth(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, input: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(input)
            return module.forward(input)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, grad_output: torch.Tensor) -> torch.Tensor:
            return module.backward(grad_output, *ctx.saved_tensors)

    return Smooth.apply


def calls_of(ours: Any, module: Any) -> dict[str, Call]:
    """What is timed, by name; both sides have been called once and agree."""
    x, grad = torch.randn(ELEMENTS), torch.randn(ELEMENTS)
    leaf = x.clone().requires_grad_()
    theirs = hand_written(module)

    def learn(function: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        leaf.grad = None
        function(leaf).backward(grad)
        return leaf.grad

    torch.testing.assert_close(ours(x), module.forward(x))
    torch.testing.assert_close(learn(ours), learn(theirs))
    return {
        "bare pybind11, forward": lambda: module.forward(x),
        "opwright, forward": lambda: ours(x),
        "PyTorch's silu, forward": lambda: torch.nn.functional.silu(x),
        "pybind11 + autograd.Function, forward": lambda: theirs(x),
        "pybind11 + autograd.Function, forward + backward": lambda: learn(theirs),
        "opwright, forward + backward": lambda: learn(ours),
    }


def measure(calls: dict[str, Call], repeats: int, count: int) -> dict[str, float]:
    """The median time of a call in microseconds by name, and the ratios that are asked for."""
    times_us: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        timeit.timeit(call, number=count)
    for _ in range(repeats):
        for name, call in calls.items():
            times_us[name].append(timeit.timeit(call, number=count) / count * 1e6)
    figures = {f"{name}, us": round(statistics.median(t), 3) for name, t in times_us.items()}
    rivals = {
        "forward": ("forward", "bare pybind11"),
        "forward + backward": ("forward + backward", "pybind11 + autograd.Function"),
        "forward to PyTorch's": ("forward", "PyTorch's silu"),
    }
    for name, (what, theirs) in rivals.items():
        ratio = figures[f"opwright, {what}, us"] / figures[f"{theirs}, {what}, us"]
        figures[f"{name}, ratio"] = round(ratio, 3)
    return figures


def print_table(figures: dict[str, float]) -> None:
    for name, value in figures.items():
        limit = LIMITS.get(name.removesuffix(", ratio"))
        say(f"{name:56}{value:>10.3f}" + (f"  (at most {limit})" if limit else ""))


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
