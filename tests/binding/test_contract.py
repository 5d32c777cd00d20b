"""What a generated binding refuses, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
import torch


def arguments(**changed: Any) -> dict[str, Any]:
    """A call of ``contract`` that it takes, with changes."""
    right = {
        "out": torch.zeros(4, 8),
        "x": torch.ones(4, 8),
        "bias": torch.ones(8),
        "index": torch.arange(4),
        "lead": torch.ones(2, 3, 8),
        "mid": torch.ones(2, 2, 3, 8),
    }
    return {**right, **changed}


SHARED = torch.zeros(4, 9)
FLAT = torch.zeros(100)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "dtype": (
        {"out": torch.zeros(4, 8, dtype=torch.float64)},
        "argument `out`: expected dtype float32 or bfloat16, got float64",
    ),
    "mixed dtypes": (
        {"bias": torch.ones(8, dtype=torch.bfloat16)},
        "argument `bias`: expected dtype float32, that of `out`, got bfloat16",
    ),
    "dtype of a set": (
        {"index": torch.ones(4, dtype=torch.int16)},
        "argument `index`: expected dtype int32 or int64, got int16",
    ),
    "fixed dtype": (
        {"mask": torch.ones(4, 8)},
        "argument `mask`: expected dtype bool, got float32",
    ),
    "dtype unknown to a binding": (
        {"out": torch.zeros(4, 8, dtype=torch.float8_e4m3fn)},
        "argument `out`: expected dtype float32 or bfloat16, got another dtype",
    ),
    "rank": (
        {"x": torch.ones(4, 8, 1)},
        "argument `x`: expected 2 dimensions (rows, cols), got shape [4, 8, 1]",
    ),
    "rank 0": (
        {"x": torch.tensor(1.0)},
        "argument `x`: expected 2 dimensions (rows, cols), got shape []",
    ),
    "rank with a shape": (
        {"lead": torch.tensor(1.0)},
        "argument `lead`: expected at least 1 dimensions (*batch, cols), got shape []",
    ),
    "too many dimensions": (
        {"lead": torch.ones(8)[(None,) * 64]},
        "argument `lead`: expected at most 64 dimensions, got 65",
    ),
    "size": (
        {"x": torch.ones(5, 8)},
        "argument `x`: expected size 4 (rows) in dimension 0, got shape [5, 8]",
    ),
    "size behind a shape": (
        {"lead": torch.ones(2, 3, 7)},
        "argument `lead`: expected size 8 (cols) in dimension 2, got shape [2, 3, 7]",
    ),
    "shape": (
        {"mid": torch.ones(2, 3, 2, 8)},
        "argument `mid`: expected sizes [2, 3] (batch) from dimension 1, got shape [2, 3, 2, 8]",
    ),
    "shape of another rank": (
        {"mid": torch.ones(2, 6, 8)},
        "argument `mid`: expected sizes [2, 3] (batch) from dimension 1, got shape [2, 6, 8]",
    ),
    "fixed size": (
        {"mid": torch.ones(3, 2, 3, 8)},
        "argument `mid`: expected size 2 (fixed) in dimension 0, got shape [3, 2, 3, 8]",
    ),
    "size that is worked out": (
        {"k": 2},
        "argument `mid`: expected size 16 (cols * k) in dimension 3, got shape [2, 2, 3, 8]",
    ),
    "size of an optional argument": (
        {"mask": torch.ones(4, 9, dtype=torch.bool)},
        "argument `mask`: expected size 8 (cols) in dimension 1, got shape [4, 9]",
    ),
    "constraint": (
        {
            "out": torch.zeros(4, 1),
            "x": torch.ones(4, 1),
            "bias": torch.ones(1),
            "k": 3,
            "lead": torch.ones(2, 3, 1),
            "mid": torch.ones(2, 2, 3, 3),
        },
        "expected k <= cols, got k = 3, cols = 1",
    ),
    "choice": ({"mode": "firm"}, "argument `mode`: expected 'soft' or 'hard', got 'firm'"),
    "choice, a prefix": ({"mode": "sof"}, "argument `mode`: expected 'soft' or 'hard', got 'sof'"),
    "below": ({"eps": -1e-5}, "argument `eps`: expected at least 0, got -1e-05"),
    "above": ({"eps": 1.1}, "argument `eps`: expected at most 1, got 1.1"),
    "NaN": ({"eps": float("nan")}, "argument `eps`: expected at least 0, got nan"),
    "int below": (
        {"k": 0, "mid": torch.ones(2, 2, 3, 0)},
        "argument `k`: expected at least 1, got 0",
    ),
    "optional above": ({"gain": 1e4}, "argument `gain`: expected at most 1000, got 10000"),
    "optional NaN": ({"gain": float("nan")}, "argument `gain`: expected at most 1000, got nan"),
    "density": (
        {"x": torch.ones(8, 4).t()},
        (
            "argument `x`: expected a contiguous tensor (call .contiguous() first, or declare another "
            "layout), got shape [4, 8] with strides [1, 4]"
        ),
    ),
    "run that cannot be collapsed": (
        {"lead": torch.ones(3, 2, 8).transpose(0, 1)},
        (
            "argument `lead`: expected dimensions that can be read as one, got shape [2, 3, 8] with "
            "strides [8, 16, 1]"
        ),
    ),
    "overlap with itself": (
        {"out": torch.zeros(1, 8).expand(4, 8)},
        (
            "argument `out`: expected a tensor whose elements do not share memory, because it is written "
            "to, got shape [4, 8] with strides [0, 1]"
        ),
    ),
    "overlap with itself by steps": (
        {"out": FLAT.as_strided((4, 8), (1, 1))},
        (
            "argument `out`: expected a tensor whose elements do not share memory, because it is written "
            "to, got shape [4, 8] with strides [1, 1]"
        ),
    ),
    "partial overlap": (
        {"out": FLAT[:32].view(4, 8), "x": FLAT[4:36].view(4, 8)},
        (
            "argument `out`: expected memory that does not partly overlap `x`, because it is written to, "
            "got memory that does"
        ),
    ),
    "partial overlap of other strides": (
        {"out": SHARED[:, :8], "bias": SHARED[1, 1:]},
        (
            "argument `out`: expected memory that does not partly overlap `bias`, because it is written "
            "to, got memory that does"
        ),
    ),
    "overflow": (
        {"k": 2**62},
        "a size is too large: 8 * 4611686018427387904",
    ),
}


def test_a_right_call_is_taken(ops):
    call = arguments()
    written, result = ops.contract(**call)
    assert written is call["out"]
    assert torch.equal(call["out"], call["x"])
    assert result.shape == (4, 8)


@pytest.mark.parametrize("violation", REFUSED)
def test_what_is_wrong_is_refused_word_for_word(ops, violation):
    changed, message = REFUSED[violation]
    call = arguments(**changed)
    written, version = call["out"].clone(), call["out"]._version
    with pytest.raises(RuntimeError) as caught:
        ops.contract(**call)
    assert str(caught.value) == f"contract: {message}"
    assert torch.equal(call["out"].double(), written.double())
    assert call["out"]._version == version


@pytest.mark.parametrize("wrong", ["x", "mid"])
def test_none_is_refused_where_a_tensor_has_to_be(ops, wrong):
    with pytest.raises(RuntimeError) as caught:
        ops.contract(**arguments(**{wrong: None}))
    assert str(caught.value) == f"contract: argument `{wrong}`: expected a tensor, got None"


@pytest.mark.parametrize("wrong", ["x", "lead"])
def test_a_tensor_elsewhere_is_refused(ops, wrong):
    call = arguments()
    call[wrong] = call[wrong].to("meta")
    with pytest.raises(RuntimeError) as caught:
        ops.contract(**call)
    expected = f"contract: argument `{wrong}`: expected the device of `out` (cpu), got meta"
    assert str(caught.value) == expected


def test_sparse_tensors_are_refused(ops):
    with pytest.raises(NotImplementedError, match=r"expected dense tensors, got torch\.sparse_coo"):
        ops.contract(**arguments(x=torch.ones(4, 8).to_sparse()))


def test_written_and_read_memory_may_interleave_without_meeting(ops):
    packed = torch.arange(64.0).view(4, 16)
    call = arguments(out=packed[:, :8])
    ops.contract(**call)
    assert torch.equal(packed[:, :8], torch.ones(4, 8))
    assert torch.equal(packed[:, 8:], torch.arange(64.0).view(4, 16)[:, 8:])


def test_a_written_argument_may_be_a_read_one(ops):
    x = torch.rand(4, 8)
    before = x.clone()
    ops.contract(**arguments(out=x, x=x))
    assert torch.equal(x, before)


def assert_taken(ops, **changed: Any) -> None:
    """The kernel has written what it is told to, in the dtype of the call."""
    call = arguments(**changed)
    written, result = ops.contract(**call)
    assert written is call["out"]
    assert torch.equal(written, call["x"])
    assert result.dtype == call["x"].dtype
    assert torch.equal(result, torch.ones_like(call["x"]))


def test_a_layout_that_is_copied_takes_any_strides(ops):
    assert_taken(ops, bias=torch.ones(16)[::2])
    assert_taken(ops, bias=torch.ones(1).expand(8))


def test_each_dtype_of_a_set_has_a_kernel(ops):
    assert_taken(ops, index=torch.arange(4, dtype=torch.int32))
    assert_taken(ops, **{n: v.bfloat16() for n, v in arguments().items() if n != "index"})


def test_no_shape_at_all_is_a_shape(ops):
    assert_taken(ops, lead=torch.ones(8), mid=torch.ones(2, 8))
