from __future__ import annotations

from pathlib import Path

import pytest

from fake_machine import FakeMachine
from opwright.doctor.torch_install import TorchInstall
from opwright.toolchain.torch_facts import TorchFacts


@pytest.fixture
def fake(tmp_path: Path) -> FakeMachine:
    return FakeMachine(tmp_path / "machine")


@pytest.fixture
def torch_for() -> type[TorchMaker]:
    return TorchMaker


class TorchMaker:
    """Installs of torch that are not here."""

    @staticmethod
    def cuda(version: str) -> TorchInstall:
        return make(cuda=version)

    @staticmethod
    def hip(version: str) -> TorchInstall:
        return make(hip=version)

    @staticmethod
    def cpu(version: str = "2.13.0", npu_version: str | None = None) -> TorchInstall:
        return make(version=version, npu_version=npu_version)


def make(
    *, version: str = "2.13.0", cuda: str = "", hip: str = "", npu_version: str | None = None
) -> TorchInstall:
    major, minor, patch = (int(part) for part in version.split("+", maxsplit=1)[0].split("."))
    facts = TorchFacts(
        root=Path("/env/torch"),
        version=version,
        release=(major, minor, patch),
        cxx11_abi=True,
        shim="",
        cuda=cuda,
        hip=hip,
    )
    return TorchInstall(facts, npu_version)
