"""A whole run of graph modes: build, make every trial in a process of its own, and say what that shows."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Protocol

from opwright.binding.dispatch import dispatch_key
from opwright.devices.device import device_count
from opwright.errors import (
    DeviceError,
    OpwrightError,
    UsageError,
)
from opwright.graph.modes import parse_mode
from opwright.graph.protocol import NOT_ASKED
from opwright.graph.superkernel.asked import installed_version
from opwright.graph.trial import with_fault, with_reason
from opwright.records.artifact import Artifact
from opwright.records.graph import GraphedOperator, GraphRecord, GraphTrial, trial_from_json
from opwright.records.verdict import Finding
from opwright.session.building import build_operator
from opwright.session.cases import plain_artifact
from opwright.session.ends import ended_outcome
from opwright.session.environment import environment_facts
from opwright.session.graph_asked import GraphAsked, Planned, planned
from opwright.session.graph_emitting import emitted
from opwright.session.graph_subject import PRELOAD, SETUP
from opwright.session.recording import artifact_facts, label_of
from opwright.session.run import found_operators
from opwright.session.run_code import run_code
from opwright.session.subject import INDUCTOR
from opwright.session.whole import with_whole
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.worker import Ended, Limits, Worker

_SETUP_SECONDS = 300.0
_LOADING = "loading"  # the stage in which arguments are made
# Option of a mode -> what it is made with.
_COMPILERS = {
    "inductor": INDUCTOR,
    "npugraph_ex": "torch_npu.dynamo.npugraph_ex",
    "ge": "torch_npu.dynamo.torchair",
}


class Watcher(Protocol):
    """Who is told how far a run has come."""

    def begin(self, operator: str, trials: int) -> None:
        """The operator of this name is next, in a mode; so many trials will be made."""

    def trial(self, trial: GraphTrial) -> None:
        """A trial is done."""


@dataclass
class GraphRun:
    """What has come of a run so far."""

    started_at: str = field(
        default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds")
    )
    operators: list[GraphedOperator] = field(default_factory=list)
    errors: list[OpwrightError] = field(default_factory=list)

    def record(self, command: str, version: str) -> GraphRecord:
        """All of it; ``command`` is what the user has written, ``version`` Opwright's. Imports torch."""
        return GraphRecord(
            version, command, self.started_at, environment_facts(), tuple(self.operators)
        )

    @property
    def exit_code(self) -> int:
        """A fault weighs more than what could not be judged, and that more than what proved nothing.

        A script that was asked for and not written weighs as much as the last.
        """
        verdicts: list[str] = [operator.verdict for operator in self.operators]
        if any(operator.not_emitted for operator in self.operators):
            verdicts.append("not checked")
        return run_code(verdicts, self.errors)


@contextmanager
def graphing(asked: GraphAsked) -> Iterator[Worker]:
    """A worker for any number of operators. Enter it early: it imports torch meanwhile.

    What Inductor compiles lies in a folder that goes away with it: its trials share compiled headers.
    """
    with (
        tempfile.TemporaryDirectory(prefix="opwright-inductor-") as folder,
        Worker(
            SETUP,
            preload=preload_for(asked),
            limits=_limits(asked),
            environment={"TORCHINDUCTOR_CACHE_DIR": folder, "TORCHINDUCTOR_COMPILE_THREADS": "1"},
        ) as worker,
    ):
        yield worker


def graph_operators(
    run: GraphRun, worker: Worker, operators: Sequence[str], asked: GraphAsked, watcher: Watcher
) -> None:
    """Try every operator that is named in every mode, and add what comes of it to ``run``.

    One that does not build is put down, and the next one taken. Raises what would be the same for every
    operator.
    """
    dispatch_key(asked.target)
    worker.limits = _limits(asked)
    with tempfile.TemporaryDirectory(prefix="opwright-graph-") as folder:
        for address, described in found_operators(operators):
            if described.spec.forward is not None:
                continue  # a graph of inference has no backward in it
            tried = _Operator(worker, address, described.spec, asked, Path(folder) / "stage")
            mode = ""
            try:
                for mode in asked.modes:
                    run.operators.append(tried.in_mode(mode, watcher))
            except (UsageError, DeviceError):
                raise
            except OpwrightError as error:  # it will be the same in the other modes
                run.errors.append(error)
                run.operators.append(replace(tried.untried(mode), not_run=error.what))


def preload_for(asked: GraphAsked) -> tuple[str, ...]:
    """What the processes of trials are born with: compilers take seconds to import, and not all need them."""
    options = [parse_mode(mode)[1].partition(":")[0] for mode in asked.modes]
    if asked.target.device_type == "cuda":
        return PRELOAD  # see INDUCTOR
    if asked.target.kind == "npu" and installed_version() is None:
        return PRELOAD
    return (*PRELOAD, *(_COMPILERS[option] for option in options if option in _COMPILERS))


