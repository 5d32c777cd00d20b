# ruff: noqa: E501 -- a description with one long line
"""The text of generated bindings: what a reader and a compiler get to see."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_folder import DOUBLED, read_operator, write_operator
from opwright.errors import ToolchainError
from opwright.generate.binding_source import binding_text, kernel_text
from opwright.generate.cpp import text_literal
from opwright.generate.request import generated_request
from opwright.generate.signature import declaration, explicit_instantiations
from opwright.generate.torch_abi import choose_binding
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import TorchFacts, torch_facts

WIDE = """
op = Operator(
    "wide(Tensor x, Tensor index, Tensor? mask, Tensor(a!) out, int k, float? e=None, str s='a') -> (Tensor low, Tensor high)",
    inputs={
        "x": Tensor(batch, cols), "index": Tensor(rows, dtype=("int32", "int64")),
        "mask": Tensor(cols, dtype="bool"), "out": Tensor(),
    },
    outputs=(Tensor(batch, "cols * k"), Tensor(dtype="float64")),
    dtypes=("float32", "bfloat16"), scalars={"k": Scalar(1)},
    reference=lambda x, index, mask, out, k, e, s: None,
    sources={"cpu": "kernel.cpp"},
)
"""

CPU = Target("cpu")


@pytest.fixture
def wide(tmp_path: Path) -> OperatorSpec:
    return read_operator(write_operator(tmp_path, WIDE)).spec


def facts(release: tuple[int, int, int]) -> TorchFacts:
    text = ".".join(map(str, release))
    return TorchFacts(Path("/t"), text, release, cxx11_abi=True, shim="", cuda="", hip="")


def test_the_declaration_is_what_a_user_has_to_write(wide: OperatorSpec) -> None:
    assert declaration(wide, CPU) == (
        "template <typename T, typename T_index>\n"
        "void wide(opwright::View<const T, 2> x, opwright::View<const T_index, 1> index, "
        "opwright::View<const bool, 1> mask, opwright::View<T, 0> out, int64_t k, "
        "opwright::Optional<double> e, const char* s, opwright::View<T, 2> low, "
        "opwright::View<double, 0> high)"
    )


def test_every_combination_of_dtypes_is_instantiated(wide: OperatorSpec) -> None:
    lines = explicit_instantiations(wide, CPU).splitlines()
    assert len(lines) == 4
    kinds = [
        ("float", "int32_t"),
        ("float", "int64_t"),
        ("opwright::bfloat16", "int32_t"),
        ("opwright::bfloat16", "int64_t"),
    ]
    for line, (first, second) in zip(lines, kinds, strict=True):
        assert line.startswith(
            f"template void wide<{first}, {second}>(opwright::View<const {first}, 2>"
        )


@pytest.mark.parametrize("binding", ["stable", "aten"])
def test_a_binding_is_the_same_every_time_and_names_no_path(
    wide: OperatorSpec, binding: str
) -> None:
    text = binding_text(wide, CPU, binding)
    assert text == binding_text(wide, CPU, binding)
    assert str(wide.folder) not in text + kernel_text(wide, CPU, '#include "kernel.cpp"')
    assert f"#include <opwright/binding_{binding}.h>" in text


def test_kernels_see_no_torch(wide: OperatorSpec) -> None:
    includes = [
        line
        for line in kernel_text(wide, CPU, '#include "kernel.cpp"').splitlines()
        if "#include" in line
    ]
    assert includes == ['#include "kernel.cpp"']


@pytest.mark.parametrize(
    "text, literal",
    [
        ("plain", '"plain"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("ä", '"\\303\\244"'),
        ("??/", '"\\077\\077/"'),
        ("a\nb", '"a\\nb"'),
    ],
)
def test_text_in_cpp_is_the_text(text: str, literal: str) -> None:
    assert text_literal(text) == literal


def test_the_binding_is_stable_where_torch_has_it() -> None:
    assert choose_binding(facts((2, 10, 0)), None) == "stable"
    assert choose_binding(facts((2, 9, 1)), None) == "aten"
    assert choose_binding(facts((2, 13, 0)), "aten") == "aten"
    with pytest.raises(ToolchainError, match=r"torch 2\.9\.1 has no stable C ABI") as caught:
        choose_binding(facts((2, 9, 1)), "stable")
    assert "--binding aten" in caught.value.hint


def test_the_request_says_what_decides_the_binary(tmp_path: Path) -> None:
    folder = write_operator(tmp_path, DOUBLED.format(name="requested"), kernel="")
    spec = read_operator(folder).spec
    request = generated_request(spec, Target("cpu"), torch_facts())
    assert dict(request.identity)["binding"] == "stable"
    assert request.root == folder
    assert all(unit.path is None or folder in unit.path.parents for unit in request.units)
    other = generated_request(spec, Target("cpu"), torch_facts(), binding="aten")
    assert dict(other.identity)["torch"] == torch_facts().version
