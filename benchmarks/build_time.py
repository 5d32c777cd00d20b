"""Cold build and cached load of bias_gelu: Opwright's generated binding against a hand-written extension.

The other side is ``torch.utils.cpp_extension.load`` on a pybind11 extension with the same kernel file
and the same compiler flags, built by the same ninja on the same machine in the same run. Cold builds
start from an empty store (an empty build directory) in a process that has imported torch. Cached
loads are timed in fresh processes, from the import of torch on, the two sides in turn. Of the loads
the median and the least are shown: what else the machine does only ever adds to a few milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# What both hand-written extensions share: views of tensors, checks, dispatch over dtypes.
EXTENSION = """
template <typename T>
opwright::View<T, 2> matrix(T* data, int64_t rows, int64_t hidden) {
  opwright::View<T, 2> view;
  view.data = data;
  view.sizes[0] = rows, view.sizes[1] = hidden, view.strides[0] = hidden, view.strides[1] = 1;
  return view;
}

template <typename T, typename Scalar>
void launch(const at::Tensor& input, const at::Tensor& bias, const std::string& approximate,
            at::Tensor& output) {
  const int64_t hidden = input.size(-1), rows = hidden ? input.numel() / hidden : 0;
  opwright::View<const T, 1> b;
  b.data = static_cast<const T*>(bias.const_data_ptr());
  b.sizes[0] = hidden, b.strides[0] = 1;
  bias_gelu<T>(matrix(static_cast<const T*>(input.const_data_ptr()), rows, hidden), b,
               approximate.c_str(), matrix(static_cast<T*>(output.mutable_data_ptr()), rows, hidden)
               STREAM);
}

at::Tensor forward(at::Tensor input, at::Tensor bias, const std::string& approximate) {
  TORCH_CHECK(input.is_contiguous() && bias.is_contiguous(), "input and bias have to be contiguous");
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == input.size(-1), "bias has to match the last dimension");
  TORCH_CHECK(bias.scalar_type() == input.scalar_type(), "bias has to have the dtype of input");
  at::Tensor output = at::empty_like(input);
  switch (input.scalar_type()) {
    case at::kFloat: launch<float, float>(input, bias, approximate, output); break;
    case at::kDouble: launch<double, double>(input, bias, approximate, output); break;
    case at::kHalf: launch<opwright::float16, at::Half>(input, bias, approximate, output); break;
    case at::kBFloat16: launch<opwright::bfloat16, at::BFloat16>(input, bias, approximate, output); break;
    default: TORCH_CHECK(false, "unsupported dtype");
  }
  return output;
}
"""
MODULE = """
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
"""
# One file for the CPU; for CUDA two, as tutorials have it: the module, and what launches the kernel.
FILES = {
    "cpu": {
        "bias_gelu_pybind.cpp": """
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include "bias_gelu.cpp"

extern "C" void opwright_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                      void (*f)(int64_t, int64_t, void*), void* context) {
  at::parallel_for(begin, end, grain, [&](int64_t from, int64_t to) { f(from, to, context); });
}
""" + EXTENSION.replace("STREAM", "") + MODULE,
    },
    "cuda": {
        "bias_gelu_pybind.cpp": """
#include <torch/extension.h>

at::Tensor forward(at::Tensor input, at::Tensor bias, const std::string& approximate);
""" + MODULE,
        "bias_gelu_kernel.cu": """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include "bias_gelu.cu"
""" + EXTENSION.replace("STREAM", ", at::cuda::getCurrentCUDAStream().stream()"),
    },
}  # fmt: skip

# Each runs in a process of its own and prints seconds. torch is imported before the clock starts.
OURS = """
import sys, time, torch
target = sys.argv[1]
x, b = torch.randn(4, 8, device=target), torch.randn(8, device=target)
started = time.perf_counter()
import opwright
op = opwright.load("bias_gelu", target=target)
seconds = time.perf_counter() - started
assert torch.allclose(op(x, b), torch.nn.functional.gelu(x + b, approximate="tanh"), atol=1e-6)
print(seconds)
"""
TORCHS = """
import os, sys, time, torch
target = sys.argv[1]
x, b = torch.randn(4, 8, device=target), torch.randn(8, device=target)
started = time.perf_counter()
from torch.utils.cpp_extension import load
folder, files, includes = sys.argv[2], sys.argv[3].split(os.pathsep), sys.argv[4].split(os.pathsep)
flags, cuda_flags = sys.argv[5].split(), sys.argv[6].split()
module = load("bias_gelu_pybind", [f"{folder}/{name}" for name in files], build_directory=folder + "/build",
              extra_cflags=flags, extra_cuda_cflags=cuda_flags, extra_include_paths=includes)
