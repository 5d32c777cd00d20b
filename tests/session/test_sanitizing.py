"""An instrumented build finds what a plain one survives, and says in which line of the user's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.discovery import find_one
from opwright.records.run import OperatorRecord
from opwright.session import sanitizing
from opwright.session.sanitizing import sanitized
from opwright.spec.target import Target

DESCRIPTION = """
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(3,))

operator = Operator(
    "shifted(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("int32",),
    reference=lambda input: input,
    sources={"cpu": "shifted.cpp"},
)
"""
KERNEL = """#include <opwright/kernel.h>
template <typename T>
void shifted(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const T* in = input.numel() ? &input(0) : nullptr;
  for (int64_t i = 0; i < output.numel(); ++i) {
    BODY
  }
}
"""


def described(folder: Path, body: str) -> OperatorRecord:
    (folder / "op.py").write_text(DESCRIPTION)
    (folder / "shifted.cpp").write_text(KERNEL.replace("BODY", body))
    found = find_one(str(folder))
    empty = OperatorRecord("shifted", "", "generated", "", "", "cpu", "hardware", {}, (), 0.0)
    return sanitized(empty, str(folder), found, Target("cpu"))


def messages(record: OperatorRecord) -> set[str]:
    return {finding.message for case in record.cases for finding in case.outcome.findings}


@pytest.mark.exhaustive  # one of the planted faults is such a read
def test_an_over_read_is_found_with_its_line(tmp_path: Path) -> None:
    record = described(
        tmp_path, "output(i) = in[i] + 0 * *const_cast<const volatile T*>(in + i + 1);"
    )
    assert messages(record) == {"heap-buffer-overflow, READ of size 4 at shifted.cpp:6"}


@pytest.mark.slow
def test_an_overflow_is_found_with_its_line_and_a_right_kernel_passes(tmp_path: Path) -> None:
    wrong = messages(described(tmp_path, "output(i) = in[i] * 0x7fffffff;"))
    assert wrong
    assert all("overflow" in text and text.endswith("at shifted.cpp:6") for text in wrong)
    record = described(tmp_path, "output(i) = in[i];")
    assert {case.outcome.verdict for case in record.cases} == {"pass"}


def test_without_the_library_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sanitizing, "sanitizer_libraries", list)
    (case,) = described(tmp_path, "output(i) = in[i];").cases
    assert case.outcome.verdict == "not checked"
    assert "apt-get install" in case.outcome.reason


def test_the_binding_that_is_asked_for_is_the_one_that_is_instrumented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "op.py").write_text(DESCRIPTION)
    asked: list[str | None] = []
    monkeypatch.setattr(
        sanitizing, "request_for", lambda spec, target, *, binding: asked.append(binding)
    )
    empty = OperatorRecord("shifted", "", "generated", "", "", "cpu", "hardware", {}, (), 0.0)
    found = find_one(str(tmp_path))
    sanitized(empty, str(tmp_path), found, Target("cpu"), binding="aten")
    assert asked == ["aten"]
