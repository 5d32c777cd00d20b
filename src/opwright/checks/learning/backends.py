"""`torch.compile` and `torch.export` of one call, and whose fault it is where they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from opwright.checks.judging.refusals import refused
from opwright.records.verdict import Finding

Function = Callable[..., Any]


@dataclass
class Compiled:
    """A function compiled by a back end; ``graphs`` says how many it took so far."""

    function: Function
    call: Function

    @property
    def graphs(self) -> int:
        """Graphs since the last reset: one, and one more for each time that it was compiled again."""
        from torch._dynamo.utils import counters

        return int(counters["stats"]["unique_graphs"])


@contextmanager
def compiled(function: Function, backend: str, *, dynamic: bool) -> Iterator[Compiled]:
    """``function`` as one graph, with nothing of earlier compilations; all is forgotten afterwards."""
    from torch._dynamo import reset
    from torch._dynamo.utils import counters

    reset()
    counters.clear()
    try:
        yield Compiled(
            function, torch.compile(function, fullgraph=True, backend=backend, dynamic=dynamic)
        )
    finally:
        reset()


@contextmanager
def inductors_files_gone() -> Iterator[None]:
    """Inductor keeps what it compiles in folders of the block, and starts no processes."""
    from torch._inductor import config
    from torch._inductor.utils import fresh_cache

    with fresh_cache(), config.patch(compile_threads=1):
        yield


def blamed(
    error: BaseException, function: Function, backend: str, arguments: tuple[Any, ...]
) -> Finding | None:
    """What it means that a back end fails; None where it fails for a plain function as well."""
    details: dict[str, Any] = {"backend": backend, "exception": type(error).__name__}
    for stage in dict.fromkeys(("eager", "aot_eager", backend)):
        if stage == backend:
            break
        try:
            with compiled(function, stage, dynamic=False) as one:
                one.call(*arguments)
        except Exception as earlier:
            error, details["stage"] = earlier, stage
            break
    if details.get("stage") is None and not _compiles_anything(backend, arguments):
        return None
    cause = getattr(error, "inner_exception", None) or error.__cause__ or error
    if type(error).__name__ == "Unsupported":
        return Finding(
            "graph break",
            f"torch.compile(fullgraph=True) cannot take the call into one graph: {refused(error)}",
            details,
        )
    where = {"eager": "tracing"}.get(str(details.get("stage", backend)), backend)
    return Finding(
        "compile fails",
        f"the call works, and compiled it fails, in {where}: {refused(cause)}",
        details,
    )


def _compiles_anything(backend: str, arguments: tuple[Any, ...]) -> bool:
    """Whether it compiles a plain function, where the arguments are."""
    device = next((a.device for a in arguments if isinstance(a, torch.Tensor)), None)
    try:
        with compiled(_plain, backend, dynamic=False) as control:
            control.call(torch.ones(8, device=device))
    except Exception:
        return False
    return True


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    return tensor * 2 + 1
