"""Several toolkits on one machine, none, and ones that do not fit (real scripts as nvcc)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_machine import FakeMachine
from opwright.doctor.compiler import HostCompiler
from opwright.doctor.cuda import (
    NEWEST_GCC,
    Toolkit,
    find_host_compiler,
    find_toolkits,
    newest_gcc,
    probe_devices,
    probe_host_limit,
    probe_match,
    probe_toolkits,
)


def nvcc_text(release: str) -> str:
    return f"nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release {release}, V{release}.243"


def install(fake: FakeMachine, home: str, release: str, *, newest_gcc: int = 0) -> Path:
    """A toolkit below the root, with headers as NVIDIA writes them."""
    nvcc = fake.says(f"{home}/bin/nvcc", nvcc_text(release))
    crt = nvcc.parent.parent / "include" / "crt"
    crt.mkdir(parents=True)
    if newest_gcc:
        message = (
            f"unsupported GNU version! gcc versions later than {newest_gcc} are not supported!"
        )
        (crt / "host_config.h").write_text(
            f"#if __GNUC__ > {newest_gcc}\n#error -- {message}\n#endif\n"
        )
    return nvcc.parent.parent


def gcc(version: str) -> HostCompiler:
    return HostCompiler(("/usr/bin/g++",), "gcc", version)


def test_without_any_toolkit_it_says_where_it_looked(fake: FakeMachine, torch_for) -> None:
    finding = probe_toolkits(find_toolkits(fake.machine), torch_for.cuda("12.8"))[0]
    assert finding.status == "missing"
    assert "CUDA_HOME" in finding.what
    assert "/usr/local/cuda*" in finding.what
    assert "CUDA 12.8" in finding.fix


def test_the_first_on_path_wins_and_every_other_is_named_with_the_reason(fake: FakeMachine) -> None:
    old = fake.says("nvcc", nvcc_text("10.1"))
    (fake.bin.parent / "include").mkdir()
    new = install(fake, "/usr/local/cuda-12.8", "12.8")
    first, second = probe_toolkits(find_toolkits(fake.machine), None)
    assert first.facts == {"path": str(old), "found_by": "PATH", "release": "10.1", "used": True}
    assert second.facts["path"] == str(new / "bin" / "nvcc")
    assert f"not used: {old} (PATH) comes first" in second.what
    assert second.needed_for == ()


def test_cuda_home_comes_before_path(fake: FakeMachine) -> None:
    fake.says("nvcc", nvcc_text("10.1"))
    home = install(fake, "/opt/cuda", "12.8")
    fake.environment["CUDA_HOME"] = str(home)
    kits = find_toolkits(fake.machine)
    assert [kit.release for kit in kits] == ["12.8", "10.1"]
    assert probe_toolkits(kits, None)[0].status == "ok"


def test_links_to_one_toolkit_are_one_toolkit(fake: FakeMachine) -> None:
    home = install(fake, "/usr/local/cuda-12.8", "12.8")
    (fake.root / "usr/local/cuda").symlink_to(home)
    assert len(find_toolkits(fake.machine)) == 1


def test_a_script_that_calls_the_real_nvcc_leads_to_its_toolkit(fake: FakeMachine) -> None:
    home = install(fake, "/usr/local/cuda-13.0", "13.0", newest_gcc=15)
    fake.tool(
        "nvcc",
        f'case $1 in --dryrun) echo "#$ TOP={home}/bin/..";; *) echo "release 13.0, V13.0.88";; esac',
    )
    kit = find_toolkits(fake.machine)[0]
    assert kit.home == home
    assert newest_gcc(kit) == (15, "host_config.h")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 0", "prints no release number"),
        ("echo broken driver >&2; exit 7", "broken driver"),
        ("kill -9 $$", "killed by signal 9"),
    ],
)
def test_an_nvcc_that_says_no_version_is_a_problem(
    fake: FakeMachine, script: str, reason: str
) -> None:
    fake.tool("nvcc", script)
    finding = probe_toolkits(find_toolkits(fake.machine), None)[0]
    assert finding.status == "problem"
    assert reason in finding.what
    assert finding.needed_for == ("build cuda",)


def test_a_launcher_whose_interpreter_is_gone_is_a_problem(fake: FakeMachine) -> None:
    fake.tool("nvcc", "").write_text("#!/no/such/interpreter\n")
    finding = probe_toolkits(find_toolkits(fake.machine), None)[0]
    assert finding.status == "problem"
    assert "cannot start" in finding.what


def test_cuda_home_without_nvcc_is_named_although_another_nvcc_is_there(fake: FakeMachine) -> None:
    fake.environment["CUDA_HOME"] = str(fake.root / "gone")
    install(fake, "/usr/local/cuda", "12.8")
    first, second = probe_toolkits(find_toolkits(fake.machine), None)
    assert first.status == "problem"
    assert f"CUDA_HOME names {fake.root / 'gone'}, which has no bin/nvcc" in first.what
    assert "not used" in second.what


def test_cuda_home_without_headers_is_a_problem(fake: FakeMachine) -> None:
    nvcc = fake.says("/opt/cuda/bin/nvcc", nvcc_text("12.8"))
    fake.environment["CUDA_HOME"] = str(nvcc.parent.parent)
    finding = probe_toolkits(find_toolkits(fake.machine), None)[0]
    assert finding.status == "problem"
    assert "has no include/" in finding.what


def test_another_major_number_stops_and_names_both_paths_and_the_one_that_fits(
    fake: FakeMachine, torch_for
) -> None:
    old = fake.says("nvcc", nvcc_text("10.1"))
    fits = install(fake, "/usr/local/cuda-12.8", "12.8")
    (finding,) = probe_match(find_toolkits(fake.machine), torch_for.cuda("12.4"))
    assert finding.status == "problem"
    assert str(old) in finding.what
    assert "/env/torch" in finding.what
    assert finding.fix == f"Set CUDA_HOME to {fits}."
    assert finding.needed_for == ("build cuda",)


def test_another_minor_number_is_a_note(fake: FakeMachine, torch_for) -> None:
    install(fake, "/usr/local/cuda-12.8", "12.8")
    (finding,) = probe_match(find_toolkits(fake.machine), torch_for.cuda("12.4"))
    assert finding.status == "ok"
    assert "minor numbers differ" in finding.what


def test_a_torch_without_cuda_cannot_run_it(fake: FakeMachine, torch_for) -> None:
    install(fake, "/usr/local/cuda-12.8", "12.8")
    (finding,) = probe_match(find_toolkits(fake.machine), torch_for.cpu())
    assert (finding.status, finding.needed_for) == ("missing", ("run cuda",))


def test_a_host_compiler_that_is_too_new_is_named_before_the_build(fake: FakeMachine) -> None:
    install(fake, "/usr/local/cuda-12.8", "12.8", newest_gcc=14)
    (finding,) = probe_host_limit(find_toolkits(fake.machine), gcc("99.1.0"))
    assert finding.status == "problem"
    assert "accepts gcc up to 14 (host_config.h); /usr/bin/g++ is 99.1.0" in finding.what
    assert finding.fix == "Install g++-14 and set NVCC_CCBIN=g++-14."


def test_without_headers_the_limit_comes_from_the_table(fake: FakeMachine) -> None:
    fake.says("nvcc", nvcc_text("11.8"))
    (finding,) = probe_host_limit(find_toolkits(fake.machine), gcc("12.2.0"))
    assert finding.status == "problem"
    assert f"up to {NEWEST_GCC['11.8']} (table of releases)" in finding.what


def test_a_release_of_which_no_limit_is_known_is_not_checked(tmp_path: Path) -> None:
    kit = Toolkit(tmp_path / "nvcc", "PATH", tmp_path, "99.0")
    assert probe_host_limit([kit], gcc("12.2.0"))[0].status == "not checked"


def test_the_host_compiler_of_nvcc_is_what_nvcc_ccbin_names(fake: FakeMachine) -> None:
    fake.says("c++", "g++ (Distribution 14.2.0-1) 14.2.0")
    fake.says("g++-12", "g++-12 (Distribution 12.2.0-1) 12.2.0")
    assert find_host_compiler(fake.machine).major == 14
    fake.environment["NVCC_CCBIN"] = "g++-12"
    assert find_host_compiler(fake.machine).major == 12


def test_no_driver_is_a_reason(fake: FakeMachine) -> None:
    finding = probe_devices(fake.machine, None, quick=False)
    assert (finding.status, finding.what) == ("missing", "nvidia-smi is not on PATH: no driver")


def test_a_driver_that_fails_is_a_problem(fake: FakeMachine) -> None:
    fake.tool(
        "nvidia-smi", "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18"
    )
    finding = probe_devices(fake.machine, None, quick=False)
    assert finding.status == "problem"
    assert "version mismatch" in finding.what


def test_a_gpu_that_torch_does_not_see_is_a_problem(fake: FakeMachine, torch_for) -> None:
    fake.says("nvidia-smi", "NVIDIA H200, 550.54.15, 143771 MiB")
    assert probe_devices(fake.machine, torch_for.cuda("12.8"), quick=True).status == "ok"
    finding = probe_devices(fake.machine, torch_for.cuda("12.8"), quick=False)
    assert finding.status == "problem"
    assert "NVIDIA H200, 550.54.15" in finding.what
    assert "torch sees none" in finding.what
