"""A leak is a slope that is surely above zero, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from opwright.checks import leak
from opwright.checks.leak import slope
from opwright.checks.protocol import Subject
from opwright.operator import Operator
from opwright.records.verdict import Outcome
from opwright.spec.dims import Dim
from opwright.spec.tensor import Tensor


def test_a_steady_leak_has_its_slope_and_no_error() -> None:
    found = slope([1000 + 50 * 64 * i for i in range(9)], 50)
    assert found.per_call == 64
    assert found.surely == 64


def test_one_large_step_is_no_leak() -> None:
    assert (
        slope([0, 0, 0, 0, 100_000, 100_000, 100_000, 100_000, 100_000], 50).surely < 100_000 / 200
    )


def test_noise_around_a_level_is_no_leak() -> None:
    assert slope([10, 900, 0, 880, 30, 910, 5, 899, 12], 50).surely <= 0


def test_bursts_are_no_leak_of_objects_and_growth_in_each_round_is() -> None:
    bursts = [0, 25, 26, 28, 66, 67, 69, 83, 85]
    assert not leak._objects_grow([(0, objects, 0) for objects in bursts])
    assert leak._objects_grow([(0, 25 * place, 0) for place in range(9)])


def of_a_step(name: str, function: Callable[..., Any], dtype: str) -> Outcome:
    """What the check says of forward and backward of a function of two tensors."""
    n = Dim("n", typical=(64,))
    operator = Operator(
        f"steps_{name}(Tensor a, Tensor b) -> (Tensor first, Tensor second)",
        inputs={"a": Tensor(n), "b": Tensor(n)},
        outputs={"first": Tensor(n), "second": Tensor(n)},
        dtypes=(dtype,),
        reference=function,
        function=function,
        backward="own",
    )
    operator.load()
    (case,) = (c for c in leak.cases(operator.spec) if c.extra == {"step": True})
    return leak.run(case, Subject(operator.spec, operator.implementation.overload))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_a_step_may_have_results_that_lead_nowhere(dtype: str) -> None:
    found = of_a_step(f"half_{dtype}", lambda a, b: (a * b, a.detach() + 1), dtype)
    assert found.verdict == "pass", found


def test_a_step_without_a_way_back_is_none() -> None:
    found = of_a_step("nowhere", lambda a, b: (a.detach() * 2, b.detach() + 1), "float32")
    assert found.verdict == "not checked"
    assert "leads back" in found.reason


class Memory:
    """A device's memory, of which each look finds ``others`` bytes more taken by other processes."""

    def __init__(self, others: int) -> None:
        self.size_bytes, self.others = 0, others

    def held_bytes(self) -> int:
        self.size_bytes += self.others
        return self.size_bytes

    def leak(self) -> bool:
        self.size_bytes += 512
        return False


@pytest.mark.parametrize(
    ("others", "leaks", "verdict"),
    [(0, False, "pass"), (0, True, "fail"), (1 << 20, False, "not checked")],
)
def test_memory_of_a_device_is_laid_to_calls_only_where_it_is_still_without_them(
    others: int, leaks: bool, verdict: str
) -> None:
    memory = Memory(others)
    subject: Any = SimpleNamespace(device=memory)
    found = leak._judged(subject, memory.leak if leaks else lambda: False, "a call")
    assert found.verdict == verdict, found
    assert [f.kind for f in found.findings] == ["device memory leaked"] * (verdict == "fail")
    assert ("other processes" in found.reason) == (verdict == "not checked")
