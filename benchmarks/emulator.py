"""How many threads a second the emulator runs: an elementwise kernel, a block reduction with barriers, and the same
elementwise work as a plain C++ loop on one host thread."""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import tempfile
from pathlib import Path

from opwright.emulator.layout import OPWRIGHT_INCLUDE, RUNTIME, RUNTIME_SOURCES, compile_flags
from opwright.emulator.translate import translate

SOURCE = """
#include <chrono>
#include <vector>

__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}

__global__ void block_sum(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int step = 128; step; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (!threadIdx.x) y[blockIdx.x] = s[0];
}

static void scale_all(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = 2 * x[i] + 1;
    asm volatile("" ::: "memory");  // as for the kernel, one element at a time
  }
}

// Iterations a second, the best of some rounds.
template <typename F>
double rate(int n, F run) {
  double best = 0;
  for (int round = 0; round < 7; ++round) {
    const auto started = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    if (n / took.count() > best) best = n / took.count();
  }
  return best;
}

extern "C" void measure(double* rates) {
  const int n = 1 << 23, m = 1 << 21;
  std::vector<float> x(n, 1.0f), y(n);
  rates[0] = rate(n, [&] { scale<<<n / 256, 256>>>(x.data(), y.data(), n); });
  rates[1] = rate(m, [&] { block_sum<<<m / 256, 256>>>(x.data(), y.data()); });
  rates[2] = rate(n, [&] { scale_all(x.data(), y.data(), n); });
}
"""
NAMES = ("elementwise_per_s", "barrier_per_s", "plain_loop_per_s")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        library = ctypes.CDLL(str(build(Path(scratch))))
        rates = (ctypes.c_double * len(NAMES))()
        library.measure(rates)
    figures = dict(zip(NAMES, map(round, rates), strict=True))
    for name, figure in figures.items():
        print(f"{name:20}{figure / 1e6:12.1f} million")
    print(json.dumps(figures))


def build(folder: Path) -> Path:
    """The kernels and the emulator's runtime as one library, without sanitizers."""
    source = folder / "kernels.cpp"
    # The barrier for the optimizer in the plain loop is the host's, not a kernel's.
    barrier = 'asm volatile("" ::: "memory")'
    source.write_text(translate(SOURCE.replace(barrier, "BARRIER"), "kernels.cu"))
    library = folder / "libkernels.so"
    subprocess.run(
        [
            *(
                "g++",
                "-std=c++17",
                "-O2",
                "-fPIC",
                "-shared",
                f"-I{RUNTIME}",
                f"-DBARRIER={barrier}",
            ),
            *compile_flags("cuda", 32),
            f"-I{OPWRIGHT_INCLUDE}",
            *map(str, (source, *RUNTIME_SOURCES)),
            *("-lpthread", "-ldl", "-o", str(library)),
        ],
        check=True,
    )
    return library


if __name__ == "__main__":
    main()
