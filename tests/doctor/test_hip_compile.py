"""Architectures that a compiler takes or does not: the compiler is a script, the asking is real."""

from __future__ import annotations

from fake_machine import FakeMachine
from opwright.doctor.hip_compile import probe_compilable

TAKES_TWO = """
for word in "$@"; do case $word in
  --version) echo "HIP version: 6.3.25405"; exit 0;;
  --print-supported-cpus) printf '\\tgfx928\\n\\tgfx936\\n' >&2; exit 0;;
  --offload-arch=gfx928|--offload-arch=gfx936) exit 0;;
esac; done
echo "clang: error: invalid target ID" >&2; exit 1
"""


def with_host(fake: FakeMachine) -> FakeMachine:
    fake.environment["PATH"] += ":/usr/bin:/bin"
    return fake


def test_what_the_compiler_takes_is_told_from_what_it_does_not_know(fake: FakeMachine) -> None:
    fake.environment["HIPCXX"] = str(fake.tool("hipcc", TAKES_TWO))
    finding = probe_compilable(with_host(fake).machine, quick=False)
    assert finding.status == "ok"
    assert finding.facts["compiles_for"] == ["gfx928", "gfx936"]
    assert "compiles for gfx928, gfx936; " in finding.what
    assert "does not know gfx942" in finding.what
    assert probe_compilable(fake.machine, quick=True).status == "not checked"


def test_a_compiler_that_takes_nothing_is_a_problem(fake: FakeMachine) -> None:
    refuses = '[ "$1" = --version ] && exit 0\necho "error: invalid target ID" >&2; exit 1'
    fake.environment["HIPCXX"] = str(fake.tool("hipcc", refuses))
    finding = probe_compilable(with_host(fake).machine, quick=False)
    assert finding.status == "problem"
    assert finding.facts["compiles_for"] == []
