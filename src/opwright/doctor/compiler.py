"""The C++ compiler of the host, and ninja: what every build needs."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from opwright.doctor.finding import TARGETS, Finding
from opwright.doctor.machine import Machine
from opwright.errors import ToolchainError
from opwright.toolchain import cpu

_NEEDED = tuple(f"build {target}" for target in TARGETS)
_FIX = "Install g++ (Debian, Ubuntu: apt-get install g++) or name a compiler in CXX."
_NINJA_FIX = "Builds go on without it, a little slower. To install it: python -m pip install ninja"
_VERSION = re.compile(r"\d+(\.\d+)+")
_PROGRAM = """
#include <optional>
#include <string>
int main() {
  std::optional<std::string> text = "opwright";
  return text->size() == 8 ? 0 : 1;
}
"""


@dataclass(frozen=True)
class HostCompiler:
    """A C++ compiler that says its version. ``driver`` is its command, ``family`` gcc or clang."""

    driver: tuple[str, ...]
    family: str
    version: str

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(self.version.split(".")[0])

    @property
    def name(self) -> str:
        """The command as one text."""
        return " ".join(self.driver)


def find_compiler(machine: Machine) -> tuple[HostCompiler | None, str]:
    """The compiler that builds use, and why there is none."""
    try:
        driver = cpu.find_driver(machine.environment)
    except ToolchainError as error:
        return None, error.what
    answer = machine.ask([*driver, "--version"])
    if not answer.ok:
        return None, answer.why_not
    first = next(iter(answer.text.splitlines()), "")
    version = _VERSION.search(re.sub(r"\([^)]*\)", "", first))  # g++ (Debian 12.2.0-14) 12.2.0
    if version is None:
        return None, f"{driver[0]} --version prints no version"
    return HostCompiler(driver, "clang" if "clang" in first else "gcc", version[0]), ""


def probe_compiler(compiler: HostCompiler | None, why_not: str) -> Finding:
    """Is there a C++ compiler, and which?"""
    if compiler is None:
        return Finding("C++ compiler", "missing", why_not, _FIX, _NEEDED)
    facts = {
        "driver": list(compiler.driver),
        "family": compiler.family,
        "version": compiler.version,
    }
    what = f"{compiler.name}, {compiler.family} {compiler.version}"
    return Finding("C++ compiler", "ok", what, needed_for=_NEEDED, facts=facts)


def probe_compiles(machine: Machine, compiler: HostCompiler | None, *, quick: bool) -> Finding:
    """Can it compile, link and run a small C++17 program?"""
    subject = "compile and run"
    if compiler is None:
        return Finding(subject, "not checked", "no C++ compiler", _FIX, _NEEDED)
    if quick:
        return Finding(subject, "not checked", "left out by --quick", needed_for=_NEEDED)
    with tempfile.TemporaryDirectory(prefix="opwright-doctor-") as folder:
        source, program = Path(folder, "tiny.cpp"), Path(folder, "tiny")
        source.write_text(_PROGRAM, encoding="utf-8")
        built = machine.ask(
            [*compiler.driver, "-std=c++17", source, "-o", program], timeout_seconds=120
        )
        if not built.ok:
            fix = "Install the C++ standard library of this compiler (Debian: libstdc++-dev), or set CXX."
            return Finding(subject, "problem", f"does not compile: {built.why_not}", fix, _NEEDED)
        ran = machine.ask([program])
    if not ran.ok:
        fix = "The program is linked against a library that is not found at run time: see LD_LIBRARY_PATH."
        return Finding(subject, "problem", f"compiles, does not run: {ran.why_not}", fix, _NEEDED)
    return Finding(subject, "ok", "a C++17 program compiles, links and runs", needed_for=_NEEDED)


def probe_ninja(machine: Machine, candidates: list[Path]) -> Finding:
    """Is there a ninja that runs? Builds do without, a little slower, so nothing depends on it."""
    refused: list[str] = []
    for path in candidates:
        answer = machine.ask([path, "--version"])
        if answer.ok:
            what = "; ".join([f"{path}, {answer.text}", *(f"not used: {why}" for why in refused)])
            return Finding("ninja", "ok", what, facts={"path": str(path), "version": answer.text})
        refused.append(answer.why_not)
    if refused:
        return Finding(
            "ninja", "problem", "; ".join(refused), _NINJA_FIX, facts={"refused": refused}
        )
    what = f"not in this environment ({machine.python.parent}), not on PATH"
    return Finding("ninja", "missing", what, _NINJA_FIX)
