"""CUDA's compiler of this machine, for tests of what it really does."""

from __future__ import annotations

import os
from functools import cache

import pytest

from opwright.errors import ToolchainError
from opwright.toolchain import cuda
from opwright.toolchain.base import Tools


@cache
def tools() -> Tools:
    """The compiler; a test that calls this where there is none is skipped with the reason."""
    try:
        return cuda.find_tools(cuda.find_driver(os.environ), os.environ)
    except ToolchainError as error:
        pytest.skip(error.what)
