"""What `torch.vmap` makes of a call: one with a larger Shape where there is one, else one for each element."""

from __future__ import annotations

import pytest
import torch

from operator_folder import read_operator, write_operator
from opwright.errors import SpecError

ADDED = """
calls = []

def add(x, y, bias):
    calls.append(tuple(x.shape))
    return x + y + bias, x - y

added = Operator(
    "{name}(Tensor x, Tensor y, Tensor bias) -> (Tensor plus, Tensor minus)",
    inputs={{"x": Tensor(batch, cols, layout="strided"), "y": Tensor(batch, cols, layout="strided"),
            "bias": Tensor(cols)}},
    outputs=(Tensor(batch, cols), Tensor(batch, cols)), dtypes=("float64",),
    reference=lambda x, y, bias: (x + y + bias, x - y), function=add, vmap={vmap}, backward="reference",
)
added.calls = calls
"""


def made(folder, name, vmap):
    return read_operator(write_operator(folder, ADDED.format(name=name, vmap=vmap)))


@pytest.fixture(scope="module")
def with_shape(tmp_path_factory):
    return made(tmp_path_factory.mktemp("with"), "added_at_once", "batch")


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    return made(tmp_path_factory.mktemp("without"), "added_in_turn", "None")


@pytest.fixture(params=["with a Shape", "without"])
def added(request, with_shape, without):
    return with_shape if request.param == "with a Shape" else without


def numbers(*sizes: int) -> torch.Tensor:
    return torch.arange(float(torch.Size(sizes).numel()), dtype=torch.float64).view(sizes)


IN_DIMS = {
    "all": ((0, 0, 0), (3, 2, 4), (3, 2, 4), (3, 4)),
    "one": ((0, None, None), (3, 2, 4), (2, 4), (4,)),
    "the other": ((None, 0, None), (2, 4), (3, 2, 4), (4,)),
    "in the middle": ((1, 0, None), (2, 3, 4), (3, 2, 4), (4,)),
    "last": ((2, -1, None), (2, 4, 3), (2, 4, 3), (4,)),
    "what has no Shape": ((None, None, 0), (2, 4), (2, 4), (3, 4)),
}


@pytest.mark.parametrize("kind", IN_DIMS)
def test_it_is_right_for_every_choice_of_dimensions(added, kind: str) -> None:
    in_dims, *sizes = IN_DIMS[kind]
    arguments = [numbers(*size) for size in sizes]
    reference = added.spec.reference
    for out_dims in (0, 1):
        found = torch.vmap(added, in_dims, out_dims)(*arguments)
        expected = torch.vmap(reference, in_dims)(*arguments)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other.movedim(0, out_dims))


def test_with_a_shape_there_is_one_call_and_without_one_for_each(with_shape, without) -> None:
    arguments = numbers(3, 2, 4), numbers(3, 2, 4), numbers(4)
    for op, calls in ((with_shape, [(3, 2, 4)]), (without, [(2, 4)] * 3)):
        op.calls.clear()
        torch.vmap(op, (0, 0, None))(*arguments)
        assert op.calls == calls


@pytest.mark.parametrize("argument", [0, 1, 2])
def test_gradients_of_each_element_are_right(added, argument: int) -> None:
    def total(function):
        return lambda *values: function(*values)[0].square().sum() + function(*values)[1].sum()

    arguments = numbers(3, 2, 4), numbers(3, 2, 4), numbers(4)
    found, expected = (
        torch.vmap(torch.func.grad(total(f), argument), (0, 0, None))(*arguments)
        for f in (added, added.spec.reference)
    )
    torch.testing.assert_close(found, expected)


def test_vmap_in_vmap_is_right(added) -> None:
    arguments = numbers(5, 3, 2, 4), numbers(5, 3, 2, 4), numbers(4)
    found, expected = (
        torch.vmap(torch.vmap(f, (0, 0, None)), (0, 0, None))(*arguments)
        for f in (added, added.spec.reference)
    )
    torch.testing.assert_close(found, expected)


def test_elements_of_none_are_none_or_refused(with_shape, without) -> None:
    arguments = numbers(0, 2, 4), numbers(0, 2, 4), numbers(4)
    assert torch.vmap(with_shape, (0, 0, None))(*arguments)[0].shape == (0, 2, 4)
    with pytest.raises(RuntimeError, match="added_in_turn: vmap over a dimension of size 0"):
        torch.vmap(without, (0, 0, None))(*arguments)


WRITTEN = """
def write(total, x):
    total.copy_(x)

written = Operator(
    "{name}(Tensor(a!) total, Tensor x) -> ()",
    inputs={{"total": Tensor(batch, cols, layout="strided"), "x": Tensor(batch, cols, layout="strided")}},
    dtypes=("float64",), reference=write, function=write, vmap=batch,
)
"""


def test_samples_write_each_into_its_own_place_or_not_at_all(tmp_path) -> None:
    written = read_operator(write_operator(tmp_path, WRITTEN.format(name="written_batches")))
    total, x = torch.zeros(2, 3, 4, dtype=torch.float64), numbers(3, 2, 4)
    torch.vmap(written, (1, 0), out_dims=None)(total, x)
    assert torch.equal(total, x.movedim(0, 1))
    with pytest.raises(RuntimeError, match="argument `total`: each sample of vmap would write"):
        torch.vmap(written, (None, 0), out_dims=None)(total[:, 0], x)


DENSE = """
def dense(x, y):
    for tensor in (x, y):
        if not tensor.is_contiguous():
            raise RuntimeError("{name} takes dense tensors")
    x.add_(y)

{name} = Operator(
    "{name}(Tensor(a!) x, Tensor y) -> ()",
    inputs={{"x": Tensor(batch), "y": Tensor(batch)}}, dtypes=("float64",),
    reference=lambda x, y: x.add_(y), function=dense, vmap=batch,
)
"""


@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (1, 1), (-1, 0), (1, None)])
def test_what_takes_dense_tensors_gets_them_and_its_writes_arrive(tmp_path, in_dims) -> None:
    op = read_operator(write_operator(tmp_path, DENSE.format(name="added_densely")))
    op.load()
    x = numbers(3, 3)
    y = numbers(3) if in_dims[1] is None else 10 * numbers(3, 3)
    front = x.movedim(in_dims[0], 0).clone()
    right = front + (y if in_dims[1] is None else y.movedim(in_dims[1], 0))
    torch.vmap(torch.ops.opwright.added_densely, in_dims=in_dims, out_dims=None)(x, y)
    assert torch.equal(x.movedim(in_dims[0], 0), right)


def test_a_shape_is_no_place_for_samples_of_tensors_by_keyword(tmp_path) -> None:
    text = DENSE.format(name="shifted_by").replace("x, Tensor y", "x, *, Tensor y")
    with pytest.raises(SpecError, match="'y' comes by keyword alone"):
        read_operator(write_operator(tmp_path, text))


def test_tensors_that_come_by_keyword_alone_need_no_rule(tmp_path) -> None:
    text = """
scaled_by = Operator(
    "scaled_by(Tensor x, *, Tensor gain) -> Tensor", inputs={"x": Tensor(batch), "gain": Tensor(batch)},
    dtypes=("float64",), reference=lambda x, *, gain: x * gain, function=lambda x, *, gain: x * gain,
    backward="reference",
)
"""
    op = read_operator(write_operator(tmp_path, text)).load()
    x, gain = numbers(3).requires_grad_(), numbers(3)
    op(x, gain=gain).sum().backward()
    assert torch.equal(x.grad, gain)
