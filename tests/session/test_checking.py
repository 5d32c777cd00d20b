"""A run of checks goes on after whatever an operator does to its process, and ends in bounded time."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from opwright.checks.table import CHECKS, choose
from opwright.discovery import find_one
from opwright.errors import CompileError, OpwrightError, SpecError, TimedOut
from opwright.records.run import CaseRecord
from opwright.session import checking as module
from opwright.session.cases import BuiltBackward
from opwright.session.checking import built_backward, check_operator, checking, plan
from opwright.spec.described import Described
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.worker import Limits

OPERATOR = """
import os
import signal
import time

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(2, 3, 4, 5, 6, 7, 8, 9), edge=(0,))


def function(input: torch.Tensor) -> torch.Tensor:
    {body}
    return input + 1


ending = Operator(
    "ending(Tensor input) -> Tensor",
    inputs={{"input": Tensor(n)}},
    dtypes=("float32", "float64", "bfloat16"),
    reference=lambda input: {reference},
    function=function,
)
"""


def cases(
    folder: Path, body: str, *only: str, seconds: float = 30.0, reference: str = "input + 1"
) -> tuple[CaseRecord, ...]:
    (folder / "op.py").write_text(OPERATOR.format(body=body, reference=reference))
    with checking(choose(only), limits=Limits(case_seconds=seconds)) as worker:
        return check_operator(
            worker, str(folder), find_one(str(folder)), Target("cpu"), only=only
        ).cases


def test_three_hangs_end_a_check_and_the_next_one_begins(tmp_path: Path) -> None:
    found = cases(
        tmp_path,
        "time.sleep(60 if input.numel() else 0)",
        *("empty", "determinism", "coverage"),
        seconds=0.5,
    )
    verdicts = {
        check: Counter(c.outcome.verdict for c in found if c.check == check)
        for check in ("empty", "determinism", "coverage")
    }
    assert verdicts["empty"]["fail"] == 0
    for check in ("determinism", "coverage"):
        assert verdicts[check]["fail"] == 3
        assert verdicts[check]["not checked"] == sum(verdicts[check].values()) - 3
    assert found[-1].outcome.reason == (
        "this check has had 3 ends of kind 'hang': mend those first"
    )


def test_a_dead_process_is_a_finding_on_its_case_and_the_next_case_runs(tmp_path: Path) -> None:
    body = "input.shape[0] == 4 and os.kill(os.getpid(), signal.SIGKILL)"
    found = cases(tmp_path, body, "numerics")
    assert {c.case["sizes"]["n"] for c in found if c.outcome.verdict == "fail"} == {4}
    passed = {c.case["sizes"]["n"] for c in found if c.outcome.verdict == "pass"}
    assert passed >= {2, 3, 5, 6, 7, 8, 9}


def test_an_operator_that_raises_every_time_is_run_to_the_end(tmp_path: Path) -> None:
    found = cases(tmp_path, "raise RuntimeError('no')", "numerics")
    declared = [c for c in found if not c.case["extra"] and c.case["values"] == "normal"]
    assert {c.outcome.verdict for c in declared} == {"fail"}
    assert not [c for c in found if "mend those first" in c.outcome.reason]
    assert {f.kind for c in found for f in c.outcome.findings} == {"exception"}


def test_every_check_that_was_asked_for_is_in_the_record_whether_it_has_a_case_or_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "op.py").write_text(
        OPERATOR.format(body="", reference="input + 1").replace("edge=(0,)", "edge=()")
    )
    spec = find_one(str(tmp_path)).spec
    with checking(choose(["empty", "numerics"])) as worker:
        record = check_operator(
            worker,
            str(tmp_path),
            find_one(str(tmp_path)),
            Target("cpu"),
            only=("empty", "numerics"),
        )
    everything, unplanned = plan(spec, CHECKS)
    assert {case.check for case in everything} | set(unplanned) == {check.name for check in CHECKS}
    assert all(unplanned.values())
    assert "no declared size of ending is 0" in record.unplanned["empty"]
    assert set(record.checks()) == {"empty", "numerics"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os._exit(0)", "left its process with exit code 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed with SIGSEGV"),
        ("exit(3)", "raises SystemExit: 3"),
    ],
)
def test_a_reference_that_ends_the_process_is_an_error_and_not_the_operators(
    tmp_path: Path, body: str, said: str
) -> None:
    reference = f"{body} if input.numel() == 4 else input + 1"
    found = cases(tmp_path, "pass", "numerics", reference=reference)
    assert Counter(c.outcome.verdict for c in found)["fail"] == 0
    wrong = [c.outcome for c in found if c.outcome.verdict == "error"]
    assert wrong
    assert all("the reference" in each.reason for each in wrong)
    assert all(said in each.reason for each in wrong)


def test_an_operator_that_makes_the_reference_crash_has_a_finding(tmp_path: Path) -> None:
    body = "os.environ['SPOILED'] = 'yes'"
    reference = "input + 1 if 'SPOILED' not in os.environ else os.abort()"
    found = cases(tmp_path, body, "numerics", reference=reference)
    verdicts = Counter(c.outcome.verdict for c in found)
    assert verdicts["fail"]
    assert not verdicts["error"]


@pytest.mark.parametrize(("users", "given"), [(None, "passive"), ("active", "active")])
def test_threads_that_wait_leave_their_processor_unless_the_user_wants_it_otherwise(
    users: str | None, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments: list[dict[str, str]] = []

    def worker(*_: Any, environment: dict[str, str], **__: Any) -> nullcontext[None]:
        environments.append(environment)
        return nullcontext()

    monkeypatch.setattr(module, "Worker", worker)
    monkeypatch.delenv("OMP_WAIT_POLICY")
    if users is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", users)
    with checking(()):
        assert [each["OMP_WAIT_POLICY"] for each in environments] == [given]


BACKWARD = """
    backward=Backward(
        "ending_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        {implementation},
    ),
)
"""


def with_backward(folder: Path, implementation: str) -> Described:
    text = OPERATOR.format(body="pass", reference="input + 1").rstrip().removesuffix(")")
    text = text.replace("import Dim", "import Backward, Dim")
    (folder / "op.py").write_text(text + BACKWARD.format(implementation=implementation))
    return find_one(str(folder))


@pytest.mark.parametrize(("only", "built"), [(("numerics",), 0), (("numerics", "gradients"), 1)])
def test_backwards_are_built_for_checks_that_ask_for_gradients(
    only: tuple[str, ...], built: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = with_backward(tmp_path, "function=lambda grad_output, input: grad_output.clone()")
    asked: list[OperatorSpec] = []

    def building(spec: OperatorSpec, target: Target, binding: str | None) -> BuiltBackward:
        asked.append(spec)
        return built_backward(spec, target, binding)

    monkeypatch.setattr(module, "built_backward", building)
    with checking(choose(only)) as worker:
        record = check_operator(worker, str(tmp_path), described, Target("cpu"), only=only)
    assert [spec.name for spec in asked] == ["ending_backward"] * built
    assert record.verdict == "pass"


@pytest.mark.parametrize("fault", [SpecError("no"), CompileError("no"), TimedOut("no")])
def test_what_keeps_one_backward_from_its_library_does_not_end_the_forwards_checks(
    fault: OpwrightError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (spec,) = with_backward(tmp_path, 'sources={"cpu": "kernel.cpp"}').spec.backwards

    def building(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(module, "build_operator", building)
    made = built_backward(spec, Target("cpu"), None)
    assert made == BuiltBackward(lacking="ending_backward does not build: no")


def test_a_target_without_sources_is_why_a_backward_has_no_library(tmp_path: Path) -> None:
    (spec,) = with_backward(tmp_path, 'sources={"cpu": "kernel.cpp"}').spec.backwards
    made = built_backward(spec, Target("emulated", "wave32"), None)
    lacking = "ending_backward has no sources for target emulated:wave32"
    assert made == BuiltBackward(lacking=lacking)
