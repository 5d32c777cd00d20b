"""What a toolchain is: the part of a build that differs from target to target.

Its values are named tuples, which cost less to define than dataclasses: every hit passes here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from opwright.spec.request import BuildRequest
from opwright.spec.target import Target


class Tools(NamedTuple):
    """The programs that one toolchain found on this machine.

    ``driver`` is the command that compiles, as words (``CXX="ccache g++"`` has two). ``programs``
    maps the role of every program whose content decides the binary (``compiler``, ``cc1plus``,
    ``assembler``, ``linker``) to its resolved path; ``version`` is what the driver says it is.
    """

    driver: tuple[str, ...]
    programs: tuple[tuple[str, Path], ...]
    version: str


class Step(NamedTuple):
    """One unit to compile: what is read and what is written, all absolute. ``name`` is the unit's."""

    name: str
    source: Path
    output: Path
    depfile: Path


class Job(NamedTuple):
    """What every command of one build has in common.

    ``prefix_map`` pairs folders with the names that stand for them inside the binary, so that no
    path of this machine gets into it; the last pair that fits wins.
    """

    request: BuildRequest
    tools: Tools
    environment: Mapping[str, str]
    prefix_map: tuple[tuple[str, str], ...] = ()


class Toolchain(Protocol):
    """One family of compilers. A module of this package is one: its functions are these.

    Everything but ``find_driver`` and ``find_tools`` is pure: it starts no process and reads no file
    besides what the kernel says of this machine.
    """

    @property
    def kind(self) -> str:
        """The kind of target that it compiles for, which is also the module's name."""

    @property
    def driver_environment(self) -> tuple[str, ...]:
        """Names of the environment variables that decide which compiler ``find_driver`` finds."""

    @property
    def driver_names(self) -> tuple[str, ...]:
        """What ``find_driver`` looks for on PATH where no variable names a compiler."""

    @property
    def environment(self) -> tuple[str, ...]:
        """Names of the environment variables that change what the compiler makes."""

    @property
    def traced_programs(self) -> str:
        """A regular expression for the names of the programs that read sources and libraries."""

    def find_driver(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """The compiler's command, its first word resolved; cheap, starts no process.

        Raises `ToolchainError` with what was tried and how to get one.
        """

    def find_tools(self, driver: tuple[str, ...], environment: Mapping[str, str]) -> Tools:
        """Ask the compiler for its version and its programs; raises `ToolchainError` if it is unfit."""

    def architecture(self, target: Target) -> str:
        """What the target's architecture stands for on this machine: ``native`` becomes features."""

    def compile_command(self, job: Job, step: Step) -> list[str]:
        """The command that compiles one unit and writes its dependencies to ``step.depfile``."""

    def preprocess_command(self, job: Job, step: Step) -> list[str]:
        """The command that writes what the compiler proper would see of the unit to ``step.output``."""

    def not_there(self, error: str) -> str:
        """The name in a compiler's error that real devices know, and this target does not; empty for none."""

    def link_command(self, job: Job, objects: tuple[Path, ...], output: Path) -> list[str]:
        """The command that links the objects to a shared library."""
