"""Writes operators to folders and reads them as a user's are read."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from opwright.discovery import find_one
from opwright.operator import Operator

PREAMBLE = """import torch
from opwright import Dim, Extension, Operator, Scalar, Shape, Tensor, Tolerance

rows = Dim("rows", typical=(4, 64), edge=(0, 1, 3))
cols = Dim("cols", typical=(8, 32), edge=(0, 1, 5))
batch = Shape("batch", typical=((4,), (2, 3)), edge=((), (0,)))
"""
KERNEL = "#include <opwright/kernel.h>\n"

DOUBLED = """
op = Operator(
    "{name}(Tensor x) -> Tensor",
    inputs={{"x": Tensor(rows, cols)}},
    dtypes=("float32", "float64"),
    reference=lambda x: 2 * x,
    sources={{"cpu": "kernel.cpp"}},
    compile_flags=("-O0",),
)
"""
DOUBLED_KERNEL = """
template <typename T>
void {name}(opwright::View<const T, 2> x, opwright::View<T, 2> output) {{
  for (int64_t i = 0; i < x.numel(); ++i) output.data[i] = x.data[i] * T({factor});
}}
"""


def write_operator(folder: Path, description: str, **files: str) -> Path:
    """An ``op.py`` (behind `PREAMBLE`) and files; ``kernel="..."`` becomes ``kernel.cpp``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "op.py").write_text(PREAMBLE + description)
    for name, text in files.items():
        (folder / f"{name}.cpp").write_text(text)
    return folder


def read_operator(folder: Path) -> Operator:
    """The one operator that the folder describes."""
    return cast("Operator", find_one(str(folder)))


def make_operator(folder: Path, description: str, kernel: str) -> Operator:
    """An operator with one kernel source, which is ``#include <opwright/kernel.h>`` and ``kernel``."""
    return read_operator(write_operator(folder, description, kernel=KERNEL + kernel))


def write_doubled(folder: Path, name: str = "doubled", factor: int = 2) -> Path:
    """A small operator of which there can be many: x times ``factor``."""
    kernel = KERNEL + DOUBLED_KERNEL.format(name=name, factor=factor)
    return write_operator(folder, DOUBLED.format(name=name), kernel=kernel)
