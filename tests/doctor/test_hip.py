"""ROCm, DTK and clang as scripts; a DCU is told from an AMD GPU by its toolkit, not by a device string."""

from __future__ import annotations

import pytest

from fake_machine import FakeMachine
from opwright.doctor.hip import (
    find_dtk,
    probe_architectures,
    probe_compilers,
    probe_devices,
    probe_dtk,
    probe_torch,
    with_effect,
)

HIPCC = "HIP version: 6.3.25405-abc\nclang version 18.0.0"
# takes only the architectures of Hygon's chips
DTK_HIPCC = """
for word in "$@"; do case $word in
  --version) echo "HIP version: 6.3.25405"; exit 0;;
  --offload-arch=gfx928|--offload-arch=gfx936) exit 0;;
esac; done
echo "clang: error: cannot find ROCm device library for $*" >&2; exit 1
"""


def install_dtk(fake: FakeMachine, name: str = "dtk-25.04.2", ending: str = "") -> str:
    home = fake.tool(f"/opt/{name}/bin/hipcc", DTK_HIPCC).parent.parent
    script = f"export ROCM_PATH={home}\nexport PATH={home}/bin:$PATH\n{ending}"
    (home / "env.sh").write_text(script)
    return str(home)


def test_without_dtk_it_says_where_it_looked(fake: FakeMachine) -> None:
    (finding,), effect = probe_dtk(fake.machine, find_dtk(fake.machine))
    assert finding.status == "missing"
    assert "/opt/dtk*/env.sh" in finding.what
    assert effect is None


def test_the_newest_dtk_is_sourced_and_the_other_is_named(fake: FakeMachine) -> None:
    install_dtk(fake, "dtk-24.04")
    home = install_dtk(fake)
    (first, second), effect = probe_dtk(fake.machine, find_dtk(fake.machine))
    assert first.status == "ok"
    assert effect.changed["ROCM_PATH"] == home
    assert "dtk-24.04" in second.what
    assert "not used" in second.what


def test_a_script_that_ends_badly_is_a_warning_with_its_line_and_is_still_used(
    fake: FakeMachine,
) -> None:
    home = install_dtk(fake, ending="exit 3\n")
    (finding,), effect = probe_dtk(fake.machine, find_dtk(fake.machine))
    assert finding.status == "problem"
    assert f"{home}/env.sh:3: `exit 3`" in finding.what
    assert with_effect(fake.machine, effect).environment["ROCM_PATH"] == home


def test_a_dtk_elsewhere_is_named_by_a_variable(fake: FakeMachine) -> None:
    install_dtk(fake, "elsewhere")
    assert find_dtk(fake.machine) == []
    fake.environment["OPWRIGHT_DTK_ROOT"] = str(fake.root / "opt/elsewhere")
    assert find_dtk(fake.machine) == [fake.root / "opt/elsewhere/env.sh"]
    fake.environment["OPWRIGHT_DTK_ROOT"] = "/no/such/folder"
    (finding,), effect = probe_dtk(fake.machine, find_dtk(fake.machine))
    assert (finding.status, effect) == ("problem", None)
    assert "OPWRIGHT_DTK_ROOT" in finding.fix


def test_the_compiler_of_dtk_is_found_after_its_script(fake: FakeMachine) -> None:
    assert probe_compilers(fake.machine)[0].status == "missing"
    home = install_dtk(fake)
    _, effect = probe_dtk(fake.machine, find_dtk(fake.machine))
    finding, path = probe_compilers(with_effect(fake.machine, effect))
    assert finding.status == "ok"
    assert str(path) == f"{home}/bin/hipcc"
    assert "HIP 6.3.25405" in finding.what


def test_a_compiler_that_is_named_is_the_one_and_one_that_is_not_there_is_a_problem(
    fake: FakeMachine,
) -> None:
    fake.says("hipcc", HIPCC)
    mine = fake.says("my-hipcc", HIPCC)
    fake.environment["HIPCXX"] = "my-hipcc"
    assert probe_compilers(fake.machine)[1] == mine
    fake.environment["HIPCXX"] = "no-hipcc"
    finding, path = probe_compilers(fake.machine)
    assert (finding.status, path) == ("problem", None)
    assert "HIPCXX names 'no-hipcc'" in finding.what


def test_clang_counts_only_with_the_amdgcn_target_and_the_refusal_has_a_reason(
    fake: FakeMachine,
) -> None:
    plain = fake.says("clang++-19", "  Registered Targets:\n    x86-64")
    for name in ("lld", "clang-offload-bundler"):
        fake.says(name, "19")
    finding, path = probe_compilers(fake.machine)
    assert (finding.status, path) == ("problem", None)
    assert f"{plain} has no amdgcn target" in finding.what
    able = fake.says("clang++-18", "  Registered Targets:\n    amdgcn  - AMD GCN GPUs")
    finding, path = probe_compilers(fake.machine)
    assert (finding.status, path) == ("ok", able)
    assert f"not used: {plain} has no amdgcn target" in finding.what


def test_a_clang_without_its_linker_is_not_used(fake: FakeMachine) -> None:
    fake.says("clang++-19", "    amdgcn  - AMD GCN GPUs")
    finding, path = probe_compilers(fake.machine)
    assert (finding.status, path) == ("problem", None)
    assert "apt-get install lld-19" in finding.what


def test_feature_suffixes_of_a_device_are_cut_off(fake: FakeMachine, torch_for) -> None:
    fake.says(
        "rocminfo",
        "  Name:  gfx936:sramecc+:xnack-\n  Name: amdgcn-amd-amdhsa--gfx936:sramecc+:xnack-",
    )
    finding, architectures = probe_devices(fake.machine, torch_for.hip("6.3"))
    assert finding.status == "ok"
    assert architectures == ["gfx936"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'ROCk module is NOT loaded' >&2; exit 1", "NOT loaded"),
        ("echo Agent 1", "no gfx device"),
    ],
)
def test_a_driver_without_devices_is_a_problem(fake: FakeMachine, script: str, reason: str) -> None:
    fake.tool("rocminfo", script)
    finding, architectures = probe_devices(fake.machine, None)
    assert (finding.status, architectures) == ("problem", [])
    assert reason in finding.what


def test_the_compiler_is_asked_for_the_architecture_of_the_device(fake: FakeMachine) -> None:
    hipcc = fake.tool("hipcc", DTK_HIPCC)
    good, bad = probe_architectures(fake.machine, hipcc, ["gfx936", "gfx1030"], quick=False)
    assert good.status == "ok"
    assert bad.status == "problem"
    assert "gfx1030" in bad.what
    assert "cannot find ROCm device library" in bad.what
    assert (
        probe_architectures(fake.machine, hipcc, ["gfx936"], quick=True)[0].status == "not checked"
    )


def test_a_hip_build_of_torch_is_recognised_by_its_build_and_dcu_by_dtk(
    fake: FakeMachine, torch_for
) -> None:
    install_dtk(fake)
    _, effect = probe_dtk(fake.machine, find_dtk(fake.machine))
    (on_dcu,) = probe_torch(torch_for.hip("6.3.25405"), effect)
    (on_amd,) = probe_torch(torch_for.hip("6.3"), None)
    (other,) = probe_torch(torch_for.cuda("12.8"), effect)
    assert "runs on Hygon DTK" in on_dcu.what
    assert "runs on ROCm" in on_amd.what
    assert other.status == "missing"
    assert set(other.needed_for) == {"build hip", "run hip"}
    assert "--compile-only" in other.fix
