"""Graphs of a device: captured on a stream once, and replayed with other data in the same memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from opwright.devices.activity import Activity, Launch
from opwright.devices.device import Device
from opwright.graph.nodes import nodes_of
from opwright.graph.plain import as_it_is, finish, in_words, there
from opwright.graph.protocol import Evidence, Failed, Mode, Setting
from opwright.records.graph import Answer
from opwright.records.verdict import Finding
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

REPLAYED, POOLED, AFTER_FAILURE = "replayed", "shared pool", "after a failure"
_SHOWN = 20  # names of nodes in a record
_WARM_UP_CALLS = 3  # what is set up at first calls may not be captured
_NOT_FUSED = "a graph of the device launches the same kernels one after the other"


class Captured:
    """A module captured in a graph, with memory of its own for arguments and results."""

    static = True

    def __init__(
        self, device: Device, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
    ) -> None:
        self.taken = tensors
        self.device = device
        self._graph: Any = device.graph()
        self._results: list[torch.Tensor] = []
        self._module = module
        self.activity = Activity()

    def capture(self, stream: Any, pool: Any = None) -> None:
        """Record one call. Raises what the device does not permit meanwhile."""
        if self.device.kind == "cuda":
            self._graph.enable_debug_mode()  # so that it can be asked for its nodes
        with self.device.capturing(self._graph, stream, pool):
            self._results = list(self._module(*self.taken))

    @property
    def pool(self) -> Any:
        """What names the graph's memory, for another one to share it."""
        return self._graph.pool()

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Replay it with the values of these tensors."""
        for own, given in zip(self.taken, tensors, strict=True):
            own.copy_(given)
        self._graph.replay()
        return self._results

    def evidence(self) -> Evidence:
        """The nodes of the graph, beside what the operator launches without one."""
        nodes, launches = nodes_of(self._graph, self.device.kind), self.activity.launches
        unfused = Answer("not checked", _NOT_FUSED)
        if nodes is None:
            untold = Answer("not checked", "the device does not say what is in its graphs")
            return Evidence(untold, untold, unfused)
        facts = {"nodes": len(nodes), "names": nodes[:_SHOWN], **self.activity.figures}
        if not nodes:
            return Evidence(*_nothing_captured(), (_empty(self.activity),), facts)
        if not launches:
            untold = Answer(
                "not checked", "what the operator launches without a graph is not known"
            )
            return Evidence(untold, Answer("pass", f"{len(nodes)} nodes"), unfused, (), facts)
        missing = missing_from(nodes, launches)
        if missing:
            split = Answer("fail", "a part of what it launches is not in the graph")
            return Evidence(split, split, unfused, (_split(missing),), facts)
        told = f"{len(launches)} launches of a call are among its {len(nodes)} nodes"
        return Evidence(
            Answer("pass", told), Answer("pass", f"{len(nodes)} nodes"), unfused, (), facts
        )


def missing_from(nodes: Sequence[str], launches: Sequence[Launch]) -> list[Launch]:
    """Launches without a node of their own.

    A profiler writes a kernel's name with its arguments, a graph's dump as the linker has it.
    """
    left = list(nodes)
    missing = []
    for launch in launches:
        plain = launch.kernel.partition("(")[0].partition("<")[0].rpartition("::")[2].split(" ")[-1]
        found = next((node for node in left if plain in node), None)
        if found is None:
            missing.append(launch)
        else:
            left.remove(found)
    return missing


def _split(missing: Sequence[Launch]) -> Finding:
    elsewhere = ", ".join(dict.fromkeys(f"`{one.kernel}`" for one in missing if not one.current))
    told = f" Not on the current stream: {elsewhere}." if elsewhere else ""
    names = ", ".join(dict.fromkeys(f"`{one.kernel}`" for one in missing))
    return Finding(
        "not in the graph",
        f"launched without a graph, and no node of it: {names}. A replay does not do that work.{told}",
        {"missing": [one.kernel for one in missing]},
    )


def _nothing_captured() -> tuple[Answer, Answer, Answer]:
    empty = Answer("fail", "the graph has no nodes")
    return empty, empty, Answer("not checked", "there is nothing in the graph")


def _empty(activity: Activity) -> Finding:
    return Finding(
        "empty graph",
        "the graph has no nodes: a replay does nothing. What is computed does not go to the device's current "
        f"stream, or was computed before.{activity.told}",
        activity.figures,
    )


@contextmanager
def opened(
    setting: Setting, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> Iterator[Captured]:
    """The module captured for these tensors, in the way that is asked for."""
    device = setting.device
    assert device is not None
    if setting.how == AFTER_FAILURE and setting.name:
        _fail_to_capture(setting, module, tensors)
    stream = device.stream()
    activity = _warmed_up(setting, device, stream, module, tensors)
    captured = Captured(device, module, tensors)
    captured.activity = activity
    other: Captured | None = None
    try:
        captured.capture(stream)
        if setting.how == POOLED and setting.name:
            other = _Neighbour(captured, setting, module)
            other.capture(stream, captured.pool)
        device.synchronize()
    except Exception as error:
        raise _uncapturable(setting, error, activity) from error
    yield captured if other is None else other


class _Neighbour(Captured):
    """A second graph in the pool of a first one: a run replays both, in turns."""

    def __init__(self, first: Captured, setting: Setting, module: torch.nn.Module) -> None:
        tensors = list(there(setting, setting.cases[-1]).tensors.values())
        super().__init__(first.device, module, tensors)
        self._first, self.activity = first, first.activity

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Replay the first one, then this one with older values, and with the same: nothing may disturb the first."""
        first = self._first(tensors)
        before = [_bytes(tensor) for tensor in first]
        self._graph.replay()
        after = [_bytes(tensor) for tensor in first]
        if not all(map(torch.equal, before, after)):
            raise Failed(_disturbed())
        own = super().__call__(tensors)
        if not all(map(torch.equal, before, map(_bytes, own))):
            raise Failed(_disturbed())
        return own


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)


