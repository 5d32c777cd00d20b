"""A whole run of measurements: build, time in several fresh processes, and say what that shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from functools import partial
from typing import Any, Protocol

from opwright.devices.device import Device, device_for
from opwright.errors import DeviceError, FoundFault, OpwrightError, UsageError
from opwright.log import log
from opwright.measure.machine import MachineState, clocks_policy, machine_state, why_unreliable
from opwright.records.artifact import Artifact
from opwright.records.measurement import (
    Measurement,
    OperatorMeasurement,
    RatioRecord,
    Row,
)
from opwright.session.bench_against import (
    backward_libraries,
    what_is_held_against,
)
from opwright.session.bench_asked import BenchAsked
from opwright.session.bench_cases import bench_cases
from opwright.session.bench_rivals import compiles
from opwright.session.bench_rows import Timed, lacking_of, ratios_of, rows_of, timed_from_json
from opwright.session.bench_subject import PRELOAD, SETUP
from opwright.session.building import build_operator
from opwright.session.cases import plain_artifact
from opwright.session.environment import environment_facts
from opwright.session.recording import artifact_facts, label_of
from opwright.session.run import found_operators
from opwright.session.stages import Use, measure_stages
from opwright.session.standing import what_checks_said
from opwright.session.subject import COMPILER, INDUCTOR
from opwright.session.whole import with_whole
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.worker import Ended, Worker
from opwright.worker import Limits as WorkerLimits

# For all samples of a row in one process, judging and torch.compile of a reference included.
_ROW_SECONDS = 300.0


class Watcher(Protocol):
    """Who is told how far a measurement has come."""

    def begin(self, operator: str, rows: int) -> None:
        """The operator of this name is next; so many rows will be timed, those of other processes too."""

    def row(self, process: int, case: str) -> None:
        """A row is timed in one process."""


@dataclass
class BenchRun:
    """What has come of a run so far."""

    started_at: str = field(
        default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds")
    )
    operators: list[OperatorMeasurement] = field(default_factory=list)
    errors: list[OpwrightError] = field(default_factory=list)
    before: MachineState | None = None
    device: Device | None = None
    on_finished: Callable[[], None] = lambda: None  # behind each operator

    @property
    def exit_code(self) -> int:
        """That of the first error; 0 where all was timed, whatever the verdicts."""
        return self.errors[0].exit_code if self.errors else 0

    def record(self, command: str, version: str) -> Measurement:
        """All of it; ``command`` is what the user has written, ``version`` Opwright's."""
        return Measurement(
            opwright=version,
            command=command,
            started_at=self.started_at,
            environment=environment_facts(),
            machine=self._machine(),
            operators=tuple(self.operators),
        )

    def doubts(self, looks: Sequence[MachineState]) -> list[str]:
        """What the machine's states during some samples say against them."""
        return why_unreliable(self.before, looks, looks[-1]) if self.before else []

    def _machine(self) -> dict[str, Any]:
        """Its state before and after, and what drives its clocks; nothing where the run has not begun."""
        if self.before is None:
            return {}
        after = machine_state(self.device)
        states = {"before": asdict(self.before), "after": asdict(after)}
        return {"policy": clocks_policy(self.before), **states}


def bench_operators(
    run: BenchRun, operators: Sequence[str], asked: BenchAsked, watcher: Watcher
) -> None:
    """Time every operator that is named, with its backwards, and add it to ``run``.

    One that does not build or is wrong is put down, and the next one taken. Raises what would be the
    same for every operator.
    """
    run.device = device_for(asked.target)
    run.before = machine_state(run.device)
    if asked.stages:
        for address, described in found_operators(operators):
            _put_down(run, partial(_staged, address, described.spec, asked, watcher))
        return
    limits = WorkerLimits(case_seconds=_ROW_SECONDS, setup_seconds=_ROW_SECONDS)
    with Worker(SETUP, preload=preload_for(asked), limits=limits) as worker:
        for address, described in found_operators(operators):
            if _is_left_out(described.spec, operators, asked):
                continue
            _put_down(
                run, partial(_measured, run, worker, watcher, asked, (address, described.spec))
            )


def preload_for(asked: BenchAsked) -> tuple[str, ...]:
    """What the processes that time are born with: compilers take seconds to import, and not all need them."""
    if not any(map(compiles, asked.against)):
        return PRELOAD
    own = () if asked.target.device_type == "cuda" else (INDUCTOR,)
    return (*PRELOAD, *COMPILER, *own)


