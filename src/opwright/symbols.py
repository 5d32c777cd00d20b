"""Names in binaries: demangled, taken apart, and why one of them may be undefined."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

# What an undefined name begins with -> where it lives, and how to get it.
_HOMES: tuple[tuple[str, str], ...] = (
    (r"curand", "libcurand (-lcurand)"),
    (r"cublasLt", "libcublasLt (-lcublasLt)"),
    (r"cublas", "libcublas (-lcublas)"),
    (r"cufft", "libcufft (-lcufft)"),
    (r"cusparse", "libcusparse (-lcusparse)"),
    (r"cudnn", "libcudnn (-lcudnn)"),
    (r"nccl", "libnccl (-lnccl)"),
    (r"nvrtc", "libnvrtc (-lnvrtc)"),
    (r"cuda|__cuda", "libcudart (-lcudart)"),
    (r"cu[A-Z]", "the CUDA driver, libcuda (-lcuda)"),
    (r"hip[A-Z]|__hip", "libamdhip64 (-lamdhip64)"),
    (r"rocblas", "librocblas (-lrocblas)"),
    (r"GOMP_|omp_", "the OpenMP runtime (-fopenmp)"),
    (r"__kmpc_", "LLVM's OpenMP runtime (-fopenmp with clang)"),
    (r"cblas_|[sdcz]gemm_$", "a BLAS library (-lopenblas)"),
    (r"mkl_|vs[A-Z]|vd[A-Z]", "Intel's math library (-lmkl_rt)"),
    (r"__asan_|__ubsan_", "a sanitizer's runtime (-fsanitize=... when linking, too)"),
    (r"torch::(autograd|python|utils)|THPVariable", "libtorch_python (-ltorch_python)"),
    (r"_?Py[A-Z_]", "the Python interpreter, which a module gets when it is imported"),
    (r"c10::cuda", "libc10_cuda (-lc10_cuda)"),
    (r"at::cuda", "libtorch_cuda (-ltorch_cuda)"),
    (r"c10::", "libc10 (-lc10)"),
    (r"(at|torch|caffe2)::|aoti_torch_|torch_", "libtorch_cpu (-ltorch_cpu)"),
    (r"(pthread_|dl(open|sym|close|error))", "the C library's extras (-lpthread -ldl)"),
)


class Name(NamedTuple):
    """A demangled function: ``void ns::twice<float>(float*)`` is ``ns::twice``, ``float``, ``float*``."""

    base: str
    arguments: str
    parameters: str


def demangle(symbol: str) -> str:
    """The C++ name that ``symbol`` stands for; ``symbol`` itself where it is none."""
    function = _demangler()
    if function is None or not symbol.startswith("_Z"):
        return symbol
    status = ctypes.c_int()
    text = function(symbol.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not text:
        return symbol
    try:
        return ctypes.string_at(text).decode("utf-8", "backslashreplace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


@cache
def _demangler() -> ctypes._NamedFuncPointer | None:
    for library in ("libstdc++.so.6", "libc++abi.so.1", None):
        try:
            function = ctypes.CDLL(library)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        return function
    return None


def take_apart(demangled: str) -> Name:
    """Split a demangled name at the brackets that belong to the function itself."""
    text = demangled.replace("operator()", "operator\0").replace("(anonymous namespace)", "\1")
    head, parameters = _parted(text, text.rfind(")"), "()")
    word = head[_last_blank(head) + 1 :]
    base, arguments = _parted(word, len(word) - 1 if word.endswith(">") else -1, "<>")
    restored = (
        part.replace("operator\0", "operator()").replace("\1", "(anonymous namespace)")
        for part in (base, arguments.strip(), parameters)
    )
    return Name(*restored)


def _parted(text: str, end: int, brackets: str) -> tuple[str, str]:
    """The text before the pair of brackets that closes at ``end``, and the text inside the pair."""
    depth = 0
    for position in range(end, -1, -1):
        depth += (text[position] == brackets[1]) - (text[position] == brackets[0])
        if depth == 0:
            return text[:position], text[position + 1 : end]
    return text, ""


def _last_blank(head: str) -> int:
    """Where the return type ends: the last blank that is inside no angle brackets; -1 for none."""
    depth = 0
    for position in range(len(head) - 1, -1, -1):
        depth += (head[position] == ">") - (head[position] == "<")
        if head[position] == " " and depth == 0:
            return position
    return -1


def why_undefined(symbol: str, defined: Iterable[str] = ()) -> str:
    """The likely cause of an undefined symbol, in one sentence; ``defined`` is what the objects define.

    A template that is instantiated for other types is told from a definition with other parameters,
    and both from a library that is not linked.
    """
    wanted = take_apart(demangle(symbol))
    namesakes = [
        name for name in map(take_apart, map(demangle, defined)) if name.base == wanted.base
    ]
    others = sorted({name.arguments for name in namesakes if name.arguments != wanted.arguments})
    if wanted.arguments and others:
        return (
            f"the template is not instantiated for {wanted.arguments}; instantiated here: {', '.join(others)}. "
            f"Add an explicit instantiation, or do not dispatch to that type."
        )
    if namesakes:
        have = "; ".join(sorted({f"{name.base}({name.parameters})" for name in namesakes}))
        return (
            f"it is defined with other parameters: {have}. Make declaration and definition agree."
        )
    for pattern, home in _HOMES:
        if re.match(pattern, wanted.base):
            return f"it lives in {home}, which is not linked."
    if wanted.arguments:
        return (
            "nothing instantiates this template: add an explicit instantiation where it is defined."
        )
    return "no source defines it and no library that is linked does: add the source or the library."
