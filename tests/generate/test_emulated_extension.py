"""Extensions for devices, unchanged on disk, become units of the host's compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_folder import read_operator, write_operator
from opwright.errors import SpecError
from opwright.generate.emulated_extension import is_for_hip
from opwright.generate.extension import extension_request
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import torch_facts

OP = """
op = Operator(
    "twice(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    reference=lambda x: 2 * x,
    extension=Extension(sources=SOURCES, call=lambda module, x: module.f(x)),
)
"""
FILES = {
    "wrapper.cpp": "#include <torch/extension.h>\nbool f(at::Tensor x) { return x.is_cuda(); }\n",
    "plain.cu": '#include "plain.h"\nvoid g() { k<<<1, 1>>>(); }\n',
    "with_torch.cu": '#include "checks.h"\nvoid h() { k<<<1, 1>>>(); }\n',
    "waves.cu": "#include <hip/hip_runtime.h>\n",
    "plain.h": "void g();\n",
    "checks.h": "#include <ATen/ATen.h>\n#define CHECK(x) TORCH_CHECK((x).is_cuda())\n",
}


def request(folder: Path, *sources: str) -> BuildRequest:
    write_operator(folder, OP.replace("SOURCES", repr(sources)))
    for name, text in FILES.items():
        (folder / name).write_text(text)
    spec = read_operator(folder).spec
    return extension_request(spec, Target("emulated", "wave64"), torch_facts())


def units(folder: Path, *sources: str) -> dict[str, str]:
    return {unit.name: unit.text or "" for unit in request(folder, *sources).units}


def test_a_wrapper_asks_for_tensors_on_the_cpu(tmp_path: Path) -> None:
    text = units(tmp_path, "wrapper.cpp", "plain.cu")["wrapper.cpp"]
    assert text.startswith(f'#line 1 "{tmp_path / "wrapper.cpp"}"\n')
    assert "x.is_cpu()" in text
    assert (tmp_path / "wrapper.cpp").read_text() == FILES["wrapper.cpp"]


def test_torchs_headers_come_before_the_toolkits_names_where_a_source_uses_them(
    tmp_path: Path,
) -> None:
    found = units(tmp_path, "plain.cu", "with_torch.cu")
    assert found["with_torch.cu.cpp"].startswith("#include <torch/extension.h>\n")
    assert "#include <torch" not in found["plain.cu.cpp"]


def test_headers_that_look_at_the_device_are_staged(tmp_path: Path) -> None:
    found = units(tmp_path, "with_torch.cu")
    assert ".is_cpu()" in found["checks.h"]
    assert "plain.h" not in found


def test_the_spelling_is_that_of_the_source(tmp_path: Path) -> None:
    found = units(tmp_path, "plain.cu", "waves.cu")
    assert "as_nvcc.h" in found["plain.cu.cpp"]
    assert "as_hipcc.h" in found["waves.cu.cpp"]
    assert is_for_hip([tmp_path / "plain.cu", tmp_path / "waves.cu"])
    assert not is_for_hip([tmp_path / "plain.cu"])


def test_headers_for_the_emulator_come_before_torchs_own(tmp_path: Path) -> None:
    folders = [str(folder) for folder in request(tmp_path, "plain.cu").include_dirs]
    own = next(i for i, folder in enumerate(folders) if folder.endswith("torch_include"))
    torch = next(i for i, folder in enumerate(folders) if "torch/include" in folder)
    assert own < torch


def test_an_extension_without_device_code_has_nothing_to_emulate(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no source for target emulated:wave64"):
        request(tmp_path, "wrapper.cpp")
