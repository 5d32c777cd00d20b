"""Bytes, operations and fractions are those that can be worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from opwright import Dim, Operator, Shape, Tensor
from opwright.errors import UsageError
from opwright.inputs.call import Call
from opwright.measure.roofline import Ceilings, achieved, amdahl, bytes_moved, flops_of

BATCH, N, K = Shape("batch"), Dim("n"), Dim("k")


def described(schema: str, inputs: dict[str, Tensor], **fields: Any) -> Operator:
    return Operator(
        schema,
        inputs=inputs,
        dtypes=("float32", "bfloat16"),
        reference=lambda *args, **kwargs: None,
        function=lambda *args, **kwargs: None,
        **fields,
    )


STRIDED = Tensor(BATCH, N, layout="strided")
ADD = described(
    "add(Tensor a, Tensor? b=None, float s=1.0) -> Tensor", {"a": STRIDED, "b": STRIDED}
).spec
IN_PLACE = described("scale(Tensor(a!) x, Tensor w) -> ()", {"x": Tensor(N), "w": Tensor(N)}).spec


def call(a: torch.Tensor, b: torch.Tensor | None) -> Call:
    return Call(ADD, {"a": a, "b": b, "s": 1.0})


def test_each_input_is_read_once_and_each_output_written_once() -> None:
    a, b = torch.zeros(4, 8), torch.zeros(4, 8, dtype=torch.bfloat16)
    assert bytes_moved(call(a, b), [torch.zeros(4, 8)]) == 4 * 32 + 2 * 32 + 4 * 32
    assert bytes_moved(call(a, None), [torch.zeros(4, 8)]) == 2 * 4 * 32


def test_what_is_expanded_counts_the_memory_that_it_has() -> None:
    row, column = torch.zeros(1, 8).expand(4, 8), torch.zeros(4, 1).expand(4, 8)
    assert bytes_moved(call(row, column), []) == 4 * 8 + 4 * 4
    assert bytes_moved(call(torch.zeros(()).expand(4, 8), None), []) == 4


def test_views_count_their_elements_and_not_what_lies_between() -> None:
    assert bytes_moved(call(torch.zeros(4, 16)[:, ::2], None), []) == 4 * 32
    assert bytes_moved(call(torch.zeros(8, 4).t(), None), []) == 4 * 32


def test_the_same_memory_twice_is_read_once() -> None:
    a = torch.zeros(4, 8)
    assert bytes_moved(call(a, a[:]), []) == 4 * 32


def test_empty_tensors_move_nothing() -> None:
    assert bytes_moved(call(torch.zeros(0, 8), torch.zeros(1, 0).expand(3, 0)), []) == 0


def test_what_is_written_to_is_read_and_written_once_each() -> None:
    x, w = torch.zeros(8), torch.zeros(8)
    in_place = Call(IN_PLACE, {"x": x, "w": w})
    assert bytes_moved(in_place, []) == 3 * 32
    assert bytes_moved(in_place, [x]) == 3 * 32, "also where results name it again"
    assert bytes_moved(in_place, [], [*in_place.written]) == 2 * 32, "but an out= is not read"


def test_tensors_without_memory_count_alike() -> None:
    a, b, c = (torch.zeros(4, 8, device="meta") for _ in range(3))
    assert bytes_moved(call(a, b), [c]) == 3 * 4 * 32
    assert bytes_moved(call(a, a), [c]) == 2 * 4 * 32


def test_operations_follow_from_the_sizes_of_the_call() -> None:
    schema = "f(Tensor a, Tensor w, int times=3) -> Tensor"
    inputs = {"a": Tensor(BATCH, N), "w": Tensor(N, K)}
    spec = described(schema, inputs, flops="2 * batch * n * k * times").spec
    arguments = {"a": torch.zeros(2, 5, 8), "w": torch.zeros(8, 16), "times": 4}
    assert flops_of(Call(spec, arguments)) == 2 * (2 * 5) * 8 * 16 * 4
    assert flops_of(Call(described(schema, inputs).spec, arguments)) is None


def test_operations_that_come_to_nothing_or_cannot_be_counted() -> None:
    below = described("f(Tensor a) -> Tensor", {"a": Tensor(N)}, flops="n - 9").spec
    assert flops_of(Call(below, {"a": torch.zeros(8)})) == 0
    over_zero = described("f(Tensor a) -> Tensor", {"a": Tensor(N)}, flops="n // (n - n)").spec
    assert flops_of(Call(over_zero, {"a": torch.zeros(8)})) is None


CEILINGS = Ceilings(100.0, 120.0, 1000, "cold", 10.0, "float32")


def test_what_is_achieved_is_said_of_the_copy_of_the_same_cache_state() -> None:
    found = achieved(50_000_000, None, 1000.0, CEILINGS)
    assert (found["gb_s"], found["fraction_of_copy"]) == (50.0, 0.5)
    assert (found["limit"], found["cache"]) == ("memory", "cold")
    assert not {"impossible", "flops", "tflop_s", "fraction_of_matmul"} & set(found)


@pytest.mark.parametrize(("flops", "limit"), [(8_000_000_000, "compute"), (10_000_000, "memory")])
def test_the_limit_is_what_takes_longer_at_the_ceilings(flops: int, limit: str) -> None:
    found = achieved(50_000_000, flops, 1000.0, CEILINGS)
    assert found["tflop_s"] == flops / 1e9
    assert found["fraction_of_matmul"] == found["tflop_s"] / 10
    assert found["limit"] == limit
    assert "impossible" not in found


def test_operations_without_a_matrix_product_have_no_fraction() -> None:
    found = achieved(50_000_000, 10**9, 1000.0, Ceilings(100.0, 120.0, 1000, "cold"))
    assert found["tflop_s"] == 1.0
    assert "fraction_of_matmul" not in found


@pytest.mark.parametrize(("time_us", "impossible"), [(500, False), (400, False), (300, True)])
def test_more_bytes_than_the_device_moves_are_impossible(time_us: float, impossible: bool) -> None:
    """At 400 µs it is 125 GB/s: above a copy, and within what two measurements may differ by."""
    found = achieved(50_000_000, None, time_us, CEILINGS)
    assert ("impossible" in found) == impossible
    if impossible:
        assert found["impossible"].startswith("139 % of the 120 GB/s")
        assert found["impossible"].endswith(
            "impossible: look for a cache or a missing synchronisation"
        )


def test_more_operations_than_a_product_does_are_impossible() -> None:
    found = achieved(1000, 11_000_000_000, 1000.0, CEILINGS)
    assert "110 % of the 10 TFLOP/s of a matrix product in float32" in found["impossible"]


@pytest.mark.parametrize(
    ("share", "speedup", "gain"),
    [(50, 2, 4 / 3), (100, 3, 3), (0, 9, 1), (20, math.inf, 1.25), (100, math.inf, math.inf)],
)
def test_a_whole_gains_what_its_part_allows(share: float, speedup: float, gain: float) -> None:
    assert amdahl(share, speedup) == pytest.approx(gain)


@pytest.mark.parametrize(("share", "speedup"), [(-1, 2), (101, 2), (50, 0), (50, math.nan)])
def test_no_share_and_no_speed_up_are_refused(share: float, speedup: float) -> None:
    with pytest.raises(UsageError, match="is none"):
        amdahl(share, speedup)
