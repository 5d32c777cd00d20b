"""An operator inside a graph, held against itself without one. It needs PyTorch, and the library beside it.

Ends with 0 where every run gave the same as without a graph, with 3 where one did not.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

# What is tried.
NAME, NAMESPACE, SCHEMA = "", "", ""
LIBRARY, DISPATCH_KEY, DEVICE = "", "", "cpu"
MODE, BACKEND, RUNS = "compile", "inductor", 3
TOLERANCE: tuple[float, float] | None = None  # absolute and relative; None: bit for bit
WRITTEN: tuple[int, ...] = ()  # which of the tensors the operator writes to


def draw(seed: int) -> list[torch.Tensor]:
    """The tensors of one call."""
    del seed
    return []


def call(operator: Callable[..., Any], tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Call the operator; fresh results."""
    return list(operator(*tensors))


def fake(*arguments: Any, **keywords: Any) -> Any:
    """What a call gives for tensors without data."""
    del arguments, keywords


# How it is tried.
_held: list[Any] = []  # registrations last as long as these


def load() -> Callable[..., Any]:
    """Define the operator, give it the library's kernel, and return it."""
    definition = torch.library.Library(NAMESPACE, "FRAGMENT")
    definition.define(SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
    definition.impl(NAME, fake, "Meta")
    library = ctypes.CDLL(str(Path(__file__).resolve().parent / LIBRARY))
    register = library["opwright_register"]
    register.restype = ctypes.c_void_p
    register.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64)
    names = (NAMESPACE.encode(), DISPATCH_KEY.encode())
    problem = ctypes.create_string_buffer(2048)
    register(*names, problem, len(problem))
    if problem.value:
        sys.exit(f"the library does not load: {problem.value.decode(errors='replace')}")
    _held.extend((definition, library, names))
    overload: Callable[..., Any] = getattr(getattr(torch.ops, NAMESPACE), NAME).default
    return overload


class Module(torch.nn.Module):
    """The operator and nothing else."""

    def __init__(self, operator: Callable[..., Any]) -> None:
        super().__init__()
        self._operator = operator

    def forward(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        """Fresh results of a call."""
        return call(self._operator, list(tensors))


def captured(module: Module) -> Callable[[list[torch.Tensor]], list[torch.Tensor]]:
    """The module in a CUDA graph with memory of its own: a run copies values there, and replays."""
    own, side = on_device(draw(0)), torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            module(*own)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        results = module(*own)

    def run(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        for result in results:
            result.view(-1).view(torch.uint8).fill_(0xA5)  # what a replay does not write is seen
        for mine, given in zip(own, tensors):  # noqa: B905 - Python 3.9 has no `strict`
            mine.copy_(given)
        graph.replay()
        return [*results, *(own[place] for place in WRITTEN)]

    return run


def compiled(module: Module) -> Callable[[list[torch.Tensor]], list[torch.Tensor]]:
    """The module compiled as one graph."""
    function = torch.compile(module, backend=BACKEND, fullgraph=True, dynamic=False)

    def run(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        return [*function(*tensors), *(tensors[place] for place in WRITTEN)]

    return run


def on_device(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Copies where the operator runs."""
    return [tensor.to(DEVICE, copy=True) for tensor in tensors]


def differing(expected: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
    """Where two results differ. NaN is the same as NaN."""
    if expected.is_complex():
        parts = (torch.view_as_real(t.resolve_conj().contiguous()) for t in (expected, found))
        return differing(*parts).any(-1)
    if TOLERANCE is not None and expected.is_floating_point():
        atol, rtol = TOLERANCE
        wide = (found.double(), expected.double())
        return ~torch.isclose(*wide, atol=atol, rtol=rtol, equal_nan=True)
    unequal = expected != found
    if not expected.is_floating_point():
        return unequal
    return (unequal | (expected.signbit() != found.signbit())) & ~(expected.isnan() & found.isnan())


def main() -> int:
    """Run the graph with other data each time; returns the exit code."""
    module = Module(load())
    wrong = 0
    with torch.no_grad():
        in_graph = (captured if MODE == "cudagraph" else compiled)(module)
        for number in range(1, RUNS + 1):
            tensors = on_device(draw(number))
            fresh = module(*tensors)
            eager = [t.cpu() for t in (*fresh, *(tensors[place] for place in WRITTEN))]
            results = [t.cpu() for t in in_graph(on_device(draw(number)))]
            for place, (expected, found) in enumerate(zip(eager, results)):  # noqa: B905
                where = differing(expected, found).nonzero()
                wrong += len(where) > 0
                told = (
                    f"{len(where)} differ, first at {where[0].tolist()}" if len(where) else "equal"
                )
                print(f"run {number}, result {place}: {told}")
    print(f"{NAME} in {MODE}: {'differs' if wrong else 'equal'}")
    return 3 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
