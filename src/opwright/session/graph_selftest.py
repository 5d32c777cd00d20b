"""The part of a self-test that `opwright graph` answers: planted faults of graph modes, and correct operators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from opwright.devices.device import device_count
from opwright.errors import CompileError, OpwrightError, StoreError, ToolchainError
from opwright.records.detection import Alarm, CorrectTrial, Trial
from opwright.session.graph_asked import GraphAsked
from opwright.session.graph_planted import GraphDefect, Silent, try_graph_defect
from opwright.session.graph_run import GraphRun, graph_operators, graphing
from opwright.session.simulating import build_simulated_device
from opwright.spec.target import HOST, Target
from opwright.worker import Worker

GRAPH = "graph"
_MODE = "compile:aot_eager"  # needs neither a device nor a compiler


@contextmanager
def graphing_here() -> Iterator[Worker]:
    """A worker for both."""
    with graphing(GraphAsked(HOST, ())) as worker:
        yield worker


def try_planted_graph(worker: Worker, defect: GraphDefect, *, quick: bool) -> Trial:
    """Whether the fault is found here: on the host, on a GPU, or on the simulated device where there is none.

    A ``quick`` self-test builds no simulated device.
    """
    target = _place(defect, quick=quick)
    try:
        if target.kind == "simulated":
            build_simulated_device()  # it takes minutes at first, which are none of the trial's
        found = try_graph_defect(worker, defect, target)
    except (ToolchainError, CompileError) as error:
        return Trial(defect.name, GRAPH, "not checkable", error.what)
    return Trial(defect.name, GRAPH, found.answer, found.reason)


def _place(defect: GraphDefect, *, quick: bool) -> Target:
    if defect.target == HOST or (quick and not device_count(Target("cuda"))):
        return HOST
    return Target("cuda") if device_count(Target("cuda")) else defect.target


def try_correct_graph(worker: Worker, folder: Path, before: CorrectTrial) -> CorrectTrial:
    """What was found ``before`` in a correct operator, and what a compiled graph of it adds."""
    run = GraphRun()
    try:
        asked = GraphAsked(HOST, (_MODE,), alone=True)
        graph_operators(run, worker, [str(folder)], asked, Silent())
    except StoreError:
        raise
    except OpwrightError as error:
        run.errors.append(error)
    lacking = [error for error in run.errors if isinstance(error, ToolchainError)]
    if lacking:
        return replace(before, reason=before.reason or lacking[0].what)
    said = [f"{t.how}: {f.message}" for o in run.operators for t in o.trials for f in t.findings]
    said += [error.what for error in run.errors]
    alarms = tuple(Alarm(folder.name, GRAPH, each) for each in said)
    return replace(before, alarms=(*before.alarms, *alarms))