def _limits(asked: GraphAsked) -> Limits:
    return Limits(case_seconds=asked.seconds, setup_seconds=_SETUP_SECONDS)


class _Operator:
    """One operator on the way through its trials."""

    def __init__(
        self, worker: Worker, address: str, spec: OperatorSpec, asked: GraphAsked, stage: Path
    ) -> None:
        self._worker, self._address, self._spec = worker, address, spec
        self._asked, self._stage = asked, stage

    def in_mode(self, mode: str, watcher: Watcher) -> GraphedOperator:
        """Everything that one mode shows of it. Raises what a build raises."""
        spec, asked = self._spec, self._asked
        record = self.untried(mode)
        kind, option = parse_mode(mode)
        if why := kind.why_not(asked.target, option):
            return replace(record, not_run=why)
        if asked.emit is not None:
            record = emitted(record, spec, mode, asked)
        if why := _no_device(asked.target):
            return replace(record, not_run=why)
        if lacking := spec.lacks_kernels_for(asked.target):
            return replace(record, not_run=lacking)
        trials = list(planned(spec, mode, asked))
        artifact = with_whole(partial(build_operator, spec, asked.target), self._put_under_test)
        watcher.begin(f"{spec.name} in {mode}", len(trials))
        made = []
        for trial in trials:
            made.append(self._made(trial))
            watcher.trial(made[-1])
        return replace(record, trials=tuple(made), artifact=artifact_facts(artifact))

    def untried(self, mode: str) -> GraphedOperator:
        """What a record says of it before anything is tried in a mode."""
        spec, asked = self._spec, self._asked
        return GraphedOperator(
            spec.name,
            spec.schema.text,
            spec.implementation,
            str(spec.location),
            str(asked.target),
            label_of(asked.target),
            mode,
            str(asked.allowed),
        )

    def _put_under_test(self, artifact: Artifact | None) -> None:
        payload = {
            "operator": self._address,
            "artifact": plain_artifact(artifact),
            "target": str(self._asked.target),
            "stage": str(self._stage),
        }
        self._worker.use(payload, setup=SETUP)
        self._worker.prepare()

    def _made(self, trial: Planned) -> GraphTrial:
        """What became of one trial; the end of its process is a finding with the stage that it had reached."""
        empty = _nothing_yet(trial)
        if not trial.cases:
            return with_reason(
                empty,
                "no other sizes meet the description's constraints, or they would be too large",
            )
        self._stage.write_text(_LOADING, encoding="utf-8")
        started = time.monotonic()
        item = {**trial.to_json(), "tolerance": self._asked.tolerance}
        answer = next(self._worker.run([item]))
        stage = self._stage.read_text(encoding="utf-8")
        if isinstance(answer, Ended):
            made = _ended(empty, trial, answer, stage)
        elif "fault" in answer:
            made = with_fault(empty, (_at(Finding("device fault", answer["fault"]), trial, stage),))
        else:
            made = trial_from_json({k: v for k, v in answer.items() if k != "dirty"})
        return replace(made, stage=stage, seconds=time.monotonic() - started)


def _nothing_yet(trial: Planned) -> GraphTrial:
    return GraphTrial(
        trial.arrangement, trial.how, trial.case, *(NOT_ASKED, NOT_ASKED, NOT_ASKED, NOT_ASKED)
    )


def _ended(empty: GraphTrial, trial: Planned, ended: Ended, stage: str) -> GraphTrial:
    # Nothing has called the operator then.
    if stage == _LOADING and ended.kind in ("memory", "raised", "hung"):
        raised = "it raised " if ended.kind == "raised" else "the process "
        return with_reason(empty, f"its arguments could not be made: {raised}{ended.message}")
    outcome = ended_outcome(ended)
    if not outcome.findings:
        return with_reason(empty, outcome.reason)
    return with_fault(empty, tuple(_at(finding, trial, stage) for finding in outcome.findings))


def _at(finding: Finding, trial: Planned, stage: str) -> Finding:
    """The finding with the mode, and the stage that the trial had reached."""
    where = {"mode": trial.mode, "stage": stage}
    raised = "raised " if finding.kind == "exception" else ""
    message = f"in mode {trial.mode}, while {stage}: it {raised}{finding.message}"
    return replace(finding, message=message, details={**finding.details, **where})


def _no_device(target: Target) -> str:
    """Why nothing can be run here on a target that needs a device."""
    if target.device_type == "cpu" or device_count(target):
        return ""
    told = f"there is no device for the target {target} here"
    if target.kind == "npu":
        lacking = "" if installed_version() else ", and no torch-npu"
        return f"{told}{lacking}: run what --emit writes where there is one"
    return told
