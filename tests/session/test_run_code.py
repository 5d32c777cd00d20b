from __future__ import annotations

import pytest

from opwright.errors import CompileError, FoundFault, NotEvidence, ReferenceFailed, SpecError
from opwright.session.run_code import run_code


@pytest.mark.parametrize(
    ("verdicts", "errors", "code"),
    [
        (["pass", "pass"], [], 0),
        ([], [], 0),
        (["pass", "not checked"], [], NotEvidence.exit_code),
        (["not checked", "error"], [], ReferenceFailed.exit_code),
        (["error"], [SpecError("no"), CompileError("no")], SpecError.exit_code),
        (["error", "fail"], [SpecError("no")], FoundFault.exit_code),
    ],
)
def test_what_weighs_most_decides(verdicts: list[str], errors: list[SpecError], code: int) -> None:
    assert run_code(verdicts, errors) == code
