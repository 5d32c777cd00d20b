"""What reaches a kernel, and what comes back from it."""

from __future__ import annotations

import threading

import pytest
import torch


def scalars(ops, *args, **kwargs):
    return ops.scalars(torch.tensor(2.0, dtype=torch.float64), *args, **kwargs).tolist()


def test_scalars_of_each_kind_reach_the_kernel(ops):
    expected = [2, -3, 0.5, 1, 3, 7, -1, -1, -1, -1, 40, 0.25]
    assert scalars(ops, -3, 0.5, True, "abc") == expected


def test_optional_scalars_reach_the_kernel(ops):
    given = scalars(ops, 2**40, 1e-3, False, "", 5, 0.75, False, "xy", kw=9)
    assert given == [2, 2**40, 1e-3, 0, 0, 9, 5, 0.75, 0, 2, 5, 0.75]


@pytest.mark.parametrize(
    "name, slot, value, seen", [("oi", 6, 3, 3), ("of", 7, 1.5, 1.5), ("ob", 8, True, 1)]
)
def test_each_optional_scalar_is_absent_by_itself(ops, name, slot, value, seen):
    given = scalars(ops, 1, 1.0, True, "abc", **{name: value})
    assert given[slot] == seen
    assert [given[other] for other in (6, 7, 8, 9) if other != slot] == [-1, -1, -1]


def test_a_float_argument_takes_an_int(ops):
    assert scalars(ops, 1, 3, True, "abc")[2] == 3


def test_text_of_any_letters_reaches_a_choice_whole(ops):
    with pytest.raises(RuntimeError, match="expected 'abc' or '', got 'äöü\"'"):
        scalars(ops, 1, 1.0, True, 'äöü"')


def test_a_keyword_only_argument_is_refused_by_position(ops):
    with pytest.raises(RuntimeError, match="takes 9 positional"):
        scalars(ops, 1, 1.0, True, "abc", 1, 1.0, True, "xy", 3)


def test_arguments_can_be_given_by_keyword_in_any_order(ops):
    x = torch.tensor(2.0, dtype=torch.float64)
    assert ops.scalars(s="abc", b=True, x=x, f=0.5, i=1)[1] == 1


def test_a_kernel_of_fixed_dtypes_is_no_template(ops):
    with pytest.raises(
        RuntimeError, match="scalars: argument `x`: expected dtype float64, got float32"
    ):
        ops.scalars(torch.tensor(1.0), 1, 1.0, True, "abc")


def test_several_outputs_come_back_in_order(ops):
    x, y = torch.arange(6.0).view(2, 3), torch.ones(2, 3)
    low, high = ops.spread(x, y)
    assert torch.equal(x, torch.arange(1.0, 7.0).view(2, 3))
    assert torch.equal(low, torch.arange(6.0).view(2, 3) - 1)
    assert high.dtype == torch.float64
    assert high.shape == ()
    assert high == 15


def test_an_optional_tensor_may_be_absent(ops):
    low, _ = ops.spread(torch.ones(3, dtype=torch.int32))
    assert low.tolist() == [1, 1, 1]
    assert low.dtype == torch.int32
    low, _ = ops.spread(torch.ones(3, dtype=torch.int32), None)
    assert low.tolist() == [1, 1, 1]


def test_tensors_without_dimensions(ops):
    x = torch.tensor(4.0)
    low, high = ops.spread(x, torch.tensor(1.0))
    assert (x, low, high) == (5, 3, 4)
    assert low.shape == ()


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (5,)])
def test_a_kernel_is_called_only_if_it_has_something_to_write(ops, shape):
    # all of throws' output is empty where its input is
    x = torch.ones(shape[-1] if len(shape) == 1 else 0, dtype=torch.int64)
    if x.numel():
        with pytest.raises(RuntimeError, match="the kernel refuses"):
            ops.throws(x, "kernel error")
    else:
        assert ops.throws(x, "kernel error").shape == (0,)


def test_an_empty_input_reaches_the_kernel_if_an_output_is_not_empty(ops):
    low, high = ops.spread(torch.ones(2, 0))
    assert low.shape == (2, 0)
    assert high == 0


STRIDED = {
    "dense": (lambda: torch.zeros(2, 3, 8), [6, 8, 8, 1]),
    "columns": (lambda: torch.zeros(6, 16)[:, ::2], [6, 8, 16, 2]),
    "rows": (lambda: torch.zeros(12, 8)[::2], [6, 8, 16, 1]),
    "transposed": (lambda: torch.zeros(8, 6).t(), [6, 8, 1, 6]),
    "expanded": (lambda: torch.zeros(8).expand(2, 3, 8), [6, 8, 0, 1]),
    "no run": (lambda: torch.zeros(16)[::2], [1, 8, 1, 2]),
    "run with sizes of 1": (lambda: torch.zeros(4, 1, 8).transpose(0, 1)[:, ::2], [2, 8, 16, 1]),
    "one column": (lambda: torch.zeros(6, 8)[:, :1], [6, 1, 8, 1]),
}


@pytest.mark.parametrize("layout", STRIDED)
def test_a_strided_view_reaches_the_kernel_with_its_strides(ops, layout):
    make, expected = STRIDED[layout]
    seen = torch.full((4,), -1)
    assert ops.strides(make(), seen) is None
    assert seen.tolist() == expected


def test_outputs_are_dense_whatever_the_input(ops):
    low, _ = ops.spread(torch.ones(3, 4))
    assert low.stride() == (4, 1)


@pytest.mark.parametrize(
    "how, message",
    [
        ("kernel error", "the kernel refuses"),
        ("runtime error", "made of parts"),
        ("parallel", "a piece refuses"),
        ("int", "unknown exception"),
    ],
)
def test_what_a_kernel_throws_reaches_python(ops, how, message):
    with pytest.raises(RuntimeError, match=message):
        ops.throws(torch.ones(64, dtype=torch.int64), how)


def test_a_kernel_that_threw_can_be_called_again(ops):
    for _ in range(3):
        with pytest.raises(RuntimeError):
            ops.throws(torch.ones(64, dtype=torch.int64), "parallel")
    assert ops.throws(torch.full((64,), 5), "nothing")[1:].tolist() == [5] * 63


@pytest.mark.parametrize("count", [1, 2])
def test_the_number_of_threads_is_torchs(ops, count):
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        pieces = int(ops.throws(torch.ones(1000, dtype=torch.int64), "nothing")[0])
    finally:
        torch.set_num_threads(before)
    assert pieces == count


def test_many_threads_call_at_once(ops):
    wrong: list[object] = []

    def call(number: int) -> None:
        for _ in range(200):
            x = torch.full((3, 5), float(number))
            low, high = ops.spread(x, torch.ones(3, 5))
            if high != 15 * number or not bool((low == number - 1).all()):
                wrong.append((number, low, high))
            try:
                ops.spread(x, torch.ones(5))
                wrong.append("not refused")
            except RuntimeError as error:
                if "[3, 5]" not in str(error):
                    wrong.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
