"""What a graph mode is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from opwright.devices.device import Device
from opwright.graph.arrangement import Arrangement, Function
from opwright.graph.differences import Allowed
from opwright.inputs.call import Call
from opwright.records.graph import Answer
from opwright.records.verdict import Finding
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

NOT_ASKED = Answer("not checked", "the run did not come so far")


@dataclass(frozen=True)
class Setting:
    """One trial: the operator in one arrangement, made a graph in one way (``how``) and run on ``cases``.

    ``function`` is what users call, ``name`` what it is called in graphs (``opwright::swish``). ``cases`` are
    those of each run, the first one that of making the graph: same arguments, other values, and other sizes
    where ``how`` says so. ``option`` is the mode's (a compiler's back end). ``judge`` says what is wrong with
    results of a call as it is, ``stage`` notes how far the trial has come, for whoever survives the process.
    """

    spec: OperatorSpec
    function: Function
    name: str
    device: Device | None
    arrangement: Arrangement
    how: str
    option: str
    cases: tuple[Case, ...]
    allowed: Allowed
    judge: Callable[[Case, Call, Sequence[torch.Tensor]], tuple[Finding, ...]]
    stage: Callable[[str], None]


@dataclass(frozen=True)
class Evidence:
    """What the graph itself says, once it has run: three of the four answers, and what was counted."""

    in_graph: Answer
    captured: Answer
    fused: Answer
    findings: tuple[Finding, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


class Graphed(Protocol):
    """A module in graph mode.

    ``static`` says that a run may write to the memory of the results before it: whoever wants to keep those
    copies them. ``taken`` are the tensors that the last run has worked on: those that were given, or a
    graph's own.
    """

    static: bool
    taken: Sequence[torch.Tensor]

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """All fresh results for these tensors. Written arguments are changed in place, in ``taken``."""

    def evidence(self) -> Evidence:
        """What can be said of the graph by now."""


class Failed(Exception):
    """The operator cannot be in such a graph. ``findings`` say why; ``not_checked`` that it is not its fault."""

    def __init__(self, *findings: Finding, not_checked: str = "") -> None:
        super().__init__(not_checked or "; ".join(finding.message for finding in findings))
        self.findings, self.not_checked = findings, not_checked


Open = Callable[[Setting, torch.nn.Module, Sequence[torch.Tensor]], AbstractContextManager[Graphed]]


@dataclass(frozen=True)
class Mode:
    """One kind of graph.

    ``options`` are what can follow its name behind a colon, the first one where nothing does; none: nothing
    can. ``hows`` are the ways in which a graph is made and run; operators that are not alone get the first.
    ``why_not`` says why nothing can be run on a target with an option in a way, empty where it can; it
    imports no device. ``open`` makes the graph of a module for tensors like those given; it raises `Failed`,
    and what calling the result raises is put into words by ``blame``. ``check_option`` is for a mode whose
    options take settings behind another colon: it raises `UsageError` for what is wrong with one.
    ``sees_inside`` says, for an option, whether its compiler is to see what the operator's Python function
    calls, and not the operator. ``one_size`` are options whose graphs are for the sizes that they were made
    for, and made in the first way alone. ``full_cores`` is the way in which more cores run than the graph needs, where
    there is one.
    """

    name: str
    promise: str
    options: tuple[str, ...]
    hows: tuple[str, ...]
    why_not: Callable[[Target, str], str]
    open: Open
    blame: Callable[[Setting, BaseException], Failed]
    cases: Callable[[OperatorSpec, Case, str, int], tuple[Case, ...]]
    check_option: Callable[[str], None] | None = None
    sees_inside: Callable[[str], bool] | None = None
    one_size: tuple[str, ...] = ()
    full_cores: str = ""
