"""Compilers for HIP as files in made-up places: which one counts, and why another does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.errors import ToolchainError
from opwright.toolchain import hip
from opwright.toolchain.hip_compilers import candidates, named_compiler, why_unfit


class Places:
    """A folder that is ``/``, with PATH in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.path = root, root / "some" / "bin"
        self.path.mkdir(parents=True)
        self.environment = {"PATH": str(self.path)}

    def program(self, where: str) -> Path:
        """An executable: a bare name is on PATH."""
        path = self.root / where.lstrip("/") if "/" in where else self.path / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    def found(self) -> list[Path]:
        return list(candidates(self.environment, self.root))


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_toolkits_come_in_the_order_of_who_asked_for_them(places: Places) -> None:
    rocm = places.program("/opt/rocm-6.3/bin/hipcc")
    clang = places.program("clang++-19")
    older = places.program("clang++-17")
    on_path = places.program("hipcc")
    dtk = places.program("/opt/dtk-25.04.2/bin/hipcc")
    named = places.program("/my/rocm/bin/hipcc")
    places.environment["ROCM_PATH"] = str(named.parent.parent)
    assert places.found() == [named, dtk, on_path, rocm, clang, older]


def test_the_newest_dtk_comes_first(places: Places) -> None:
    old = places.program("/opt/dtk-24.04/bin/hipcc")
    new = places.program("/opt/dtk-25.04.2/bin/hipcc")
    assert places.found() == [new, old]


def test_the_hipcc_of_a_distribution_comes_after_its_newest_clang(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    hipcc, clang = places.program("hipcc"), places.program("clang++-19")
    assert places.found() == [hipcc, clang]
    monkeypatch.setattr(
        "opwright.toolchain.hip_compilers.DISTRIBUTION", (hipcc.parent.parent,), raising=True
    )
    assert places.found() == [clang, hipcc]


def test_a_clang_without_its_linker_is_passed_over_with_the_reason(places: Places) -> None:
    clang = places.program("clang++-19")
    assert "apt-get install lld-19" in why_unfit(clang)
    with pytest.raises(ToolchainError, match="no lld beside it"):
        hip.find_driver(places.environment)
    places.program("lld")
    assert "apt-get install clang-tools-19" in why_unfit(clang)
    places.program("clang-offload-bundler")
    assert why_unfit(clang) == ""
    assert hip.find_driver(places.environment) == (str(clang),)


def test_a_compiler_that_is_named_wins_and_one_that_is_not_there_is_refused(places: Places) -> None:
    places.program("hipcc")
    mine = places.program("my-clang++")
    places.environment["HIPCXX"] = "my-clang++ --verbose"
    assert named_compiler(places.environment) == (str(mine), "--verbose")
    assert hip.find_driver(places.environment)[0] == str(mine)
    for text, why in (("gone", "no such program"), ('"open', "no closing quotation")):
        places.environment["HIPCXX"] = text
        with pytest.raises(ToolchainError, match=why):
            hip.find_driver(places.environment)


def test_where_there_is_none_it_says_where_it_looked_and_what_to_install(places: Places) -> None:
    with pytest.raises(ToolchainError, match="no hipcc in HIP_PATH, ROCM_HOME") as refused:
        hip.find_driver(places.environment)
    assert "apt-get install clang-19" in refused.value.hint
