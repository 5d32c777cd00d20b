"""A module compiled by torchair's graph engine: its dumped graph says which operators are in a scope."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from opwright.graph.protocol import Evidence, Setting
from opwright.graph.superkernel.answers import NOT_FUSED
from opwright.graph.superkernel.asked import Asked, read_asked
from opwright.graph.superkernel.ge_dump import GeOperator, read_dump
from opwright.records.graph import Answer

_HELPERS = {"Data", "Const", "Constant", "NetOutput", "Cast"}


class Scoped(torch.nn.Module):
    """The module, all of it inside ``torchair.scope.super_kernel``."""

    def __init__(self, module: torch.nn.Module, scope: str, options: str) -> None:
        super().__init__()
        self._module, self.scope, self.options = module, scope, options
        self._enter: Callable[..., Any] = importlib.import_module("torchair").scope.super_kernel

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """What the module gives."""
        with self._enter(self.scope, self.options):
            results: tuple[torch.Tensor, ...] = self._module(*tensors)
        return results


def option_text(asked: Asked, *, full_cores: tuple[int, int] | None) -> str:
    """``name=value:name=value``. ``full_cores`` are cubes and vectors to start, None for as many as it takes."""
    values = dict(asked.options)
    if full_cores is not None:
        values["debug-aic-num"], values["debug-aiv-num"] = full_cores
    parts = (
        f"{name}={','.join(value) if isinstance(value, list) else value}"
        for name, value in values.items()
    )
    return ":".join(parts)


def cores_of_device() -> tuple[int, int]:
    """Cubes and vectors of the device, as torch-npu has them."""
    properties: Any = torch.get_device_module("npu").get_device_properties(0)
    return int(properties.cube_core_num), int(properties.vector_core_num)


class Compiled:
    """A module compiled by torchair; see `opwright.graph.protocol.Graphed`."""

    static = True

    def __init__(self, setting: Setting, module: torch.nn.Module, folder: Path) -> None:
        self.taken: Sequence[torch.Tensor] = ()
        self._setting, self._folder = setting, folder
        self._scope, self._options = "", ""
        if isinstance(module, Scoped):
            self._scope, self._options = module.scope, module.options
        torchair = importlib.import_module("torchair")
        config = importlib.import_module("torchair.configs.compiler_config").CompilerConfig()
        config.debug.graph_dump.type = "pbtxt"
        config.debug.graph_dump.path = str(folder)
        backend = torchair.get_npu_backend(compiler_config=config)
        self._call: Callable[..., Any] = torch.compile(
            module, backend=backend, dynamic=False, fullgraph=True
        )

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Run it, and compile it before that the first time."""
        self.taken = tensors
        return list(self._call(*tensors))

    def evidence(self) -> Evidence:
        """What the dumped graph says."""
        files = sorted(self._folder.glob("dynamo_original_graph*"))
        operators = [one for file in files for one in read_dump(file.read_text(encoding="utf-8"))]
        inside = [one for one in operators if one.scope == self._scope and self._scope]
        facts = {
            "graphs": len(files),
            "operators": [one.type for one in operators],
            "scopes": sorted({one.scope for one in operators if one.scope}),
            "scope_options": sorted({one.options for one in inside}),
        }
        captured = Answer("fail", f"{len(files)} graphs were dumped, and one was to be")
        if len(files) == 1:
            captured = Answer("pass", f"one graph of {len(operators)} operators")
        return Evidence(
            self._in_graph(operators, inside),
            captured,
            Answer("not checked", NOT_FUSED),
            (),
            facts,
        )

    def _in_graph(self, operators: list[GeOperator], inside: list[GeOperator]) -> Answer:
        work = [one for one in operators if one.type not in _HELPERS]
        if not work:
            return Answer("fail", "the dumped graph has no operators")
        if self._scope and not inside:
            return Answer("fail", f"no operator of the dumped graph is in scope {self._scope!r}")
        if self._scope and any(one.options != self._options for one in inside):
            return Answer("fail", f"scope {self._scope!r} has not the options {self._options!r}")
        outside = [one.name for one in work if self._scope and one not in inside]
        if outside:
            return Answer("fail", f"not in scope {self._scope!r}: {', '.join(outside)}")
        return Answer("pass", f"{len(inside or work)} operators of the dumped graph")


@contextmanager
def opened(
    setting: Setting, module: torch.nn.Module, *, scoped: bool, full_cores: bool
) -> Iterator[Compiled]:
    """The module compiled, in a scope or without one."""
    from torch._dynamo import reset

    if scoped:
        asked = read_asked(setting.option)
        options = option_text(asked, full_cores=cores_of_device() if full_cores else None)
        module = Scoped(module, asked.scope, options)
    reset()
    try:
        with tempfile.TemporaryDirectory(prefix="opwright-ge-") as folder:
            yield Compiled(setting, module, Path(folder))
    finally:
        reset()
