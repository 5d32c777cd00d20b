"""A whole check run: find the operators, check one after the other, and put down what came of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

from opwright.checks.protocol import Build, Check
from opwright.checks.table import choose
from opwright.discovery import backwards_of, find, installed_names
from opwright.errors import DeviceError, OpwrightError
from opwright.log import waiting
from opwright.records.run import CaseRecord, OperatorRecord, Record
from opwright.records.verdict import Outcome, errored, not_checked
from opwright.session.cases import Progress
from opwright.session.checking import check_operator, checking
from opwright.session.device_sanitizing import device_sanitized
from opwright.session.emulating import watched
from opwright.session.environment import environment_facts
from opwright.session.recording import operator_record
from opwright.session.run_code import run_code
from opwright.session.sanitizing import sanitized
from opwright.session.standing import remember_checks
from opwright.spec.described import Described
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.worker import Worker


@dataclass(frozen=True)
class Asked:
    """What is asked of each operator. ``only`` names checks, none means all; unknown ones are a `UsageError`."""

    target: Target
    binding: str | None = None
    only: tuple[str, ...] = ()
    sanitize: bool = False

    def __post_init__(self) -> None:
        """Refuse unknown names, and what the target cannot be asked."""
        self.builds()

    def builds(self) -> set[Build]:
        """The builds that the checks run on."""
        return {check.build for check in self.checks()}

    def checks(self) -> tuple[Check, ...]:
        """The checks that answer."""
        return choose(self.only, self.target, sanitize=self.sanitize)


class Observer(Protocol):
    """Who is told how far a run has come."""

    def begin(self, operator: str) -> None:
        """The operator of this name is next, on a target where it is run on several."""

    def case(self, progress: Progress) -> None:
        """A case is done."""


@dataclass
class Run:
    """What has come of a run so far. ``errors`` are those of the operators that did not build, in order."""

    started_at: str = field(
        default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds")
    )
    operators: list[OperatorRecord] = field(default_factory=list)
    errors: list[OpwrightError] = field(default_factory=list)

    def record(self, command: str, version: str) -> Record:
        """All of it; ``command`` is what the user has written, ``version`` Opwright's. Imports torch."""
        return Record(
            opwright=version,
            command=command,
            started_at=self.started_at,
            environment=environment_facts(),
            operators=tuple(self.operators),
        )

    @property
    def exit_code(self) -> int:
        """A fault weighs more than what could not be judged, and that more than what proved nothing."""
        return run_code((operator.verdict for operator in self.operators), self.errors)


def check_operators(run: Run, operators: Sequence[str], asked: Asked, observer: Observer) -> None:
    """Check every operator that is named, and add its record to ``run``, which is good at any time.

    One that does not build is put down, and the next one taken. Raises what finding operators raises,
    and what would be the same for every operator.
    """
    with checking(asked.checks()) as worker:  # it imports torch while the first operator compiles
        for address, described in found_operators(operators):
            several = on_each_target(described.spec, asked)
            for each in several:
                name = described.spec.name
                observer.begin(f"{name} on {each.target}" if len(several) > 1 else name)
                try:
                    record = _checked(worker, address, described, each, observer)
                except DeviceError:
                    raise  # it will be the same for every operator
                except OpwrightError as error:
                    record = _not_built(described.spec, each.target, errored(str(error)))
                    run.errors.append(error)
                run.operators.append(record)
                remember_checks(record)


def on_each_target(spec: OperatorSpec, asked: Asked) -> tuple[Asked, ...]:
    """What is asked, for each target that is meant: device code for HIP may meet waves of both sizes.

    Where CUDA has sources of its own, those are what runs with 32 lanes, and those for HIP do so as well.
    """
    if asked.target != Target("emulated"):
        return (asked,)
    targets = [Target("emulated", "wave32")]
    if _is_for_hip(spec):
        targets.append(Target("emulated", "wave64"))
        if "cuda" in spec.sources and spec.sources["cuda"] != spec.sources["hip"]:
            targets.insert(1, Target("emulated", "wave32", "hip"))
    return tuple(replace(asked, target=target) for target in targets)


def _is_for_hip(spec: OperatorSpec) -> bool:
    if spec.extension is None:
        return "hip" in spec.sources
    from opwright.generate.emulated_extension import is_for_hip

    return is_for_hip([spec.folder / name for name in spec.extension.sources])


def found_operators(texts: Sequence[str]) -> list[tuple[str, Described]]:
    """Every operator that is named, once, with the text that finds it again in another process.

    Behind each come the operators that compute its gradients.
    """
    known = installed_names()
    found: dict[str, tuple[str, Described]] = {}
    for text in texts:
        with waiting(f"reading {text}", asked_for=text):
            several = find(text)
        installed = text in known and not Path(text).exists()
        for described in several:
            spec = described.spec
            in_file = f"{spec.location.file}:{spec.name}"
            found.setdefault(in_file, (text if installed else in_file, described))
            for backward in backwards_of(described):
                name = backward.spec.name
                address = f"{text if installed else spec.location.file}:{name}"
                found.setdefault(f"{spec.location.file}:{name}", (address, backward))
    return list(found.values())


def _not_built(spec: OperatorSpec, target: Target, outcome: Outcome) -> OperatorRecord:
    return operator_record(spec, target, (CaseRecord("build", "build", {}, outcome, 0.0),))


def _checked(
    worker: Worker, address: str, described: Described, asked: Asked, observer: Observer
) -> OperatorRecord:
    target, binding, watcher = asked.target, asked.binding, observer.case
    lacking = described.spec.lacks_kernels_for(target)
    if described.spec.forward is not None and lacking:
        return _not_built(described.spec, target, not_checked(lacking))
    builds = asked.builds()
    if "plain" in builds:
        record = check_operator(
            worker,
            address,
            described,
            target,
            only=asked.only,
            binding=binding,
            watcher=watcher,
            shrinks=True,
        )
    else:
        record = operator_record(described.spec, target, ())
    if "watched" in builds:
        record = watched(
            record, worker, address, described, target, binding=binding, watcher=watcher
        )
    if "sanitized" in builds:
        record = sanitized(record, address, described, target, binding=binding, watcher=watcher)
    if "device sanitized" in builds:
        record = device_sanitized(record, address, described, target, binding=binding)
    return record