def _is_left_out(spec: OperatorSpec, named: Sequence[str], asked: BenchAsked) -> bool:
    """Whether it computes gradients, and is timed with its forward or not asked for."""
    if spec.forward is None:
        return False
    wanted = asked.backwards or any(text.endswith(f":{spec.name}") for text in named)
    return asked.gradients or not wanted


def _staged(
    address: str, spec: OperatorSpec, asked: BenchAsked, watcher: Watcher
) -> OperatorMeasurement:
    case = bench_cases(spec, asked.shapes, asked.dtypes)[0]
    # At first: a source that does not compile is an error of its own, and not a process that came to no end.
    artifact = build_operator(spec, asked.target, binding=asked.binding)
    watcher.begin(spec.name, 2 * asked.processes)
    stages = measure_stages(
        Use(address, asked.target, case, asked.binding), asked.processes, watcher.row
    )
    return _measurement(spec, asked, artifact, stages=stages)


def _put_down(run: BenchRun, measured: Callable[[], OperatorMeasurement]) -> None:
    try:
        run.operators.append(measured())
        run.on_finished()
    except (UsageError, DeviceError):
        raise  # it will be the same for every operator
    except OpwrightError as error:
        run.errors.append(error)


def _measured(
    run: BenchRun,
    worker: Worker,
    watcher: Watcher,
    asked: BenchAsked,
    named: tuple[str, OperatorSpec],
) -> OperatorMeasurement:
    address, spec = named
    cases = bench_cases(spec, asked.shapes, asked.dtypes, gradients=asked.gradients)
    payload: dict[str, Any] = {
        "operator": address,
        "target": str(asked.target),
        "timer": asked.timer_name,
        "cache": asked.cache,
        "gradients": asked.gradients,
        "backwards": backward_libraries(spec, asked),
        "against": what_is_held_against(asked, spec),
    }
    artifact = with_whole(
        partial(build_operator, spec, asked.target, binding=asked.binding),
        partial(_ready, worker, payload),
    )
    watcher.begin(spec.name, len(cases) * asked.processes)
    timed: dict[str, list[Timed]] = {case.name: [] for case in cases}
    looks: dict[str, list[MachineState]] = {case.name: [] for case in cases}
    for process in range(asked.processes):
        for case in cases:
            earlier = timed[case.name]
            earlier.append(_timed(worker, (spec.name, case), earlier, asked))
            looks[case.name].append(machine_state(run.device))  # at once: clocks fall at rest
            watcher.row(process, case.name)
        worker.end_child()  # the next one has other addresses, and a cache of its own
    rows: list[Row] = []
    ratios: list[RatioRecord] = []
    for case in cases:
        doubts = run.doubts(looks[case.name])
        rows += rows_of(case, timed[case.name], asked.timer_name, asked.cache, doubts)
        ratios += ratios_of(case, timed[case.name], asked.bound, asked.share_percent)
        ratios += lacking_of(case, timed[case.name])
    return _measurement(spec, asked, artifact, rows=tuple(rows), ratios=tuple(ratios))


def _measurement(
    spec: OperatorSpec, asked: BenchAsked, artifact: Artifact | None, **found: Any
) -> OperatorMeasurement:
    """What was ``found`` of an operator, with what has to stand beside it."""
    return OperatorMeasurement(
        name=spec.name,
        schema=spec.schema.text,
        implementation=spec.implementation,
        location=str(spec.location),
        target=str(asked.target),
        label=label_of(asked.target),
        artifact=artifact_facts(artifact),
        checked=what_checks_said(artifact),
        **found,
    )


def _ready(worker: Worker, payload: dict[str, Any], artifact: Artifact | None) -> None:
    worker.use({**payload, "artifact": plain_artifact(artifact)}, setup=SETUP)
    worker.prepare()


def _timed(
    worker: Worker, named: tuple[str, Case], earlier: Sequence[Timed], asked: BenchAsked
) -> Timed:
    """What one more process answers for the case of the operator of this name."""
    name, case = named
    item = {
        "case": case.to_json(),
        "limits": asdict(asked.limits),
        "process": len(earlier),
        "judged": earlier[-1].judged if earlier else {},
    }
    answer = next(worker.run([item]))
    if isinstance(answer, Ended):
        log("bench.ended", f"{name}: {answer.stack or answer.stderr}")
        raise FoundFault(
            f"{name} could not be timed on {case.name}: it {answer.message}",
            hint="Run `opwright check` on it; -v shows the stack here. Faults of later calls show only in many.",
        )
    if "wrong" in answer:
        raise FoundFault(answer["wrong"], hint="Run `opwright check`: wrong results are not timed.")
    return timed_from_json(answer)
