from __future__ import annotations

import pytest

from fake_machine import FakeMachine
from opwright.doctor.emulation import probe_lines, probe_processor, probe_protection, probe_torch
from opwright.doctor.examination import examine
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall
from opwright.frozen import replace
from opwright.toolchain.torch_facts import torch_facts


def test_both_targets_without_a_device_are_among_the_abilities(fake: FakeMachine) -> None:
    diagnosis = examine(Machine.here(), quick=True)
    for target in ("emulated", "simulated"):
        assert diagnosis.ability(target, "build").because
        assert not [why for why in diagnosis.ability(target, "build").because if "GPU" in why]
    fake.environment["OPWRIGHT_STORE"] = str(fake.root / "store")
    bare = examine(fake.machine, quick=True)
    for target in ("emulated", "simulated"):
        build = bare.ability(target, "build")
        assert build.answer == "no"
        assert any("C++ compiler" in reason for reason in build.because)


@pytest.mark.parametrize(
    ("processor", "status"), [("x86_64", "ok"), ("aarch64", "ok"), ("riscv64", "missing")]
)
def test_the_emulator_runs_on_processors_that_its_fibers_know(processor: str, status: str) -> None:
    finding = probe_processor(processor)
    assert finding.status == status
    assert set(finding.needed_for) >= {"build emulated", "run simulated"}


def test_an_older_torch_has_no_simulated_device_and_is_named() -> None:
    facts = torch_facts()
    (new,) = probe_torch(TorchInstall(replace(facts, release=(2, 13, 0)), None))
    (old,) = probe_torch(TorchInstall(replace(facts, release=(2, 12, 1)), None))
    assert (new.status, old.status) == ("ok", "missing")
    assert "needs torch 2.13" in old.what
    assert probe_torch(None) == []


def test_lines_need_addr2line_and_keys_a_processor_that_has_them(fake: FakeMachine) -> None:
    assert probe_lines(fake.machine).status == "missing"
    assert probe_protection(fake.machine).status == "missing"
    fake.says("addr2line", "GNU addr2line")
    (fake.root / "proc").mkdir()
    (fake.root / "proc" / "cpuinfo").write_text("flags\t\t: fpu pku ospke\n")
    assert probe_lines(fake.machine).status == "ok"
    assert probe_protection(fake.machine).status == "ok"
