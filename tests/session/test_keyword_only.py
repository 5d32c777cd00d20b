"""Keyword-only arguments reach the operator and its reference by keyword, whoever calls."""

from __future__ import annotations

from pathlib import Path

from operator_folder import KERNEL, read_operator, write_operator
from opwright.checks.table import choose
from opwright.session.checking import check_operator, checking
from opwright.spec.target import Target

DESCRIPTION = """
def reference(x, *, factor=2):
    return x * factor

op = Operator(
    "by_keyword(Tensor x, *, int factor=2) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    scalars={"factor": Scalar(2, 3)},
    reference=reference,
    sources={"cpu": "kernel.cpp"},
    compile_flags=("-O0",),
)
"""
BODY = """
template <typename T>
void by_keyword(opwright::View<const T, 2> x, int64_t factor, opwright::View<T, 2> output) {
  for (int64_t i = 0; i < x.numel(); ++i) output.data[i] = x.data[i] * T(factor);
}
"""


def test_keyword_only_arguments_are_checked_like_others(tmp_path: Path) -> None:
    op = read_operator(write_operator(tmp_path, DESCRIPTION, kernel=KERNEL + BODY))
    names = ["numerics", "mutation", "compile"]  # each calls the operator in a way of its own
    with checking(choose(names)) as worker:
        record = check_operator(worker, str(tmp_path), op, Target("cpu"), only=names)
    found = [f.message for case in record.cases for f in case.outcome.findings]
    assert found == []
    assert record.checks() == dict.fromkeys(names, "pass")
