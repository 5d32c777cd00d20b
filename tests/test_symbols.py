"""Symbols are demangled and taken apart, and each way to be undefined has its own explanation."""

from __future__ import annotations

import pytest

from opwright.symbols import demangle, take_apart, why_undefined


def test_a_mangled_name_is_demangled_and_any_other_stays() -> None:
    assert demangle("_Z5twiceIfEvPKT_PS0_l") == "void twice<float>(float const*, float*, long)"
    assert demangle("curandCreate") == "curandCreate"
    assert demangle("_Z99broken") == "_Z99broken"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("void twice<float>(float const*, long)", ("twice", "float", "float const*, long")),
        ("run(int)", ("run", "", "int")),
        (
            "ns::A<int>::go(std::pair<int, int>) const",
            ("ns::A<int>::go", "", "std::pair<int, int>"),
        ),
        ("std::vector<int, std::allocator<int> > f<B<C> >()", ("f", "B<C>", "")),
        ("(anonymous namespace)::f(int)", ("(anonymous namespace)::f", "", "int")),
        ("A::operator()(int)", ("A::operator()", "", "int")),
        ("global", ("global", "", "")),
    ],
)
def test_a_name_is_taken_apart(text: str, expected: tuple[str, str, str]) -> None:
    assert tuple(take_apart(text)) == expected


def test_causes_are_told_apart() -> None:
    half = "_Z5twiceIN3c104HalfEEvPKT_PS2_l"
    floats = ["_Z5twiceIfEvPKT_PS0_l", "_Z5twiceIdEvPKT_PS0_l"]
    assert "instantiated here: double, float" in why_undefined(half, floats)
    assert "nothing instantiates this template" in why_undefined(half)
    assert "other parameters: run(float const*)" in why_undefined("_Z3runPf", ["_Z3runPKf"])
    assert "-lcublas)" in why_undefined("cublasCreate_v2")
    assert "-lc10)" in why_undefined("_ZN3c105ErrorC1Ev")
    assert "no source defines it" in why_undefined("_Z6helperv", floats)
