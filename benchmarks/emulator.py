"""Rates of the emulator, without sanitizers, and how long a whole check on the emulated target takes.

A thread-iteration is one pass of a device thread through its loop: one element read and used.
``elementwise_per_s`` is of a kernel with a thread an element; ``barrier_per_s`` of a block reduction in
which 256 threads sum a row of 1024 elements and meet at 10 barriers; ``plain_loop_per_s`` of the same
elementwise work as a C++ loop on one host thread. ``check_seconds`` is the wall time of
``opwright check bias_gelu --target emulated`` from an empty store, for waves of 32 and of 64 lanes.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from opwright.emulator.layout import (
    INCLUDE,
    OPWRIGHT_INCLUDE,
    RUNTIME,
    RUNTIME_SOURCES,
    SPELLING_HEADERS,
)
from opwright.emulator.translate import translate

SOURCE = """
#include <chrono>
#include <vector>

__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}

__global__ void row_sum(const float* x, float* y, int columns) {
  __shared__ float s[256];
  float sum = 0;
  for (int j = threadIdx.x; j < columns; j += 256) sum += x[blockIdx.x * columns + j];
  s[threadIdx.x] = sum;
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
  const int n = 1 << 23, columns = 1024;
  std::vector<float> x(n, 1.0f), y(n);
  rates[0] = rate(n, [&] { scale<<<n / 256, 256>>>(x.data(), y.data(), n); });
  rates[1] = rate(n, [&] { row_sum<<<n / columns, 256>>>(x.data(), y.data(), columns); });
  rates[2] = rate(n, [&] { scale_all(x.data(), y.data(), n); });
}
"""
NAMES = ("elementwise_per_s", "barrier_per_s", "plain_loop_per_s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates-only", action="store_true", help="leave the whole check out")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        library = ctypes.CDLL(str(build(Path(scratch))))
        rates = (ctypes.c_double * len(NAMES))()
        library.measure(rates)
        figures.update(zip(NAMES, map(round, rates), strict=True))
        for name, figure in figures.items():
            print(f"{name:20}{figure / 1e6:12.1f} million")
        if not options.rates_only:
            figures["check_seconds"] = round(check_seconds(Path(scratch) / "store"), 1)
            print(f"{'check_seconds':20}{figures['check_seconds']:12.1f}")
    print(json.dumps(figures))


def check_seconds(store: Path) -> float:
    """Wall time of the whole command, which has to find nothing."""
    command = ["-m", "opwright", "check", "bias_gelu", "--target", "emulated", "--quiet"]
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "OPWRIGHT_STORE": str(store)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"the check ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return time.perf_counter() - started


def build(folder: Path) -> Path:
    """The kernels and the emulator's runtime as one library, without sanitizers."""
    source = folder / "kernels.cpp"
    # The barrier for the optimizer in the plain loop is the host's, not a kernel's.
    barrier = 'asm volatile("" ::: "memory")'
    source.write_text(translate(SOURCE.replace(barrier, "BARRIER"), "kernels.cu"))
    library = folder / "libkernels.so"
    front = ("g++", "-std=c++17", "-O2", "-fPIC", "-shared", f"-DBARRIER={barrier}")
    folders = [f"-I{each}" for each in (INCLUDE, OPWRIGHT_INCLUDE, RUNTIME)]
    flags = ("-DOPWRIGHT_WAVE_SIZE=32", *folders, "-include", SPELLING_HEADERS["cuda"])
    sources = map(str, (source, *RUNTIME_SOURCES))
    back = ("-lpthread", "-ldl", "-o", str(library))
    subprocess.run([*front, *flags, *sources, *back], check=True)
    return library


if __name__ == "__main__":
    main()
