"""The kernels of an emulated run: what was launched, and how many bytes each moved for each tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from opwright.records.kernels import KernelRun, Moved, kernel_runs
from opwright.records.run import OperatorRecord


def kernel_lines(operators: Sequence[OperatorRecord]) -> Iterator[RenderableType]:
    """One paragraph a kernel; nothing where no run was emulated."""
    for operator in operators:
        for run in kernel_runs(operator):
            yield Text()
            yield Text.assemble((run.name, "bold"), f", counted on {operator.target}")
            yield Padding(Text("\n".join(_facts(run))), (0, 0, 0, 2))


def _facts(run: KernelRun) -> Iterator[str]:
    grid, block = _size(run.grid), _size(run.block)
    yield f"{_launches(run.launches)} of {grid} blocks of {block} ({run.case})"
    if run.reads:
        yield f"reads   {', '.join(map(_bytes, run.reads))}"
    if run.writes:
        yield f"writes  {', '.join(map(_bytes, run.writes))}"
    for hint in run.hints:
        yield f"hint    {hint}"


def _launches(count: int) -> str:
    return "1 launch" if count == 1 else f"{count} launches"


def _size(three: tuple[int, ...]) -> str:
    return "x".join(map(str, three)).removesuffix("x1").removesuffix("x1")


def _bytes(moved: Moved) -> str:
    often = "" if moved.times < 1.005 else f" ({moved.times:.3g} times each)"
    return f"{moved.tensor} {moved.distinct_bytes} B{often}"
