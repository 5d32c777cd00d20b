"""A module compiled by torch-npu's ``npugraph_ex``: traced, captured in an NPU graph, fused, and replayed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import torch

from opwright.graph.protocol import Evidence, Failed, Setting
from opwright.graph.superkernel.answers import NOT_FUSED, in_graph, wrong_markers
from opwright.graph.superkernel.asked import installed_version, read_asked
from opwright.graph.superkernel.fx_scope import Traced, read_scopes
from opwright.graph.superkernel.option_table import DEBUG, FULL_CORES, NPUGRAPH_EX, Option
from opwright.graph.superkernel.options import release_for
from opwright.records.graph import Answer


class Scoped(torch.nn.Module):
    """The module, all of it between the markers of a scope."""

    def __init__(self, module: torch.nn.Module, scope: str) -> None:
        super().__init__()
        self._module, self.scope = module, scope

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """What the module gives."""
        npu: Any = torch.npu  # type: ignore[attr-defined]
        npu.super_kernel_scope_begin(self.scope)
        results: tuple[torch.Tensor, ...] = self._module(*tensors)
        npu.super_kernel_scope_end(self.scope)
        return results


def compiler_options(asked: str, *, full_cores: bool) -> dict[str, Any]:
    """``options=`` of torch.compile: SuperKernel on, and what was asked for in its place."""
    given = read_asked(asked)
    known = {option.name: option for option in _known(given.way)}
    options: dict[str, Any] = {"static_kernel_compile": True, "super_kernel_optimize": True}
    for name, value in given.options.items():
        place = options
        for group in filter(None, known[name].group.split(".")):
            place = place.setdefault(group, {})
        place[name] = value
    if full_cores:
        options.setdefault(DEBUG, {})[FULL_CORES] = 1
    return options


def _known(way: str) -> tuple[Option, ...]:
    return release_for(installed_version()).options[way]


class Watched:
    """What was traced, captured and replayed. Of several that watch, the last one counts."""

    _open: ClassVar[list[Watched]] = []

    def __init__(self) -> None:
        self.traced: list[Traced] = []
        self.captures = 0
        self.replays = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count captures and replays of NPU graphs inside the block."""
        graph: Any = torch.get_device_module("npu").NPUGraph

        def counted(method: Callable[..., Any], counter: str) -> Callable[..., Any]:
            def call(*arguments: Any, **keywords: Any) -> Any:
                if self._open[-1] is self:
                    setattr(self, counter, getattr(self, counter) + 1)
                return method(*arguments, **keywords)

            return call

        with (
            patch.object(graph, "capture_end", counted(graph.capture_end, "captures")),
            patch.object(graph, "replay", counted(graph.replay, "replays")),
        ):
            self._open.append(self)
            try:
                yield
            finally:
                self._open.remove(self)


class Compiled:
    """A module compiled by npugraph_ex; see `opwright.graph.protocol.Graphed`."""

    static = True  # a replay writes where the capture has put its results

    def __init__(
        self, setting: Setting, module: torch.nn.Module, watched: Watched, options: dict[str, Any]
    ) -> None:
        self.taken: Sequence[torch.Tensor] = ()
        self._setting, self._watched = setting, watched
        self._runs = 0
        self._scope = module.scope if isinstance(module, Scoped) else ""

        def look(graph: torch.fx.GraphModule, *_: Any) -> None:
            watched.traced.append(read_scopes(graph.graph.nodes, setting.name))

        self._call: Callable[..., Any] = torch.compile(
            module,
            backend="npugraph_ex",
            options={**options, "post_grad_custom_post_pass": look},
            dynamic=False,
            fullgraph=True,
        )

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Run it; the first time it is traced, captured and fused before that."""
        self.taken = tensors
        self._runs += 1
        return list(self._call(*tensors))

    def evidence(self) -> Evidence:
        """What torch-npu was seen to do with the module."""
        watched = self._watched
        traced = watched.traced[-1] if watched.traced else Traced(0, 0, ())
        facts = {
            "graphs": len(watched.traced),
            "calls_in_graph": traced.calls,
            "calls_in_scope": traced.inside,
            "captures": watched.captures,
            "replays": watched.replays,
        }
        return Evidence(
            in_graph(
                self._setting.name,
                self._scope,
                times=self._setting.arrangement.times,
                calls=traced.calls,
                inside=traced.inside,
            ),
            self._captured(),
            Answer("not checked", NOT_FUSED),
            wrong_markers(traced.unpaired),
            facts,
        )

    def _captured(self) -> Answer:
        watched = self._watched
        if len(watched.traced) != 1:
            return Answer("fail", f"traced into {len(watched.traced)} graphs")
        if watched.captures == 0:
            return Answer("fail", "nothing was captured: torch-npu ran the graph without one")
        if watched.replays < self._runs:
            return Answer(
                "fail", f"{watched.replays} replays for {self._runs} runs: a fallback ran"
            )
        return Answer("pass", f"{watched.captures} captured, {watched.replays} replays")


@contextmanager
def opened(
    setting: Setting, module: torch.nn.Module, *, scoped: bool, full_cores: bool
) -> Iterator[Compiled]:
    """The module compiled, in a scope or without one."""
    from torch._dynamo import reset

    options: dict[str, Any] = {}
    if full_cores and not any(option.name == FULL_CORES for option in _known(NPUGRAPH_EX)):
        raise Failed(not_checked=f"torch-npu {installed_version()} has no option for full cores")
    if scoped:
        options = compiler_options(setting.option, full_cores=full_cores)
        module = Scoped(module, read_asked(setting.option).scope)
    watched = Watched()
    with ExitStack() as stack:
        reset()
        stack.callback(reset)
        _keep_files_out_of_the_way(stack)
        stack.enter_context(watched.watching())
        yield Compiled(setting, module, watched, options)


def _keep_files_out_of_the_way(stack: ExitStack) -> None:
    """Compiling kernels for static sizes leaves folders where the process works."""
    here = Path.cwd()
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="opwright-npugraph-"))
    stack.callback(os.chdir, here)
    os.chdir(folder)