def _disturbed() -> Finding:
    return Finding(
        "graphs disturb each other",
        "two graphs of the operator share a memory pool, and the replay of one changes what the other has "
        "given, or gives something else for the same values: it keeps memory from one call to the next",
    )


def _warmed_up(
    setting: Setting,
    device: Device,
    stream: Any,
    module: torch.nn.Module,
    tensors: Sequence[torch.Tensor],
) -> Activity:
    """Call it without a graph, so that nothing is set up for the first time in one; what that launches."""
    setting.stage("calls before the capture")
    try:
        finish(setting)
        with device.using(stream):
            for _ in range(_WARM_UP_CALLS):
                module(*tensors)
            device.synchronize()
            setting.stage("asking what a call launches")
            activity = device.activity(lambda: module(*tensors))
        device.synchronize()
    except Exception as error:
        told = f"the operator fails without any graph: {in_words(error)}"
        raise Failed(Finding("fails as it is", told)) from error
    setting.stage("capturing")
    return activity


class _GivenUp(Exception):
    """The capture is not to come to an end."""


def _fail_to_capture(
    setting: Setting, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> None:
    """Give up a capture in which the operator was called for the first time; then call it. Raises `Failed`."""
    device = setting.device
    assert device is not None
    setting.stage("giving up a capture")
    graph = device.graph()
    try:
        with device.capturing(graph, device.stream()):
            module(*tensors)
            raise _GivenUp
    except Exception as error:
        if not isinstance(error, _GivenUp):
            setting.stage("calls after a capture that failed")
    del graph
    try:
        finish(setting)
        _, wrong = as_it_is(setting, setting.cases[-1])
    except Exception as error:
        message = f"after a capture that was given up, an ordinary call fails: {_words_of(error)}"
        raise Failed(Finding("unusable after a failed capture", message)) from error
    if wrong:
        message = f"after its first call was in a capture that was given up: {wrong[0].message}"
        raise Failed(Finding("wrong after a failed capture", message, wrong[0].details))


def _words_of(error: BaseException) -> str:
    return error.findings[0].message if isinstance(error, Failed) else in_words(error)


def _uncapturable(setting: Setting, error: BaseException, activity: Activity) -> Failed:
    finding = Finding(
        "cannot be captured",
        f"a call inside a graph's capture fails: {in_words(error)}. While capturing nothing may wait for the "
        "device, allocate memory that is not PyTorch's, or use a stream that is not part of the capture."
        f"{activity.told}",
        activity.figures,
    )
    setting.stage("calls after the capture failed")
    try:
        finish(setting)
        as_it_is(setting, setting.cases[0])
    except Exception as later:
        message = f"after the capture failed, an ordinary call fails too: {_words_of(later)}"
        return Failed(finding, Finding("unusable after a failed capture", message))
    return Failed(finding)


def blame(setting: Setting, error: BaseException) -> Failed:
    """What it means that a replay raises."""
    del setting
    return Failed(Finding("fails in the graph", f"a replay fails: {in_words(error)}"))


def why_not(target: Target, option: str) -> str:
    """Why nothing can be captured on a target."""
    del option
    if target.device_type == "cpu":
        return "a host has no streams to capture: use --target cuda, or simulated, which has them"
    return ""


def cases(spec: OperatorSpec, case: Case, how: str, repeat: int) -> tuple[Case, ...]:
    """The same call with other values, one a replay; the first one's are there when it is captured."""
    del spec, how
    return tuple(case.with_other_values(number) for number in range(repeat + 1))


MODE = Mode(
    "cudagraph",
    "a captured call gives, at every replay, what the call gives from the values of that time",
    options=(),
    hows=(REPLAYED, POOLED, AFTER_FAILURE),
    why_not=why_not,
    open=opened,
    blame=blame,
    cases=cases,
)
