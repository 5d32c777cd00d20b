"""The calls that are timed, one after the other on other memory, and what looks at their results."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch

from opwright.checks.judging.outputs import expect, judge_call, same_bits
from opwright.devices.device import Device
from opwright.errors import FoundFault
from opwright.inputs.call import Call, fresh_results
from opwright.measure.cache import Flush
from opwright.measure.captured import captured
from opwright.measure.roofline import bytes_moved
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

Bind: TypeAlias = Callable[[Callable[..., Any], Call], Callable[[], Any]]


class Settling(NamedTuple):
    """What is done off the clock before each call: one that fills the cache, a flush that empties it, or nothing."""

    warm: bool
    flush: Flush | None


class Calls:
    """A function's calls on each set of inputs in turn; what a call has written to is as it was at the next.

    ``bind`` makes a call without arguments of a function and its arguments. Where they are ``warm``, a call
    that nobody times fills the cache; ``flush`` empties it before each. With a device to ``capture`` on, calls
    are replays of graphs. The first call is on the set of this number, ``first``.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: Sequence[Call],
        bind: Bind,
        settling: Settling,
        capture: Device | None = None,
        *,
        first: int = 0,
    ) -> None:
        self._settling = settling
        self.inputs = inputs
        own = [_writable(call) for call in inputs]
        runs = [bind(function, call) for call in own]
        if capture is not None:
            runs = [captured(run, capture) for run in runs]
        sets = list(zip(inputs, own, runs, strict=True))
        self._turns = itertools.cycle([*sets[first:], *sets[:first]])
        self.latest = inputs[first], own[first]

    def prepare(self) -> Callable[[], Any]:
        """The next call, its arguments as they were drawn and the cache in its state."""
        drawn, own, call = next(self._turns)
        self.latest = drawn, own
        if self._settling.warm:
            call()
        for name in own.written:
            own.arguments[name].copy_(drawn.arguments[name])
        if self._settling.flush is not None:
            self._settling.flush()
        return call

    def bytes_moved(self) -> int:
        """The least that a call has to move."""
        call = self.prepare()
        own = self.latest[1]
        return bytes_moved(own, fresh_results(own.spec, call()))


def bound(function: Callable[..., Any], call: Call) -> Callable[[], Any]:
    """The call of ``function`` alone."""
    positional, keywords = call.spec.schema.as_call(call.arguments)
    return functools.partial(function, *positional, **keywords)


def with_gradients(function: Callable[..., Any], call: Call) -> Callable[[], Any]:
    """The call, and the gradients of all that it takes for incoming ones that are drawn beforehand.

    What it returns is the function's. Its arguments are the call's memory, as leaves of a graph.
    """
    leaves = {
        name: tensor.detach().requires_grad_()
        for name, tensor in call.tensors.items()
        if tensor.is_floating_point() or tensor.is_complex()
    }
    forward = bound(function, Call(call.spec, {**call.arguments, **leaves}))
    wanted = list(leaves.values())
    incoming = [torch.randn_like(tensor) for tensor in _differentiable(call.spec, forward())]

    def run() -> Any:
        returned = forward()
        torch.autograd.grad(
            _differentiable(call.spec, returned), wanted, incoming, allow_unused=True
        )
        return returned

    return run


def _differentiable(spec: OperatorSpec, returned: Any) -> list[torch.Tensor]:
    return [tensor for tensor in fresh_results(spec, returned) if tensor.requires_grad]


def _writable(call: Call) -> Call:
    """The call itself, with memory of its own for what it writes to."""
    return Call(
        call.spec, {**call.arguments, **{n: call.arguments[n].clone() for n in call.written}}
    )


class Judge:
    """Looks at what sampled calls have computed: bit by bit like a result that was judged, or judged anew.

    ``judged`` holds what was judged right, results with their inputs, as digests: a process of the same
    measurement may be given another's. On a device they would take longer than judging there.
    """

    def __init__(self, name: str, case: Case, calls: Calls, judged: Iterable[str] = ()) -> None:
        self._name, self._case, self._calls = name, case, calls
        self._right: dict[int, list[torch.Tensor]] = {}  # by the inputs they belong to
        self.judged = set(judged)

    def recheck(self, returned: Any) -> bool:
        """Raise `FoundFault` where the latest call has not given what the reference gives; True where it has."""
        drawn, own = self._calls.latest
        results = [*fresh_results(own.spec, returned), *(own.arguments[n] for n in own.written)]
        known = self._right.get(id(drawn))
        if known is not None and len(known) == len(results) and all(map(same_bits, known, results)):
            return True
        digest = _digest([*drawn.tensors.values(), *results])
        if not digest or digest not in self.judged:
            self._judge(drawn, results)
        if digest:
            self.judged.add(digest)
        self._right[id(drawn)] = [result.clone() for result in results]
        return True

    def _judge(self, drawn: Call, results: list[torch.Tensor]) -> None:
        expected = expect(drawn.spec, self._case, drawn)
        comparison = judge_call(expected, results, drawn)
        if not comparison.passed:
            said = comparison.reasons[0].message
            raise FoundFault(
                f"{self._name} is wrong on {self._case.name}: {said}",
                hint="Run `opwright check`: what is wrong is not worth timing.",
            )


def _digest(tensors: Sequence[Any]) -> str:
    """Of values, sizes and dtypes; empty where a tensor is not on the host, or is none at all."""
    state = hashlib.blake2b(digest_size=16)
    for tensor in tensors:
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu":
            return ""
        state.update(f"{tensor.dtype} {tuple(tensor.shape)} {tensor.stride()}".encode())
        dense = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
        # The bytes as they lie there: NumPy, which would say it shorter, need not be installed.
        state.update((ctypes.c_ubyte * dense.numel()).from_address(dense.data_ptr()))
    return state.hexdigest()


def trusted(returned: Any) -> bool:
    """The reference is what the others are judged by: nobody looks at it."""
    del returned
    return False
