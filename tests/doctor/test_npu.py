from __future__ import annotations

import pytest

from fake_machine import FakeMachine
from opwright.doctor.npu import probe_cann, probe_devices, probe_torch_npu

NPU_SMI = """
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.0        46                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
"""


def test_nothing_of_ascend_is_missing_not_wrong(fake: FakeMachine, torch_for) -> None:
    for finding in (
        probe_cann(fake.machine),
        probe_torch_npu(torch_for.cpu()),
        probe_devices(fake.machine),
    ):
        assert finding.status == "missing"
        assert "run npu" in finding.needed_for


def test_cann_is_found_in_its_usual_place_with_version_and_compiler(fake: FakeMachine) -> None:
    home = fake.root / "usr/local/Ascend/ascend-toolkit/latest"
    fake.tool("/usr/local/Ascend/ascend-toolkit/latest/compiler/ccec_compiler/bin/bisheng", "")
    (home / "ascend_toolkit_install.info").write_text(
        "package_name=Ascend-cann-toolkit\nversion=8.0.RC3\n"
    )
    finding = probe_cann(fake.machine)
    assert finding.status == "ok"
    assert finding.facts["version"] == "8.0.RC3"
    assert "bisheng" in finding.what


def test_a_run_time_package_has_no_compiler(fake: FakeMachine) -> None:
    home = fake.root / "nnrt"
    home.mkdir()
    fake.environment["ASCEND_HOME_PATH"] = str(home)
    finding = probe_cann(fake.machine)
    assert (finding.status, finding.needed_for) == ("problem", ("build npu",))


def test_a_variable_that_names_nothing_is_a_problem(fake: FakeMachine) -> None:
    fake.environment["ASCEND_HOME_PATH"] = "/no/such/folder"
    finding = probe_cann(fake.machine)
    assert finding.status == "problem"
    assert "ASCEND_HOME_PATH names /no/such/folder" in finding.what


@pytest.mark.parametrize(
    ("npu_version", "status"), [("2.13.0", "ok"), ("2.13.0.post2", "ok"), ("2.1.0", "problem")]
)
def test_torch_npu_has_to_fit_torch(torch_for, npu_version: str, status: str) -> None:
    install = torch_for.cpu("2.13.0+cpu", npu_version=npu_version)
    assert probe_torch_npu(install).status == status


def test_devices_are_read_from_npu_smi(fake: FakeMachine) -> None:
    fake.says("npu-smi", NPU_SMI)
    assert probe_devices(fake.machine).facts == {"names": ["910B3"]}
    fake.tool("npu-smi", "echo 'dcmi model initialized failed' >&2; exit 255")
    finding = probe_devices(fake.machine)
    assert finding.status == "problem"
    assert "dcmi" in finding.what
