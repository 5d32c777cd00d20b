"""Device sources become units of the host's compiler, which name the user's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_folder import read_operator, write_operator
from opwright.emulator.layout import RUNTIME_SOURCES
from opwright.errors import CompileError
from opwright.generate import emulated
from opwright.generate.kernels import KERNEL_UNIT
from opwright.generate.request import generated_request
from opwright.records.artifact import Artifact
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import torch_facts

OP = """
op = Operator(
    "twice(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    reference=lambda x: 2 * x,
    sources={"cuda": ["kernel.cu", "part/other.cu"]},
)
"""
KERNEL = """#include "tile.cuh"
__global__ void kernel(float* x) { __shared__ float tile[32]; tile[threadIdx.x] = *x; }
void start(float* x) { kernel<<<1, 32>>>(x); }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_operator(tmp_path, OP)
    (tmp_path / "part").mkdir()
    (tmp_path / "kernel.cu").write_text(KERNEL)
    (tmp_path / "part" / "other.cu").write_text("int other;\n")
    (tmp_path / "tile.cuh").write_text("inline void f() { g<<<1, 1>>>(); }\n")
    (tmp_path / "plain.h").write_text("int plain;\n")
    return tmp_path


def request(folder: Path, architecture: str | None = "wave32") -> BuildRequest:
    spec = read_operator(folder).spec
    return generated_request(spec, Target("emulated", architecture), torch_facts())


def units(folder: Path) -> dict[str, str]:
    return {unit.name: unit.text or "" for unit in request(folder).units}


def test_messages_name_the_lines_of_the_users_source(folder: Path) -> None:
    text = units(folder)[KERNEL_UNIT]
    assert f'#line 1 "{folder / "kernel.cu"}"\n#include "tile.cuh"\n' in text
    behind = text.partition(str(folder / "kernel.cu"))[2].splitlines()
    assert "OPWRIGHT_LAUNCH" in behind[3]


def test_the_rest_of_the_unit_is_no_line_of_the_users(folder: Path) -> None:
    assert f'#line 1 "{KERNEL_UNIT}"\n' in units(folder)[KERNEL_UNIT]


def test_further_sources_are_units_of_their_own(folder: Path) -> None:
    text = units(folder)["other.cu.cpp"]
    assert "as_nvcc.h" in text
    assert "int other;" in text


def test_headers_with_launches_are_staged_and_others_stay_where_they_are(folder: Path) -> None:
    found = units(folder)
    assert "OPWRIGHT_LAUNCH" in found["tile.cuh"]
    assert "plain.h" not in found


@pytest.mark.parametrize(("architecture", "size"), [(None, 32), ("wave32", 32), ("wave64", 64)])
def test_headers_learn_the_wave_size(folder: Path, architecture: str | None, size: int) -> None:
    defines = dict(request(folder, architecture).defines)
    assert defines == {"OPWRIGHT_EMULATED": "1", "OPWRIGHT_WAVE_SIZE": str(size)}


def test_what_cannot_be_emulated_is_named_with_its_line(folder: Path) -> None:
    (folder / "kernel.cu").write_text('\n__device__ void f() { asm volatile("nop;"); }\n')
    with pytest.raises(CompileError, match=r"kernel\.cu:2: inline assembly"):
        request(folder)


def test_the_emulator_is_built_of_its_own_units_whatever_it_runs() -> None:
    own = emulated.emulator_request()
    assert all(unit.name.startswith("emulator/") for unit in own.units)
    sources = sorted(f'#include "{path.name}"' for path in RUNTIME_SOURCES)
    assert sorted(line for unit in own.units for line in unit.text.splitlines()) == sources
    assert own == emulated.emulator_request()


def test_the_emulator_is_linked_into_the_library(tmp_path: Path) -> None:
    plain = BuildRequest("op", Target("emulated"), tmp_path, (Unit("k.cpp", text=""),))
    library = tmp_path / "lib" / "emulator.so"
    emulator = Artifact("e", "emulated", library.parent, library, "", "", {}, {}, False, 0.0)
    made = emulated.linked(plain, emulator)
    assert made.libraries == (":emulator.so",)
    assert made.library_dirs == (tmp_path / "lib",)
    assert made.facts["emulated"] is True
