"""What to run, as data and as a ninja file. Pure: nothing is started or written here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from opwright.build.stage import Stage, steps_of
from opwright.toolchain.base import Job, Step, Toolchain


@dataclass(frozen=True)
class Action:
    """One command. ``log`` gets both of its streams; ``code`` its exit code, if that is not 0."""

    name: str
    command: tuple[str, ...]
    cwd: Path
    inputs: tuple[Path, ...]
    output: Path

    @property
    def log(self) -> Path:
        """The command's whole output."""
        return self.output.with_suffix(".log")

    @property
    def code(self) -> Path:
        """Its exit code, written only when it failed."""
        return self.output.with_suffix(".code")

    def shell(self) -> str:
        """The command for ``sh -c``. Its output goes to the log unread: it can be hundreds of megabytes."""
        log, code = shlex.quote(str(self.log)), shlex.quote(str(self.code))
        run = f"cd {shlex.quote(str(self.cwd))} && {shlex.join(self.command)}"
        return f"{{ {run}; }} > {log} 2>&1 || {{ code=$?; echo $code > {code}; exit $code; }}"


@dataclass(frozen=True)
class Plan:
    """The commands of one build: the units in any order, then the link."""

    steps: tuple[Step, ...]
    compile: tuple[Action, ...]
    link: Action

    @property
    def actions(self) -> tuple[Action, ...]:
        """All of them, in an order in which they can run one after the other."""
        return (*self.compile, self.link)


def plan_build(job: Job, toolchain: Toolchain, stage: Stage) -> Plan:
    """The plan for a request; raises `SpecError` where two units get in each other's way."""
    steps = steps_of(job.request, stage)
    cwd = Path(job.request.root).absolute()
    compile_actions = tuple(
        Action(step.name, tuple(toolchain.compile_command(job, step)), cwd, (), step.output)
        for step in steps
    )
    objects = tuple(step.output for step in steps)
    library = stage.entry / f"lib{job.request.name}.so"
    linked = stage.objects / library.name
    link = Action(
        library.name, tuple(toolchain.link_command(job, objects, linked)), cwd, objects, linked
    )
    return Plan(steps, compile_actions, link)


def ninja_text(plan: Plan) -> str:
    """The plan as a ninja file."""
    lines = ["rule run", "  command = $shell", "  description = $name", ""]
    for action in plan.actions:
        inputs = " ".join(_path(path) for path in action.inputs)
        lines += [
            f"build {_path(action.output)}: run {inputs}",
            f"  name = {_value(action.name)}",
            f"  shell = {_value(action.shell())}",
        ]
    return "\n".join([*lines, f"default {_path(plan.link.output)}", ""])


def _value(text: str) -> str:
    return text.replace("$", "$$")


def _path(path: Path) -> str:
    return str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:")
