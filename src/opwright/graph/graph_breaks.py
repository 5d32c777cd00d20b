"""Where tracing has stopped, as torch.compile counts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Break(NamedTuple):
    """A reason for a graph break in one line, and how often tracing stopped for it."""

    reason: str
    times: int


@contextmanager
def breaks_counted() -> Iterator[Callable[[], list[Break]]]:
    """Count breaks from here on; what is given says which there were so far."""
    from torch._dynamo.utils import counters

    counters.clear()

    def so_far() -> list[Break]:
        return [Break(_in_a_line(text), count) for text, count in counters["graph_break"].items()]

    yield so_far
    counters.clear()


def graphs_left_out() -> int:
    """How often a back end that makes graphs of the device has made none, since breaks are counted."""
    from torch._dynamo.utils import counters

    return int(counters["inductor"]["cudagraph_skips"])


def _in_a_line(text: str) -> str:
    """What stopped it, and torch's explanation where it has one: the rest is hints."""
    lines = [line.strip() for line in str(text).strip().splitlines() if line.strip()]
    explained = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("Explanation:")), ""
    )
    return f"{lines[0]}: {explained}" if explained else lines[0] if lines else "no reason given"
