"""AddressSanitizer and the emulator together: stacks of threads that wait, and objects in shared memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from emulated.building import KERNELS, compile_flags, run
from emulated.runtime_report import read_findings
from opwright.emulator.translate import translate

pytestmark = pytest.mark.xdist_group("emulator")  # it is compiled first

SOURCE = KERNELS / "addresses.cu"
FAULTS = {
    1: "heap-buffer-overflow",
    2: "use-after-poison",
    3: "use-after-poison",
    4: "stack-buffer-overflow",
    5: "heap-use-after-free",
}


@pytest.fixture(scope="module")
def program(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("addresses")
    (folder / "addresses.cpp").write_text(translate(SOURCE.read_text(), str(SOURCE)))
    front = ["g++", "-std=c++17", "-g", "-O1", "-fsanitize=address"]
    libraries = [runtime, "-ldl", "-lpthread"]
    run(
        [*front, *compile_flags("cuda", 32), "addresses.cpp", *libraries, "-o", "addresses"], folder
    )
    return folder / "addresses"


def outcome(program: Path, fault: int, report: Path) -> int:
    environment = {**os.environ, "OPWRIGHT_EMULATED": f"report={report}"}
    done = subprocess.run(
        [program, str(fault)], env=environment, capture_output=True, check=False, timeout=120
    )
    return done.returncode


def test_correct_kernels_with_barriers_and_shuffles_pass(program: Path, tmp_path: Path) -> None:
    assert outcome(program, 0, tmp_path / "report") == 0
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_kernel_the_line_and_the_thread_are_told(
    program: Path, fault: int, tmp_path: Path
) -> None:
    assert outcome(program, fault, tmp_path / "report") != 0
    (finding,) = read_findings((tmp_path / "report").read_text())
    lines = SOURCE.read_text().splitlines()
    (line,) = (i for i, text in enumerate(lines, 1) if text.endswith(f"// fault {fault}"))
    assert (finding.kind, finding.message) == ("address_error", FAULTS[fault])
    assert (finding.where.file, finding.where.line) == (str(SOURCE), line)
    assert finding.kernel == "kernel"
    assert finding.where.thread == ((0, 0, 0) if fault == 5 else (5, 0, 0))
