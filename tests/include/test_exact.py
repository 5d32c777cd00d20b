"""Arithmetic on sizes in a binding is Python's, and what does not fit 64 bits is refused."""

from __future__ import annotations

import ctypes
import itertools

import pytest

from native_library import compile_library
from opwright.spec.expression import Expression

pytestmark = pytest.mark.xdist_group("exact")  # one library is compiled for all

SOURCE = """
#include <opwright/exact.h>
#include <cstring>
namespace ob = opwright::binding;
#define EXPORT(name, expression) \\
  extern "C" bool name(int64_t a, int64_t b, int64_t* result, char* message) { \\
    const ob::Exact exact__("f"); \\
    try { *result = expression; return true; } \\
    catch (const ob::Refusal& refusal) { std::strcpy(message, refusal.what()); return false; } \\
  }
"""
EXPRESSIONS = {
    "plus": "a + b",
    "minus": "a - b",
    "times": "a * b",
    "divided": "a // b",
    "modulo": "a % b",
    "nested": "(a + 1) * (b - 2) // 3 % 5",
    "compared": "a < b <= 5",
    "chained": "a != b == 2",
}
VALUES = (0, 1, -1, 2, -2, 3, 5, -5, 7, -7, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    exports = [f"EXPORT({name}, ({Expression(text).cpp()}))" for name, text in EXPRESSIONS.items()]
    source = SOURCE + "\n".join(exports) + "\n"
    return compile_library(tmp_path_factory.mktemp("exact"), source, ("-O2",), parallel_for=False)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_it_is_pythons_or_refused(library: ctypes.CDLL, name: str) -> None:
    expression = Expression(EXPRESSIONS[name])
    refused = 0
    for a, b in itertools.product(VALUES, VALUES):
        result, message = ctypes.c_int64(), ctypes.create_string_buffer(1024)
        function = library[name]
        function.restype = ctypes.c_bool
        done = function(ctypes.c_int64(a), ctypes.c_int64(b), ctypes.byref(result), message)
        expected = expression.evaluate({"a": a, "b": b})
        if done:
            assert result.value == expected, (a, b)
        else:
            refused += 1
            assert message.value.startswith(b"f: a size is ")
            # an intermediate value may be too large where the result is not
            assert expected is None or name == "nested" or not -(2**63) <= expected < 2**63
    assert (refused > 0) == (name not in ("compared", "chained"))
