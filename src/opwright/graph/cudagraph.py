"""Graphs of a device: captured on a stream once, and replayed with other data in the same memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import torch

from opwright.devices.activity import Activity
from opwright.devices.device import Device
from opwright.graph.captured import evidence_of
from opwright.graph.nodes import inspectable_graph, nodes_of, ready_for_replays
from opwright.graph.plain import as_it_is, fails_as_it_is, finish, in_words, there
from opwright.graph.protocol import Evidence, Failed, Mode, Setting
from opwright.records.verdict import Finding
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

REPLAYED, POOLED, AFTER_FAILURE = "replayed", "shared pool", "after a failure"
_WARM_UP_CALLS = 3  # what is set up at first calls may not be captured


class Captured:
    """A module captured in a graph, with memory of its own for arguments and results."""

    static = True

    def __init__(
        self, device: Device, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
    ) -> None:
        self.taken = tensors
        self.device = device
        self._graph: Any = inspectable_graph(device)
        self._results: list[torch.Tensor] = []
        self._module = module
        self.activity = Activity()
        self.refusal: Exception | None = None

    def capture(self, stream: Any, pool: Any = None) -> None:
        """Record one call. Raises what the device does not permit meanwhile; ``refusal`` is the first of that."""
        with self.device.capturing(self._graph, stream, pool):
            try:
                self._results = list(self._module(*self.taken))
            except Exception as error:
                self.refusal = error  # the end of the capture raises again, and says less
                raise
        ready_for_replays(self._graph, self.device)

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
        return evidence_of(nodes_of(self._graph, self.device), self.activity)


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
        refusal = (other or captured).refusal or error
        raise _uncapturable(setting, refusal, activity) from error
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
    setting.stage("calling it before the capture")
    try:
        finish(setting)
        with device.using(stream):
            for _ in range(_WARM_UP_CALLS):
                module(*tensors)
            device.synchronize()
            setting.stage("asking what a call does")
            activity = device.activity(lambda: module(*tensors))
            waits = _waits(device, lambda: module(*tensors))
        device.synchronize()
    except Exception as error:
        raise fails_as_it_is(error) from error
    setting.stage("capturing")
    return replace(activity, waiting=(*activity.waiting, *waits))


def _waits(device: Device, run: Callable[[], Any]) -> tuple[str, ...]:
    """What the host waits for in ``run``, where the device keeps a journal of that: the simulated one."""
    ask = getattr(device.module, "synchronizations", None)
    if ask is None:
        return ()
    ask()  # what came before
    run()
    return tuple(dict.fromkeys(entry.name for entry in ask()))


class _GivenUp(Exception):
    """The capture is not to come to an end."""


def _fail_to_capture(
    setting: Setting, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> None:
    """Give up a capture in which the operator was called for the first time; then call it. Raises `Failed`."""
    device = setting.device
    assert device is not None
    setting.stage("giving up a capture")
    graph = device.graph()  # kept: PyTorch may still ask one whose capture has failed
    refused = _given_up(device, graph, module, tensors)
    try:
        finish(setting)
        _, wrong = as_it_is(setting, setting.cases[-1])
    except Exception as error:
        if refused and refused in _words_of(error) and isinstance(error, Failed):
            raise  # it was refused in the capture as it is everywhere
        message = f"after a capture that was given up, an ordinary call fails: {_words_of(error)}"
        raise Failed(Finding("unusable after a failed capture", message)) from error
    if wrong:
        message = f"after its first call was in a capture that was given up: {wrong[0].message}"
        raise Failed(Finding("wrong after a failed capture", message, wrong[0].details))


def _given_up(
    device: Device, graph: Any, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> str:
    """Why the call was refused in the capture that was given up; empty where it was not."""
    refused = ""
    with suppress(Exception), device.capturing(graph, device.stream()):
        try:
            module(*tensors)
        except Exception as error:
            refused = in_words(error)  # the end of the capture raises again, and says less
        raise _GivenUp
    return refused


def _words_of(error: BaseException) -> str:
    return error.findings[0].message if isinstance(error, Failed) else in_words(error)


def _uncapturable(setting: Setting, error: BaseException, activity: Activity) -> Failed:
    finding = Finding(
        "cannot be captured",
        f"a call inside a graph's capture fails: {in_words(error)}. While capturing nothing may wait for the "
        "device, allocate memory that is not PyTorch's, or use a stream that is not part of the capture."
        f"{_seen(activity)}",
        {"waiting": list(activity.waiting), **activity.figures},
    )
    setting.stage("calling it after the capture failed")
    try:
        finish(setting)
        as_it_is(setting, setting.cases[0])
    except Exception as later:
        message = f"after the capture failed, an ordinary call fails too: {_words_of(later)}"
        return Failed(finding, Finding("unusable after a failed capture", message))
    return Failed(finding)


def _seen(activity: Activity) -> str:
    """What a call without a capture was seen to do that none may do in one."""
    waits = (
        f" Without a capture it was seen: {', '.join(activity.waiting)}."
        if activity.waiting
        else ""
    )
    return waits + replace(activity, waiting=()).told


def blame(setting: Setting, error: BaseException) -> Failed:
    """What it means that a replay raises."""
    del setting
    return Failed(Finding("fails in the graph", f"a replay fails: {in_words(error)}"))


def why_not(target: Target, option: str) -> str:
    """Why nothing can be captured on a target."""
    del option
    if target.device_type == "cpu":
        return "a host has no streams to capture: use --target cuda, or simulated, which has them"
    if target.kind == "npu":
        return "graphs of Ascend devices are captured by the mode superkernel"
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
