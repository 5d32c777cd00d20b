from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from opwright.errors import DiscoveryError
from opwright.session import planted
from opwright.spec.target import HOST, Target


def test_a_finding_is_read_as_it_is_stated(tmp_path: Path) -> None:
    (tmp_path / "finding.json").write_text(
        '{"fault": "f", "limits": {"case_seconds": 1.0}, "machines": ["riscv64"], "devices": 3, "findings": '
        '[{"check": "numerics", "kind": "a", "other_kinds": ["b"], "says": ["x"], "only_where": "n=3"}]}'
    )
    defect = planted.read_defect(tmp_path)
    assert defect.expected == (planted.Expected("numerics", ("a", "b"), ("x",), "n=3"),)
    assert (defect.name, defect.machines) == (tmp_path.name, ("riscv64",))
    assert defect.devices == 3
    assert defect.limits == {"case_seconds": 1.0}


def test_a_fault_lacks_what_is_not_here_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = planted.Defect(Path("f"), "f", ())
    assert planted.lacking(plain, Target("cuda")) == ""
    elsewhere = planted.lacking(replace(plain, machines=("pdp11",)), HOST)
    assert elsewhere.startswith("written for pdp11; this machine is ")
    two = replace(plain, devices=2)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert (
        planted.lacking(two, Target("cuda")) == "takes 2 devices of kind cuda, and there is 1 here"
    )
    assert planted.lacking(two, Target("simulated")) == ""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert planted.lacking(two, Target("cuda")) == ""


def test_a_checkout_has_them_in_its_tests() -> None:
    assert planted.planted_folder() == Path(__file__).parent.parent


def test_an_installation_without_them_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planted, "files", lambda _: tmp_path / "src" / "opwright")
    with pytest.raises(DiscoveryError, match="planted defects are not beside"):
        planted.planted_folder()