seconds = time.perf_counter() - started
expected = torch.nn.functional.gelu(x + b, approximate="tanh")
assert torch.allclose(module.forward(x, b, "tanh"), expected, atol=1e-6)
print(seconds)
"""
# As Opwright compiles device code, less its search paths and output files.
CUDA_FLAGS = ("-O3", "-DNDEBUG", "--expt-relaxed-constexpr")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--builds", type=int, default=2, help="cold builds of each side (default 2)"
    )
    parser.add_argument(
        "--loads", type=int, default=9, help="cached loads of each side (default 9)"
    )
    parser.add_argument("--target", choices=sorted(FILES), default="cpu", help="default cpu")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(Path(scratch), options.target, options.builds, options.loads)
    print_table(figures)
    print(json.dumps(figures))


def measure(scratch: Path, target: str, builds: int, loads: int) -> dict[str, float]:
    """Build both sides in turn, then load both in turn; seconds and milliseconds by name."""
    import opwright

    package = Path(opwright.__file__).parent
    flags, cuda_flags = compile_flags(), CUDA_FLAGS
    files = FILES[target]
    includes = [str(package / "include"), str(package / "ops" / "bias_gelu")]
    ours_cold, torchs_cold = [], []
    for turn in range(builds):
        store, folder = scratch / f"store{turn}", scratch / f"torch{turn}"
        (folder / "build").mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        listed = [os.pathsep.join(files), os.pathsep.join(includes)]
        theirs = [target, str(folder), *listed, " ".join(flags), " ".join(cuda_flags)]
        ours_cold.append(seconds_of(OURS, store, target))
        say(f"cold build {turn + 1}: opwright {ours_cold[-1]:.2f} s")
        torchs_cold.append(seconds_of(TORCHS, store, *theirs))
        say(f"cold build {turn + 1}: cpp_extension.load {torchs_cold[-1]:.2f} s")
    ours_cached, torchs_cached = [], []
    for _ in range(loads):
        ours_cached.append(seconds_of(OURS, store, target))
        torchs_cached.append(seconds_of(TORCHS, store, *theirs))
    ours, torchs = statistics.median(ours_cold), statistics.median(torchs_cold)
    return {
        "cold_build_s": round(ours, 3),
        "torch_cold_build_s": round(torchs, 3),
        "cold_build_ratio": round(torchs / ours, 2),
        "cached_load_ms": round(1e3 * statistics.median(ours_cached), 2),
        "torch_cached_load_ms": round(1e3 * statistics.median(torchs_cached), 2),
        "cached_load_least_ms": round(1e3 * min(ours_cached), 2),
        "torch_cached_load_least_ms": round(1e3 * min(torchs_cached), 2),
    }


def compile_flags() -> list[str]:
    """The flags with which Opwright compiles the kernel, less its search paths and output files."""
    from opwright.discovery import find_one
    from opwright.session.building import request_for
    from opwright.spec.target import Target
    from opwright.toolchain import cpu
    from opwright.toolchain.base import Job, Step

    request = request_for(find_one("bias_gelu").spec, Target("cpu"))
    assert request is not None
    driver = cpu.find_driver(os.environ)
    job = Job(request, cpu.find_tools(driver, os.environ), os.environ)
    step = Step("kernel.cpp", Path("kernel.cpp"), Path("kernel.o"), Path("kernel.d"))
    words = cpu.compile_command(job, step)[len(driver) :]
    return [
        word
        for word in words
        if word.startswith(("-O", "-m", "-f", "-std", "-D")) and "kernel" not in word
    ]


def seconds_of(program: str, store: Path, *arguments: str) -> float:
    """Run ``program`` in a fresh process, as a user has it; what it prints last is a number of seconds."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["OPWRIGHT_STORE"] = str(store)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"a measured process failed:\n{done.stdout}{done.stderr}")
    return float(done.stdout.split()[-1])


def print_table(figures: dict[str, float]) -> None:
    rows = [
        ("", "opwright", "cpp_extension.load", "ratio"),
        ("cold build, s", figures["cold_build_s"], figures["torch_cold_build_s"], figures["cold_build_ratio"]),
        *(_loads(figures, *names) for names in (("median", "load"), ("least", "load_least"))),
    ]  # fmt: skip
    for label, *cells in rows:
        say(f"{label:38}" + "".join(f"{cell!s:>20}" for cell in cells))


def _loads(figures: dict[str, float], which: str, name: str) -> tuple[str, float, float, float]:
    ours, torchs = figures[f"cached_{name}_ms"], figures[f"torch_cached_{name}_ms"]
    return f"cached load, {which}, ms", ours, torchs, round(torchs / ours, 2)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
