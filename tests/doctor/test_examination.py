from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fake_machine import FakeMachine
from opwright.doctor import examination
from opwright.doctor.examination import examine
from opwright.doctor.machine import Machine
from opwright.doctor.python import probe_headers, probe_python
from opwright.log import logging_to


def test_a_quick_examination_claims_nothing_that_it_did_not_try() -> None:
    diagnosis = examine(Machine.here(), quick=True)
    assert diagnosis.ability("cpu", "build").answer == "not checked"
    assert diagnosis.ability("cpu", "run").answer == "not checked"


def test_a_bare_machine_gives_reasons_for_everything(fake: FakeMachine) -> None:
    fake.environment["OPWRIGHT_STORE"] = str(fake.root / "store")
    diagnosis = examine(fake.machine, quick=True)
    build = diagnosis.ability("cpu", "build")
    assert build.answer == "no"
    assert any("C++ compiler" in reason for reason in build.because)
    for target in ("cuda", "hip", "npu"):
        assert diagnosis.ability(target, "run").because


def test_tools_for_a_target_without_a_toolchain_do_not_make_it_buildable(fake: FakeMachine) -> None:
    diagnosis = examine(Machine.here(), quick=True)
    reasons = diagnosis.ability("npu", "build").because
    assert any("has no toolchain for npu" in reason for reason in reasons)


def test_every_fault_comes_with_a_fix() -> None:
    found = examine(Machine.here(), quick=True).findings
    assert [entry.subject for entry in found if entry.status == "problem" and not entry.fix] == []


def test_each_finding_is_logged_as_it_is_made() -> None:
    seen: list[str] = []
    with logging_to(lambda kind, message, facts: seen.append(kind)):
        diagnosis = examine(Machine.here(), quick=True)
    assert seen.count("doctor.finding") == len(diagnosis.findings)


def test_a_quick_examination_does_not_import_torch() -> None:
    code = (
        "import sys; from opwright.doctor.examination import examine; "
        "from opwright.doctor.machine import Machine; examine(Machine.here(), quick=True); "
        "sys.exit('torch' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode
        == 0
    )


def test_a_broken_vendor_script_does_not_break_the_examination(fake: FakeMachine) -> None:
    script = fake.root / "opt/dtk-25.04/env.sh"
    script.parent.mkdir(parents=True)
    script.write_text("set -eu\necho $NEVER_SET\n")
    machine = replace(Machine.here(), root=fake.root)
    dtk = [entry for entry in examine(machine, quick=True).findings if entry.subject == "DTK"]
    assert "NEVER_SET" in dtk[0].what


def test_what_the_system_refuses_is_a_finding_and_the_rest_is_still_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(machine: Machine) -> None:
        raise PermissionError(13, "Permission denied", "/usr/local/cuda")

    monkeypatch.setattr(examination.cuda, "find_toolkits", refuse)
    findings = examine(Machine.here(), quick=True).findings
    refused = next(entry for entry in findings if entry.subject == "CUDA")
    assert refused.status == "problem"
    assert "/usr/local/cuda" in refused.what
    assert findings[-1].subject == "target npu"


def test_python_and_its_headers(tmp_path: Path) -> None:
    assert probe_python().status == "ok"
    assert probe_headers(tmp_path).status == "missing"
    (tmp_path / "Python.h").touch()
    assert probe_headers(tmp_path).status == "ok"
