"""What a check is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from opwright.binding.emulation import Emulation
from opwright.checks.judging.programs import Program
from opwright.devices.device import Device
from opwright.records.verdict import Outcome
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import HOST, Target

Build = Literal["plain", "watched", "sanitized", "device sanitized"]
"""Which library a check runs on: the one that users get, or one that tells more and is made for it alone."""


@dataclass(frozen=True)
class Surroundings:
    """Global state of the process, before the operator was loaded or after: names and texts."""

    process: Mapping[str, str] = field(default_factory=dict)
    floating_point: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """An operator under test, in the process that runs it.

    ``call`` takes the schema's arguments and returns what the schema returns. ``before`` and ``after``
    say how its loading found the process and how it left it. ``emulation`` is what runs its device code
    where no device does; ``device`` is where it runs, None for the host: ``call`` takes tensors of the
    host all the same, and gives such. ``kernel`` is the same for tensors of the device itself.
    ``lacks_backward`` says why its gradients cannot be asked for here, empty where they can.
    """

    spec: OperatorSpec
    call: Callable[..., Any]
    before: Surroundings = Surroundings()
    after: Surroundings = Surroundings()
    emulation: Emulation | None = None
    device: Device | None = None
    kernel: Callable[..., Any] | None = None
    lacks_backward: str = ""


@dataclass(frozen=True)
class Plan:
    """What a check will ask of an operator: cases, or why there are none."""

    cases: tuple[Case, ...] = ()
    why_none: str = ""


def no_sizes(spec: OperatorSpec) -> str:
    """Why most checks plan nothing, where they do: there are no sizes to try."""
    return f"no declared sizes of {spec.name} make non-empty tensors and meet its constraints"


@dataclass(frozen=True)
class Check:
    """One question about an operator.

    ``cases`` plans without running anything: from a description to concrete calls.
    ``run`` answers for one case, in a process of its own; it raises nothing on purpose, and what the
    operator does to the process (crash, hang, exit) is found from outside. ``promise`` completes
    "a pass says that ..." in one sentence. ``why_none`` says why ``cases`` gives nothing for a
    description for which it does. A check that ``spoils`` may leave its process unfit for more once it
    has found something. Cases of one that ``shrinks`` mean the same at other sizes, layouts, dtypes and
    values. ``program`` shows a case without the check, None for what no few calls can show.
    ``not_on_devices`` says why a check tells nothing of a kernel that runs on a device; one for
    ``devices_only`` has no question for the host. ``build`` is the library that it runs on, ``kinds`` are
    those of the targets that it is for, none for all. One that ``takes_gradients`` has the kernels of the
    operator's backwards beside it. One that ``compiles`` uses PyTorch's compiler, or what imports it.
    """

    name: str
    promise: str
    cases: Callable[[OperatorSpec], Iterable[Case]]
    run: Callable[[Case, Subject], Outcome]
    why_none: Callable[[OperatorSpec], str] = no_sizes
    spoils: bool = False
    shrinks: bool = False
    program: Program | None = None
    not_on_devices: str = ""
    devices_only: bool = False
    build: Build = "plain"
    kinds: tuple[str, ...] = ()
    takes_gradients: bool = False
    compiles: bool = False

    def asks(self, target: Target) -> bool:
        """Whether it has a question for kernels on ``target``."""
        if self.devices_only and target.device_type == "cpu":
            return False
        return not self.kinds or target.kind in self.kinds

    def is_for(self, target: Target) -> bool:
        """Whether it tells anything of kernels on ``target``."""
        return self.asks(target) and not (self.not_on_devices and target.device_type != "cpu")

    def plan(self, spec: OperatorSpec, target: Target = HOST) -> Plan:
        """The cases for an operator on a target, or the reason why there are none."""
        if self.not_on_devices and target.device_type != "cpu":
            return Plan(why_none=self.not_on_devices)
        cases = tuple(self.cases(spec))
        return Plan(cases) if cases else Plan(why_none=self.why_none(spec))
