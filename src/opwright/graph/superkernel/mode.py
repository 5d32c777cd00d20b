"""The graph mode ``superkernel``: inside a scope, at full cores, and in the same graph without a scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

from opwright.graph.plain import in_words
from opwright.graph.protocol import Failed, Graphed, Mode, Setting
from opwright.graph.superkernel import ge, npugraph_ex
from opwright.graph.superkernel.asked import WAYS, read_asked
from opwright.graph.superkernel.option_table import CORES_CONFLICT, GE
from opwright.records.verdict import Finding
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

SCOPED, FULL_CORES, UNSCOPED = "in a scope", "in a scope, full cores", "without a scope"


@contextmanager
def opened(
    setting: Setting, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> Iterator[Graphed]:
    """The module compiled in the way that is asked for. A companion alone needs no scope to be right."""
    del tensors
    open_way = ge.opened if read_asked(setting.option).way == GE else npugraph_ex.opened
    scoped = setting.how != UNSCOPED and bool(setting.name)
    with open_way(setting, module, scoped=scoped, full_cores=setting.how == FULL_CORES) as graphed:
        yield graphed


def blame(setting: Setting, error: BaseException) -> Failed:
    """What it means that compiling, capturing, fusing or replaying raises."""
    cause = getattr(error, "inner_exception", None) or error.__cause__ or error
    message = f"the call works, and {setting.how} it fails: {in_words(cause)}"
    if setting.how == FULL_CORES and read_asked(setting.option).way == GE:
        message += f". Note that {CORES_CONFLICT}"
    return Failed(Finding("fails in the graph", message, {"exception": type(cause).__name__}))


def why_not(target: Target, option: str) -> str:
    """Why nothing can be run here."""
    del option
    if target.kind != "npu":
        return f"SuperKernel is a thing of Ascend devices: use --target npu, and not {target}"
    return ""


def cases(spec: OperatorSpec, case: Case, how: str, repeat: int) -> tuple[Case, ...]:
    """The same call with other values, one a run: sizes are static."""
    del spec, how
    return tuple(case.with_other_values(number) for number in range(repeat + 1))


def check_option(option: str) -> None:
    """Raise `UsageError` for what `read_asked` refuses."""
    read_asked(option)


def sees_inside(option: str) -> bool:
    """The graph engine has an operator of its own for each that it knows, and none for Opwright's."""
    return read_asked(option).way == GE


MODE = Mode(
    "superkernel",
    "inside a SuperKernel's scope a call gives its own results, also at full cores and beside other operators",
    options=WAYS,
    hows=(SCOPED, FULL_CORES, UNSCOPED),
    why_not=why_not,
    open=opened,
    blame=blame,
    cases=cases,
    check_option=check_option,
    sees_inside=sees_inside,
    full_cores=FULL_CORES,
)
