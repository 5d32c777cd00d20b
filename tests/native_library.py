"""Compiles a piece of C++ that uses Opwright's headers, and loads it with ctypes."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

import opwright

PACKAGE_DIR = Path(opwright.__path__[0])
INCLUDE_DIR = PACKAGE_DIR / "include"
OPS_DIR = PACKAGE_DIR / "ops"

# The flags of a fast build, and those of a build for any x86-64 without optimisation of loops.
FLAG_SETS = {"native": ("-O3", "-march=native"), "plain": ("-O2",)}
# For fixtures: what is compiled with one of them is used in one test process, and compiled once.
EACH_FLAG_SET = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in FLAG_SETS]

# Stands in for the generated binding: `pieces` threads, started anew for each call.
PARALLEL_FOR = """
#include <opwright/parallel.h>
#include <thread>
#include <vector>

extern "C" int64_t pieces;
int64_t pieces = 2;
extern "C" void opwright_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                      void (*f)(int64_t, int64_t, void*), void* context) {
  int64_t length = (end - begin + pieces - 1) / pieces;
  if (length < grain) length = grain;
  std::vector<std::thread> threads;
  for (int64_t at = begin; at < end; at += length)
    threads.emplace_back(f, at, at + length < end ? at + length : end, context);
  for (auto& thread : threads) thread.join();
}
"""


def compile_library(
    folder: Path, source: str, flags: tuple[str, ...], *, parallel_for: bool = True
) -> ctypes.CDLL:
    """Compile ``source`` into a shared library below ``folder`` with warnings as errors; load it."""
    text = (PARALLEL_FOR if parallel_for else "") + source
    path = folder / "source.cpp"
    path.write_text(text)
    library = folder / "library.so"
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    shared = ("-fPIC", "-shared", "-pthread")
    run = subprocess.run(
        ["g++", "-std=c++17", *warnings, *shared, *flags, f"-I{INCLUDE_DIR}", path, "-o", library],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return ctypes.CDLL(str(library))
