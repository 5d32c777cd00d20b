"""The compiler for HIP of this machine, for tests of what it really does; and kernels to give it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from operator_folder import PREAMBLE
from opwright.errors import ToolchainError
from opwright.toolchain import hip
from opwright.toolchain.base import Tools

DESCRIPTION = """
op = Operator(
    "{name}(Tensor x) -> Tensor",
    inputs={{"x": Tensor(rows, cols)}},
    dtypes=("float32",),
    reference=lambda x: 2 * x,
    sources={{"hip": "kernel.hip"}},
)
"""
# Doubles; `body` makes the value `y` of `x`, and may hold what it likes.
KERNEL = """#include <opwright/kernel.h>
#include <opwright/device.h>
{before}
template <typename T>
__global__ {attribute} void each(opwright::View<const T, 2> input, opwright::View<T, 2> output) {{
  for (int64_t i = opwright::grid_index(); i < input.numel(); i += opwright::grid_step()) {{
    const T x = input.data[i];
    T y = x + x;
    {body}
    output.data[i] = y;
  }}
}}

template <typename T>
void {name}(opwright::View<const T, 2> x, opwright::View<T, 2> output, opwright::Stream stream) {{
  opwright::launch(each<T>, opwright::blocks_for(x.numel(), 256), 256, stream, x, output);
}}
"""


@cache
def tools() -> Tools:
    """The compiler; a test that calls this where there is none is skipped with the reason."""
    try:
        return hip.find_tools(hip.find_driver(os.environ), os.environ)
    except ToolchainError as error:
        pytest.skip(error.what)


def write_kernel(
    folder: Path, name: str = "doubled", body: str = "", before: str = "", attribute: str = ""
) -> Path:
    """An operator with one HIP kernel, in which ``body`` stands."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "op.py").write_text(PREAMBLE + DESCRIPTION.format(name=name))
    text = KERNEL.format(name=name, body=body, before=before, attribute=attribute)
    (folder / "kernel.hip").write_text(text)
    return folder
