from __future__ import annotations

import torch

from checks.one_tensor import subject
from opwright.checks import thread_count
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome


def first_outcome(one: Subject) -> Outcome:
    return thread_count.run(next(iter(thread_count.cases(one.spec))), one)


def test_the_same_bits_pass_and_the_number_of_threads_is_put_back() -> None:
    before = torch.get_num_threads()
    found = first_outcome(subject(torch.exp, torch.exp))
    assert (found.verdict, found.notes) == ("pass", ())
    assert torch.get_num_threads() == before


def test_an_answer_that_is_wrong_with_many_threads_is_found() -> None:
    def last_part_forgotten(value: torch.Tensor) -> torch.Tensor:
        result = value.exp()
        if torch.get_num_threads() > 1:
            result[-1] = 0
        return result

    found = first_outcome(subject(last_part_forgotten, torch.exp))
    assert [finding.details["threads"] for finding in found.findings] == [7]


def test_other_bits_that_are_right_are_a_note() -> None:
    def another_rounding(value: torch.Tensor) -> torch.Tensor:
        wide = value.double() if torch.get_num_threads() > 1 else value
        return (wide.exp() * 3.3).to(value.dtype)

    found = first_outcome(subject(another_rounding, lambda x: x.exp() * 3.3, dtypes=("float32",)))
    assert found.verdict == "pass"
    assert "both are right" in found.notes[0]


def test_a_gradient_of_its_own_that_is_wrong_with_one_thread_is_found() -> None:
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x.exp())
            return x.exp()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0] * (0.9 if torch.get_num_threads() == 1 else 1.0)

    one = subject(Exponential.apply, torch.exp, backward="own", dtypes=("float32",))
    found = [
        thread_count.run(case, one).verdict
        for case in thread_count.cases(one.spec)
        if case.extra.get("gradients")
    ]
    assert found
    assert set(found) == {"fail"}
