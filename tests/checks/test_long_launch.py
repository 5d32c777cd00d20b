"""More than 2^31 elements on the emulator: a launch is refused at once, or stopped."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any, cast

import pytest
import torch

from checks.one_tensor import described, subject
from opwright import Dim, Shape, Tensor
from opwright.binding.emulation import Emulation
from opwright.checks import long_launch
from opwright.records.verdict import Outcome

REFUSED = {
    "kind": "ignored_launch_error",
    "level": "finding",
    "message": "the grid is (4294967295, 1, 1)",
    "kernel": "k",
}


class Told:
    """Stands in for the emulator, and remembers what it is told."""

    def __init__(self, *said: dict[str, Any]) -> None:
        self.said = list(said)
        self.options: dict[str, str] = {}

    def set(self, option: str, value: str) -> None:
        self.options[option] = value

    def findings(self) -> list[dict[str, Any]]:
        return self.said

    def finish(self) -> None:
        self.said += [{**REFUSED, "level": "note"}]

    def reset(self) -> None:
        pass


def outcome(function: Callable[[torch.Tensor], torch.Tensor], *said: dict[str, Any]) -> Outcome:
    under_test = subject(function, lambda input: input * 2)
    (case,) = long_launch.long_cases(under_test.spec)
    told = cast("Emulation", Told(*said))
    return long_launch.run_long(case, under_test, told)


def small(input: torch.Tensor) -> torch.Tensor:
    assert input.numel() > 1 << 31
    return input[:1]


def test_what_the_emulator_says_of_the_launch_is_found_with_its_size() -> None:
    (found,) = outcome(small, REFUSED).findings
    assert found.kind == "launch error ignored"
    assert found.message.startswith("with ")
    assert "rows: the grid is" in found.message


def test_a_call_that_comes_back_without_a_finding_passes() -> None:
    assert outcome(small).verdict == "pass"


def test_a_call_that_runs_on_is_stopped_and_was_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(long_launch, "_SECONDS", 0.1)

    def slow(input: torch.Tensor) -> torch.Tensor:
        time.sleep(60)
        return input

    answer = outcome(slow)
    assert answer.verdict == "not checked"
    assert "was accepted" in answer.reason


def test_a_crash_is_a_finding_and_takes_nothing_with_it() -> None:
    (found,) = outcome(
        lambda input: cast("torch.Tensor", os.kill(os.getpid(), signal.SIGKILL))
    ).findings
    assert (found.kind, "-9" in found.message) == ("crash", True)


def test_a_clear_refusal_is_a_note() -> None:
    def refusing(input: torch.Tensor) -> torch.Tensor:
        raise ValueError("input: has more than 2^31 elements")

    answer = outcome(refusing)
    assert answer.verdict == "pass"
    assert "2^31" in answer.notes[0]


def test_sizes_without_a_row_are_passed_over() -> None:
    shape = Shape("shape", typical=((70_000, 4),), edge=((), (0,), (3,)))
    spec = described(lambda input: input * 2, inputs={"input": Tensor(shape)})
    (case,) = long_launch.long_cases(spec)
    assert case.sizes == {"shape": (3,)}


def test_operators_that_have_no_rows_have_no_such_case() -> None:
    n = Dim("n", typical=(4,))
    spec = described(lambda input: input.sum(), inputs={"input": Tensor(n)}, outputs=Tensor())
    assert list(long_launch.long_cases(spec)) == []
