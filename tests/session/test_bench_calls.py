"""Calls that are timed find other inputs each time and what they write to restored; a judge looks at results."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from opwright import Dim, Operator, Tensor
from opwright.errors import FoundFault
from opwright.inputs.call import make_call
from opwright.measure.cache import Flush
from opwright.session import bench_calls
from opwright.session.bench_calls import Calls, Judge, Settling, bound, trusted, with_gradients
from opwright.session.bench_cases import bench_cases
from opwright.spec.operator import OperatorSpec

N = Dim("n", typical=(64,))
DOUBLED = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(N)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=lambda input: input * 2,
).spec


def add_to(total: torch.Tensor, input: torch.Tensor) -> None:
    total += input


ADDS = Operator(
    "adds(Tensor(a!) total, Tensor input) -> ()",
    inputs={"total": Tensor(N), "input": Tensor(N)},
    dtypes=("float32",),
    reference=add_to,
    function=add_to,
).spec


def fill_from(total: torch.Tensor, input: torch.Tensor) -> None:
    torch.mul(input, 2, out=total)


FILLS = Operator(
    "fills(Tensor(a!) total, Tensor input) -> ()",
    inputs={"total": Tensor(N), "input": Tensor(N)},
    dtypes=("float32",),
    reference=fill_from,
    function=fill_from,
).spec


class Counted(Flush):
    """A flush that counts itself."""

    def __init__(self) -> None:
        super().__init__(None, 4096)
        self.said: list[str] = []

    def __call__(self) -> None:
        self.said.append("flush")


def calls_of(spec: OperatorSpec, function: Any, flush: Flush | None = None) -> Calls:
    case, *_ = bench_cases(spec)
    inputs = [make_call(spec, case.with_other_values(number)) for number in range(3)]
    return Calls(function, inputs, 3, bound, Settling("cold" if flush else "warm", flush))


def judge_of(calls: Calls, spec: OperatorSpec = DOUBLED) -> Judge:
    return Judge("it", bench_cases(spec)[0], calls)


def test_the_sets_of_inputs_are_taken_in_turns() -> None:
    calls = calls_of(DOUBLED, lambda input: input, Counted())
    seen = [calls.prepare()() for _ in range(7)]
    assert len({tensor.data_ptr() for tensor in seen}) == 3
    assert [tensor.data_ptr() for tensor in seen[3:]] == [t.data_ptr() for t in seen[:4]]


@pytest.mark.parametrize("flush", [Counted(), None], ids=["cold", "warm"])
def test_what_a_call_writes_to_is_as_it_was_drawn_before_each(flush: Flush | None) -> None:
    seen: list[list[float]] = []

    def add(total: torch.Tensor, input: torch.Tensor) -> None:
        seen.append(total.tolist())
        total += input

    calls = calls_of(ADDS, add, flush)
    for _ in range(9):
        calls.prepare()()
    timed = seen if flush else seen[1::2]
    assert len(timed) == 9
    (case,) = bench_cases(ADDS)
    drawn = [make_call(ADDS, case.with_other_values(number)) for number in range(3)]
    totals = [call.arguments["total"].tolist() for call in drawn]
    assert all(each in totals for each in timed)
    assert calls.latest[0].arguments["total"].tolist() == timed[-1], "what was drawn stays"
    assert calls.latest[1].arguments["total"].tolist() != timed[-1]


def test_a_cold_call_is_flushed_for_last_and_a_warm_one_has_just_been_made() -> None:
    flush = Counted()

    def function(input: torch.Tensor) -> torch.Tensor:
        flush.said.append("call")
        return input * 2

    cold = calls_of(DOUBLED, function, flush)
    for _ in range(2):
        cold.prepare()()
    assert flush.said == ["flush", "call", "flush", "call"]
    flush.said.clear()
    calls_of(DOUBLED, function).prepare()
    assert flush.said == ["call"]


def test_right_results_are_right_and_a_wrong_one_is_named_with_its_case() -> None:
    wrong = 0.0
    calls = calls_of(DOUBLED, lambda input: input * 2 + wrong)
    judge = judge_of(calls)
    for _ in range(7):
        assert judge.recheck(calls.prepare()())
    wrong = 1.0
    with pytest.raises(FoundFault, match="it is wrong on n=64 float32: ") as found:
        judge.recheck(calls.prepare()())
    assert "opwright check" in found.value.hint


def test_a_result_of_other_inputs_is_not_right_for_these() -> None:
    calls = calls_of(DOUBLED, lambda input: input * 2)
    judge = judge_of(calls)
    first = calls.prepare()()
    assert judge.recheck(first)
    calls.prepare()()
    with pytest.raises(FoundFault):
        judge.recheck(first)


def test_each_set_of_inputs_is_judged_once_and_then_compared_bit_by_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[object] = []
    real = bench_calls.expect
    monkeypatch.setattr(bench_calls, "expect", lambda *a: (judged.append(a), real(*a))[1])
    calls = calls_of(DOUBLED, lambda input: input * 2)
    judge = judge_of(calls)
    for _ in range(9):
        judge.recheck(calls.prepare()())
    assert len(judged) == 3


def test_other_bits_are_judged_anew_and_may_be_right_too() -> None:
    factor = 2.0
    calls = calls_of(DOUBLED, lambda input: input * factor)
    judge = judge_of(calls)
    assert all(judge.recheck(calls.prepare()()) for _ in range(3))
    factor = 2.0000002
    assert all(judge.recheck(calls.prepare()()) for _ in range(3))


def test_an_output_that_is_missing_later_is_noticed() -> None:
    calls = calls_of(DOUBLED, lambda input: input * 2)
    judge = judge_of(calls)
    for _ in range(3):
        judge.recheck(calls.prepare()())
    calls.prepare()()
    with pytest.raises(FoundFault):
        judge.recheck(())


def test_what_is_written_in_place_is_looked_at() -> None:
    calls = calls_of(ADDS, add_to)
    assert judge_of(calls, ADDS).recheck(calls.prepare()())
    idle = calls_of(ADDS, lambda total, input: None)
    with pytest.raises(FoundFault):
        judge_of(idle, ADDS).recheck(idle.prepare()())


def test_the_least_that_a_call_moves_is_each_input_and_output_once() -> None:
    assert calls_of(DOUBLED, lambda input: input * 2).bytes_moved() == 2 * 64 * 4
    assert calls_of(ADDS, add_to).bytes_moved() == 3 * 64 * 4
    assert calls_of(FILLS, fill_from).bytes_moved() == 2 * 64 * 4, "what it writes to is not read"


def test_nobody_looks_at_the_references_own_results() -> None:
    assert trusted("anything") is False


@pytest.mark.parametrize("cache", ["cold", "rotating", "warm"])
def test_what_is_remembered_by_the_address_of_the_inputs_is_found_wrong(cache: str) -> None:
    known: dict[int, torch.Tensor] = {}

    def remembered(input: torch.Tensor) -> torch.Tensor:
        return known.setdefault(input.data_ptr(), input * 2)

    (case,) = bench_cases(DOUBLED)
    values = [make_call(DOUBLED, case.with_other_values(number)) for number in range(2)]
    calls = Calls(remembered, values, 4, bound, Settling(cache, None))
    judge = judge_of(calls)
    with pytest.raises(FoundFault):
        for _ in range(12):
            judge.recheck(calls.prepare()())


def test_rotating_memory_gets_other_values_after_its_turn_and_not_before_it() -> None:
    (case,) = bench_cases(DOUBLED)
    values = [make_call(DOUBLED, case.with_other_values(number)) for number in range(2)]
    calls = Calls(torch.neg, values, 3, bound, Settling("rotating", None))
    calls.prepare()
    held = calls.latest[1].arguments["input"].clone()
    later = calls.latest[1]
    calls.prepare()
    assert not torch.equal(later.arguments["input"], held)
    assert torch.equal(calls.latest[1].arguments["input"], calls.latest[0].arguments["input"])


def test_what_another_process_has_judged_is_not_judged_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = calls_of(DOUBLED, lambda input: input * 2)
    first = judge_of(calls)
    first.recheck(calls.prepare()())

    def judged_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(bench_calls, "expect", judged_again)
    again = calls_of(DOUBLED, lambda input: input * 2)
    assert Judge("it", bench_cases(DOUBLED)[0], again, first.judged).recheck(again.prepare()())


def test_a_right_result_for_other_inputs_is_judged() -> None:
    calls = calls_of(DOUBLED, lambda input: input * 2)
    first = judge_of(calls)
    stale = calls.prepare()()
    first.recheck(stale)
    calls.prepare()
    with pytest.raises(FoundFault):
        Judge("it", bench_cases(DOUBLED)[0], calls, first.judged).recheck(stale)


def test_what_is_expected_of_inputs_is_found_once_for_all_judges_of_a_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    real = bench_calls.expect
    monkeypatch.setattr(bench_calls, "expect", lambda *a: (asked.append(a), real(*a))[1])
    (case,) = bench_cases(DOUBLED)
    values = [make_call(DOUBLED, case.with_other_values(number)) for number in range(2)]
    known: dict[int, Any] = {}
    for name in ("one", "other"):
        calls = Calls(torch.Tensor.__add__, values, 2, doubling, Settling("warm", None))
        judge = Judge(name, case, calls, expectations=known)
        assert all(judge.recheck(calls.prepare()()) for _ in range(4))
    assert len(asked) == 2


def doubling(function: Any, call: Any) -> Any:
    given = call.arguments["input"]
    return lambda: function(given, given)


def test_a_lenient_judge_lets_pass_what_is_less_exact_and_says_so() -> None:
    calls = calls_of(DOUBLED, lambda input: input * 2.000001)
    judge = Judge("it", bench_cases(DOUBLED)[0], calls, lenient=True)
    assert judge.recheck(calls.prepare()())
    assert [doubt.partition(": ")[0] for doubt in judge.doubts] == ["less exact than it has to be"]
    assert not judge.fault
    with pytest.raises(FoundFault):
        judge_of(calls).recheck(calls.prepare()())


def test_a_lenient_judge_lets_no_other_values_shape_or_nan_pass() -> None:
    for wrong in (
        lambda input: input * 2 + 1,
        lambda input: input * 2.001,
        lambda input: input[:3],
        lambda input: input * float("nan"),
    ):
        calls = calls_of(DOUBLED, wrong)
        judge = Judge("it", bench_cases(DOUBLED)[0], calls, lenient=True)
        with pytest.raises(FoundFault):
            judge.recheck(calls.prepare()())
        assert judge.fault.startswith("it is wrong on n=64 float32: ")


def test_a_judge_keeps_how_exact_the_first_result_was() -> None:
    calls = calls_of(DOUBLED, lambda input: input * 2)
    judge = judge_of(calls)
    judge.recheck(calls.prepare()())
    assert (judge.accuracy["max_ulp"], judge.accuracy["elements"]) == (0.0, 64.0)


def test_the_memory_of_results_is_that_of_fresh_ones_alone() -> None:
    assert calls_of(DOUBLED, lambda input: input * 2).results_bytes() == 64 * 4
    assert calls_of(ADDS, add_to).results_bytes() == 0


SCALED = Operator(
    "scaled(Tensor input, Tensor factor, Tensor unused) -> Tensor",
    inputs={"input": Tensor(N), "factor": Tensor(N), "unused": Tensor(N)},
    dtypes=("float32",),
    reference=lambda input, factor, unused: input * factor,
    function=lambda input, factor, unused: input * factor,
).spec


@pytest.mark.parametrize(
    ("function", "lost"),
    [
        (lambda input, factor, unused: input * factor, ""),
        (lambda input, factor, unused: input * factor + 0 * unused, ""),
        (lambda input, factor, unused: input * factor.detach(), "factor"),
        (lambda input, factor, unused: (input * factor).detach(), "factor, input"),
    ],
)
def test_who_gives_fewer_gradients_than_the_reference_is_not_timed(
    function: Any, lost: str
) -> None:
    call = make_call(SCALED, bench_cases(SCALED)[0])
    if lost:
        with pytest.raises(FoundFault, match=f"no gradient reaches {lost},"):
            with_gradients(function, call)
    else:
        assert with_gradients(function, call)().requires_grad
