"""What an emulated run counted of each kernel: launches, and the bytes that it moved for each tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from opwright.records.run import OperatorRecord


class CountedKernel(TypedDict):
    """A kernel among the figures of a case: launches, the largest grid, bytes by tensor, and what was noted.

    ``hints`` are lines of the emulator's report, which know an access by its address in a library.
    """

    kernel: str
    launches: int
    threads: int
    grid: list[int]
    block: list[int]
    traffic: dict[str, dict[str, int]]
    hints: list[dict[str, Any]]


class PlacedKernel(CountedKernel, total=False):
    """The same, once the lines in the source have been looked up: ``placed_hints`` are sentences."""

    placed_hints: list[str]


@dataclass(frozen=True)
class Moved:
    """Bytes that a kernel read from a tensor or wrote to it; ``distinct_bytes`` counts each byte once."""

    tensor: str
    total_bytes: int
    distinct_bytes: int

    @property
    def times(self) -> float:
        """How often a byte was moved, on average; a kernel that moves each once has 1."""
        return self.total_bytes / self.distinct_bytes if self.distinct_bytes else 0.0


@dataclass(frozen=True)
class KernelRun:
    """One kernel in the case that gave it the most threads."""

    name: str
    case: str
    launches: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    reads: tuple[Moved, ...]
    writes: tuple[Moved, ...]
    hints: tuple[str, ...]


def kernel_runs(operator: OperatorRecord) -> list[KernelRun]:
    """Every kernel that watched cases launched, template arguments left out, in order of appearance."""
    most: dict[str, tuple[int, str, PlacedKernel]] = {}
    for case in operator.cases:
        kernels: list[PlacedKernel] = case.outcome.figures.get("kernels", [])
        for kernel in kernels:
            name = kernel["kernel"].partition(" [with ")[0]
            if name not in most or kernel["threads"] > most[name][0]:
                most[name] = (kernel["threads"], case.name, kernel)
    return [_run(name, case, kernel) for name, (_, case, kernel) in most.items()]


def _run(name: str, case: str, kernel: PlacedKernel) -> KernelRun:
    return KernelRun(
        name=name,
        case=case,
        launches=kernel["launches"],
        grid=tuple(kernel["grid"]),
        block=tuple(kernel["block"]),
        reads=_moved(kernel["traffic"], "read"),
        writes=_moved(kernel["traffic"], "written"),
        hints=tuple(dict.fromkeys(kernel.get("placed_hints", ()))),
    )


def _moved(traffic: dict[str, dict[str, int]], way: str) -> tuple[Moved, ...]:
    return tuple(
        Moved(name, bytes_of[f"{way}_bytes"], bytes_of[f"touched_{way}_bytes"])
        for name, bytes_of in traffic.items()
        if bytes_of[f"{way}_bytes"]
    )
