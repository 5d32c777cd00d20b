from __future__ import annotations

import torch

from checks.one_tensor import subject
from opwright.checks import determinism
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome


def outcomes(one: Subject) -> list[Outcome]:
    return [determinism.run(case, one) for case in determinism.cases(one.spec)]


def test_bits_that_differ_are_noted_where_both_answers_are_right() -> None:
    calls = [0]

    def one_ulp_apart(x: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        right = x.exp()
        return (
            right if calls[0] % 3 else torch.nextafter(right.float(), torch.tensor(9.0)).to(x.dtype)
        )

    found = outcomes(subject(one_ulp_apart, torch.exp, dtypes=("float32",)))
    assert {outcome.verdict for outcome in found} == {"pass"}
    assert all("their bits differ" in outcome.notes[0] for outcome in found)


def test_the_same_wrong_answer_every_time_is_another_checks_matter() -> None:
    found = outcomes(subject(lambda x: 3 * x, lambda x: 2 * x))
    assert {outcome.verdict for outcome in found} == {"pass"}


def test_an_answer_that_does_not_depend_on_values_is_not_stale() -> None:
    assert {o.verdict for o in outcomes(subject(torch.zeros_like, torch.zeros_like))} == {"pass"}


def test_the_same_tensor_filled_anew_is_another_call() -> None:
    kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def by_address(value: torch.Tensor) -> torch.Tensor:
        return kept.setdefault(value.data_ptr(), (value, value.exp()))[1].clone()

    one = subject(by_address, torch.exp, dtypes=("float32",))
    found = determinism.run(next(iter(determinism.cases(one.spec))), one)
    assert "filled with other values" in found.findings[0].message
