from __future__ import annotations

from dataclasses import replace

import pytest

from fake_machine import FakeMachine
from opwright.doctor import torch_install
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import find_install, probe_import, probe_install
from opwright.errors import ToolchainError


def test_the_installed_torch_is_described_as_it_describes_itself() -> None:
    import torch

    install, finding = find_install()
    assert install.version == torch.__version__
    assert (install.facts.cuda or None) == torch.version.cuda
    assert install.facts.cxx11_abi == torch._C._GLIBCXX_USE_CXX11_ABI
    assert finding.status == "ok"


def test_without_torch_nothing_can_be_built_or_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise ToolchainError("torch is not installed", hint="Install it: `pip install torch`.")

    monkeypatch.setattr(torch_install, "torch_facts", absent)
    install, finding = find_install()
    assert (install, finding.status) == (None, "missing")
    assert {"build cpu", "run cpu", "run npu"} <= set(finding.needed_for)


@pytest.mark.parametrize(
    ("version", "status", "binding"),
    [
        ("2.4.1", "problem", "aten"),
        ("2.5.1", "ok", "aten"),
        ("2.9.0", "ok", "aten"),
        ("2.10.0", "ok", "stable"),
    ],
)
def test_old_torch_gets_the_aten_binding_and_too_old_torch_is_refused(
    torch_for, version: str, status: str, binding: str
) -> None:
    finding = probe_install(torch_for.cpu(version))
    assert (finding.status, finding.facts["binding"]) == (status, binding)


def test_importing_is_tried_in_a_child_and_left_out_when_quick() -> None:
    finding, seen = probe_import(Machine.here(), quick=False)
    assert finding.status == "ok"
    assert seen["threads"] >= 1
    assert probe_import(Machine.here(), quick=True)[0].status == "not checked"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (
            "echo 'OSError: libcudart.so.12: cannot open shared object file' >&2; exit 1",
            "libcudart.so.12",
        ),
        ("kill -11 $$", "killed by signal 11"),
    ],
)
def test_a_torch_that_cannot_be_imported_is_a_finding(
    fake: FakeMachine, script: str, reason: str
) -> None:
    python = fake.tool("python", script)
    finding, seen = probe_import(replace(fake.machine, python=python), quick=False)
    assert (finding.status, seen) == ("problem", {})
    assert reason in finding.what
    assert "run cpu" in finding.needed_for


def test_what_an_import_prints_is_not_taken_for_its_answer(fake: FakeMachine) -> None:
    python = fake.says("python", 'Welcome\n{"threads": 3, "devices": [], "npus": 0}\n[W] a warning')
    assert probe_import(replace(fake.machine, python=python), quick=False)[1]["threads"] == 3
