from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from fake_machine import FakeMachine
from opwright.doctor.compiler import find_compiler, probe_compiler, probe_compiles, probe_ninja
from opwright.doctor.machine import Machine

GCC = "g++ (Distribution 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc."


@pytest.mark.parametrize(
    ("text", "family", "version"),
    [
        (GCC, "gcc", "12.2.0"),
        ("Ubuntu clang version 18.1.3 (1ubuntu1)", "clang", "18.1.3"),
        ("g++-14 (GCC) 14.2.1 20240805 (Red Hat 14.2.1-1)", "gcc", "14.2.1"),
    ],
)
def test_versions_of_compilers_are_read(
    fake: FakeMachine, text: str, family: str, version: str
) -> None:
    fake.says("c++", text)
    compiler, _ = find_compiler(fake.machine)
    assert (compiler.family, compiler.version) == (family, version)


def test_no_compiler_says_what_was_looked_for_and_how_to_get_one(fake: FakeMachine) -> None:
    finding = probe_compiler(*find_compiler(fake.machine))
    assert finding.status == "missing"
    assert "c++" in finding.what
    assert "apt-get install g++" in finding.fix
    assert "build cpu" in finding.needed_for


def test_cxx_that_names_nothing_is_not_replaced_by_another_compiler(fake: FakeMachine) -> None:
    fake.says("c++", GCC)
    fake.environment["CXX"] = "g++-nope"
    compiler, why_not = find_compiler(fake.machine)
    assert compiler is None
    assert "g++-nope" in why_not


@pytest.mark.parametrize(
    ("script", "reason"), [("exit 0", "prints no version"), ("exit 9", "exit code 9")]
)
def test_a_compiler_that_does_not_say_what_it_is_has_a_reason(
    fake: FakeMachine, script: str, reason: str
) -> None:
    fake.tool("c++", script)
    assert reason in find_compiler(fake.machine)[1]


def test_the_real_compiler_builds_a_program_that_runs() -> None:
    machine = Machine.here()
    compiler, why_not = find_compiler(machine)
    assert compiler is not None, why_not
    assert probe_compiles(machine, compiler, quick=False).status == "ok"
    assert probe_compiles(machine, compiler, quick=True).status == "not checked"


def test_a_compiler_that_fails_on_a_program_is_found_out_with_its_message(
    fake: FakeMachine,
) -> None:
    fake.tool(
        "c++",
        f'case $1 in --version) echo "{GCC.splitlines()[0]}";; *) echo "no <optional>" >&2; exit 1; esac',
    )
    compiler, _ = find_compiler(fake.machine)
    finding = probe_compiles(fake.machine, compiler, quick=False)
    assert finding.status == "problem"
    assert "no <optional>" in finding.what


def test_a_program_that_does_not_start_is_found_out(fake: FakeMachine) -> None:
    makes_broken = (
        'for last; do :; done; printf "#!/bin/sh\\nexit 127\\n" > "$last"; /bin/chmod +x "$last"'
    )
    fake.tool(
        "c++", f'case $1 in --version) echo "{GCC.splitlines()[0]}";; *) {makes_broken};; esac'
    )
    compiler, _ = find_compiler(fake.machine)
    finding = probe_compiles(fake.machine, compiler, quick=False)
    assert finding.status == "problem"
    assert "does not run" in finding.what


def test_a_ninja_that_does_not_run_is_passed_over_with_its_reason(fake: FakeMachine) -> None:
    broken = fake.tool("broken", "echo launcher is broken >&2; exit 1")
    gone = fake.bin / "gone"
    gone.write_text("#!/removed/interpreter\n")
    gone.chmod(0o755)
    good = fake.says("good", "1.13.2")
    finding = probe_ninja(fake.machine, [broken, gone, good])
    assert (finding.status, finding.facts["path"]) == ("ok", str(good))
    assert "launcher is broken" in finding.what
    assert str(gone) in finding.what
    assert probe_ninja(fake.machine, [broken, gone]).status == "problem"


def test_no_ninja_says_where_it_was_looked_for_and_stops_nothing(fake: FakeMachine) -> None:
    finding = probe_ninja(fake.machine, [])
    assert finding.status == "missing"
    assert str(fake.bin) in finding.what
    assert "pip install ninja" in finding.fix
    assert finding.needed_for == ()


def test_a_ninja_beside_the_interpreter_is_found_without_path(tmp_path: Path) -> None:
    from opwright.build.execute import ninja_candidates

    machine = replace(Machine.here(), environment={"PATH": str(tmp_path)})
    candidates = ninja_candidates(machine.environment)
    assert probe_ninja(machine, candidates).status == "ok"
    assert os.environ["PATH"] != machine.environment["PATH"]
