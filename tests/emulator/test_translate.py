from __future__ import annotations

import pytest

from opwright.emulator.translate import translate
from opwright.errors import CompileError

LAUNCHES = {
    "k<<<1, 2>>>(x);": "OPWRIGHT_LAUNCH((k), (1, 2))(x);",
    "a::k<float, (3 > 2)><<<g, b, 0, s>>>(x);": "OPWRIGHT_LAUNCH((a::k<float, (3 > 2)>), (g, b, 0, s))(x);",
    "return ::k<V<int>><<<dim3((n + 3) / 4)>>>();": "return OPWRIGHT_LAUNCH((::k<V<int>>), (dim3((n + 3) / 4)))();",
    "if (n) kernels[i]<<<1, 2>>>();": "if (n) OPWRIGHT_LAUNCH((kernels[i]), (1, 2))();",
    "this->k<<<1, f(2, 3)>>>(x);": "OPWRIGHT_LAUNCH((this->k), (1, f(2, 3)))(x);",
    "(*k)<<<1, 2>>>(x);": "OPWRIGHT_LAUNCH(((*k)), (1, 2))(x);",
    "#define L(k, ...) k<<<g, \\\nb>>>(x)": "#define L(k, ...) OPWRIGHT_LAUNCH((k), (g, \\\nb))(x)",
    "// k<<<1, 2>>>(x)": "// k<<<1, 2>>>(x)",
    'f("k<<<1, 2>>>(x)");': 'f("k<<<1, 2>>>(x)");',
    "a << b; c >> d;": "a << b; c >> d;",
}


def translated(text: str) -> str:
    first, _, rest = translate(text, "user.cu").partition("\n")
    assert first == '#line 1 "user.cu"'
    return rest


@pytest.mark.parametrize("text", LAUNCHES)
def test_launches_become_calls(text: str) -> None:
    assert translated(text) == LAUNCHES[text]


def test_kernels_tell_their_launch_bounds() -> None:
    assert translated("__global__ void f(); __global__ void k(int n) { g(); }") == (
        "__global__ void f(); __global__ void k(int n) { OPWRIGHT_KERNEL_ENTRY() g(); }"
    )
    bounded = "template <int N> __global__ void __launch_bounds__(N, 2) k() {}"
    assert "{ OPWRIGHT_KERNEL_ENTRY(N, 2)}" in translated(bounded)


def test_each_object_in_shared_memory_becomes_a_reference() -> None:
    text = translated("__global__ void k() { __shared__ alignas(16) float a[8], b[2][3]; }")
    assert "__attribute__((aligned(16))) float opwright_a[8], opwright_b[2][3];" in text
    assert "auto& a = ::opwright::emulated::shared<opwright_a>([] {});" in text
    assert "auto& b = ::opwright::emulated::shared<opwright_b>([] {});" in text
    text = translated("void k() { extern __shared__ __align__(16) char raw[]; }")
    assert "auto& raw = ::opwright::emulated::dynamic_shared<opwright_raw>();" in text
    text = translated("void k() { volatile __shared__ typename A<T, 3>::B c; }")
    assert "typedef volatile  typename A<T, 3>::B opwright_c;" in text


def test_lines_stay_where_they_are() -> None:
    text = "int a;\n__global__ void k()\n{\n  extern\n  __shared__ int s[];\n}\nint z;\n"
    lines = translated(text).splitlines()
    assert lines[-1] == "int z;"
    assert len(lines) == text.count("\n")


@pytest.mark.parametrize(
    "barrier",
    [
        'asm volatile("" ::: "memory");',
        '__asm__ __volatile__("" : : : "memory");',
        'asm("");',
    ],
)
def test_assembly_without_an_instruction_or_an_operand_stays(barrier: str) -> None:
    assert barrier in translated(f"__device__ void f() {{ {barrier} }}")


REFUSED = {
    '\nvoid f(int x) { asm volatile("" : "+v"(x)); }': "2: inline assembly is not emulated",
    'void f() { asm(""); }\nvoid g() { asm("trap;"); }': "2: inline assembly is not emulated",
    '\nvoid f() { asm volatile("bar.sync 0;"); }': "2: inline assembly is not emulated",
    "\n\n__shared__ float s[3];": "3: __shared__ outside a function is not emulated",
    "namespace a {\nextern __shared__ float s[];\n}": "2: __shared__ outside a function is not emulated",
    "void f() { k<<<1, 2; }": "1: a launch that cannot be read",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_counterpart_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(CompileError, match="user.cu:" + REFUSED[text]):
        translate(text, "user.cu")
