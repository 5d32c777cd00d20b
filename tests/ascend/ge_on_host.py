"""Lets torchair build its graph where there is no graph engine: it runs the operators one by one after that.

The native engine can be simulated by nobody but its vendor. What is tested with this is the graph, up to
where the engine would be given it.
"""

from __future__ import annotations

import torch_npu  # noqa: F401 -- which torchair is a part of
import torchair
from torchair._ge_concrete_graph import fx2ge_converter
from torchair.configs.compiler_config import CompilerConfig


def _no_engine(*_: object, **__: object) -> None:
    """There is none to initialise."""


_make = torchair.get_npu_backend


def _eager_backend(*, compiler_config: CompilerConfig, **more: object) -> object:
    compiler_config.debug.run_eagerly = True
    return _make(compiler_config=compiler_config, **more)


fx2ge_converter.initialize_graph_engine = _no_engine
torchair.get_npu_backend = _eager_backend
