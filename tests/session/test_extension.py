"""Extensions that exist already are built unchanged, and called like any operator."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from defect_folders import CORRECT
from operator_folder import read_operator, write_operator
from opwright import load
from opwright.checks.table import choose
from opwright.errors import CompileError, SpecError, UsageError
from opwright.session.building import build_operator
from opwright.session.checking import check_operator, checking
from opwright.spec.target import Target

X, W = torch.rand(3, 4), torch.rand(4)

OP = """
op = Operator(
    "{name}(Tensor x, Tensor weight) -> Tensor",
    inputs={{"x": Tensor(rows, cols), "weight": Tensor(cols)}},
    dtypes=("float32",),
    reference=lambda x, weight: x * weight,
    extension=Extension(sources="extension.cpp", {more}),
)
"""
LIBRARY = """
#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>
#include <torch/library.h>
at::Tensor scale(const at::Tensor& x, const at::Tensor& weight) { return at::mul(at::mul(x, weight), FACTOR); }
TORCH_LIBRARY(opwright_test_extension, m) { m.def("scale(Tensor x, Tensor weight) -> Tensor", &scale); }
"""
# A registration as far as the text goes, by which it is refused before it is loaded.
SAME_NAMESPACE = """
#define TORCH_LIBRARY(name, m)
TORCH_LIBRARY(opwright_test_extension, m)
"""
# No torch header: what a compile of two seconds can show.
PLAIN = """
#include <Python.h>
static PyObject* factor(PyObject*, PyObject*) { return PyLong_FromLong(FACTOR); }
static PyMethodDef methods[] = {{"factor", factor, METH_NOARGS, nullptr}, {}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "plain", nullptr, -1, methods};
#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&definition); }
"""
PLAIN_CALL = (
    "call=lambda m, x, weight: x * weight * m.factor(), compile_flags=['-DFACTOR={factor}']"
)


def write_plain(folder: Path, name: str, factor: int = 1, source: str = PLAIN) -> Path:
    more = PLAIN_CALL.format(factor=factor)
    return write_operator(folder, OP.format(name=name, more=more), extension=source)


def test_a_python_module_is_built_and_called(tmp_path: Path) -> None:
    op = load(write_plain(tmp_path, "plain_extension"))
    assert op.spec.implementation == "extension"
    assert torch.equal(op(X, W), X * W)
    assert torch.equal(torch.ops.opwright.plain_extension(X, weight=W), X * W)
    with pytest.raises(
        RuntimeError, match="argument `weight` requires grad, and the operator has no backward"
    ):
        op(X, W.clone().requires_grad_())
    assert op(X.to("meta"), W.to("meta")).shape == (3, 4)


def test_it_is_built_again_when_it_changes(tmp_path: Path) -> None:
    op = load(write_plain(tmp_path, "changed_extension"))
    assert torch.equal(op(X, W), X * W)
    changed = load(write_plain(tmp_path, "changed_extension", factor=3))
    assert torch.equal(changed(X, W), X * W * 3)


def test_the_users_folder_is_not_written_to(tmp_path: Path) -> None:
    load(write_plain(tmp_path, "clean_extension"))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["extension.cpp", "op.py"]


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    write_plain(tmp_path, "missing_extension")
    (tmp_path / "extension.cpp").unlink()
    with pytest.raises(SpecError, match=r"field 'extension': .*extension\.cpp does not exist"):
        read_operator(tmp_path).load()


def test_a_source_that_does_not_compile_is_named_with_its_line(tmp_path: Path) -> None:
    write_plain(tmp_path, "broken_extension", source=PLAIN + "\nint f() { return missing; }\n")
    with pytest.raises(
        CompileError, match=rf"extension\.cpp:{PLAIN.count(chr(10)) + 2}: error: .*missing"
    ):
        read_operator(tmp_path).load()


def test_it_is_compiled_for_torchs_own_standard(tmp_path: Path) -> None:
    from torch.utils import cpp_extension

    from opwright.generate.torch_extension import extension_flags

    standard = extension_flags().standard
    assert f"'-std={standard}'" in Path(cpp_extension.__file__).read_text()
    check = f'static_assert(__cplusplus >= 20{standard[-2:]}00L, "the standard");\n'
    load(write_plain(tmp_path, "standard_extension", source=check + PLAIN))


@pytest.mark.slow
@pytest.mark.xdist_group(
    "pybind_extension"
)  # which takes a minute to build, and is checked there too
def test_a_pybind11_module_is_checked_in_a_worker() -> None:
    folder = CORRECT / "pybind_extension"
    op = load(folder)
    assert torch.equal(op(X, W), X * W)
    with pytest.raises(RuntimeError, match="weight: expected one value a column"):
        op(X, W[:2])
    with checking(choose(["numerics"])) as worker:
        record = check_operator(worker, str(folder), op, Target("cpu"), only=["numerics"])
    assert record.verdict == "pass"
    assert record.implementation == "extension"


@pytest.mark.slow
def test_a_torch_library_is_loaded_once(tmp_path: Path) -> None:
    call = "call=lambda ops, x, weight: ops.opwright_test_extension.scale(x, weight), is_python_module=False"
    more = call + ", compile_flags=['-O0', '-DFACTOR={factor}']"
    write_operator(
        tmp_path, OP.format(name="library_extension", more=more.format(factor=1)), extension=LIBRARY
    )
    op = load(tmp_path)
    assert torch.equal(op(X, W), X * W)
    artifact = build_operator(op.spec, Target("cpu"))
    assert artifact is not None
    assert artifact.facts["namespaces"] == {"opwright_test_extension": "library"}
    op.load()  # the same library again is no second registration
    write_operator(
        tmp_path,
        OP.format(name="library_extension", more=more.format(factor=2)),
        extension=SAME_NAMESPACE,
    )
    with pytest.raises(
        UsageError, match="registers the namespace 'opwright_test_extension', which"
    ):
        load(tmp_path)
    assert torch.equal(op(X, W), X * W)
