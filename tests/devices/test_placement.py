"""A call whose tensors are on the host runs on a device as if they had been there."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from opwright.devices.placement import Placement, on_device

# What matters is that memory is another one; that may be the host's.
DEVICE = torch.device("cpu")


def ran(function: Any, *arguments: Any, **keywords: Any) -> Any:
    return on_device(function, DEVICE, lambda: None)(*arguments, **keywords)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[1:],
        lambda x: x.t(),
        lambda x: x[:, ::2],
        lambda x: x[:1].expand(5, 6),
        lambda x: x[2, 3],
    ],
)
def test_sizes_strides_offset_and_values_are_the_same_there(view: Any) -> None:
    tensor = view(torch.arange(24.0).reshape(4, 6))
    there = Placement(DEVICE).placed(tensor)
    assert there.data_ptr() != tensor.data_ptr()
    assert (there.shape, there.stride(), there.storage_offset()) == (
        tensor.shape,
        tensor.stride(),
        tensor.storage_offset(),
    )
    assert torch.equal(there, tensor)


def test_tensors_that_share_memory_share_it_there() -> None:
    whole = torch.zeros(8)
    placement = Placement(DEVICE)
    first, second = placement.placed(whole[:5]), placement.placed(whole[3:])
    first[4] = 1
    assert second[1] == 1


def test_what_is_written_there_is_written_here_beside_the_elements_too() -> None:
    memory = torch.zeros(8)

    def writes(x: torch.Tensor) -> None:
        x.fill_(1)
        x.as_strided((1,), (1,), 1).fill_(2)  # a gap between the elements

    ran(writes, memory[::2])
    assert memory.tolist() == [1, 2, 1, 0, 1, 0, 1, 0]


def test_an_argument_that_is_returned_comes_back_itself() -> None:
    x = torch.zeros(3)
    assert ran(lambda x: x.add_(1), x) is x
    assert x.tolist() == [1, 1, 1]


def test_a_result_in_an_arguments_memory_lies_in_it_here_too() -> None:
    x = torch.arange(6.0)
    (result, fresh) = ran(lambda x: (x[2:], x * 2), x=x)
    assert result.data_ptr() == x[2:].data_ptr()
    assert fresh.data_ptr() != x.data_ptr()
    assert fresh.tolist() == [0, 2, 4, 6, 8, 10]


def test_the_strides_of_a_result_are_kept() -> None:
    result = ran(lambda x: (x * 1).t(), torch.arange(6.0).reshape(2, 3))
    assert result.stride() == (1, 3)
    assert result.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_what_is_no_tensor_of_the_host_is_passed_as_it_is() -> None:
    meta = torch.empty(2, device="meta")
    assert ran(lambda x, n, none: (x is meta, n, none), meta, 3, None) == (True, 3, None)


def test_it_waits_for_the_device_also_after_an_exception() -> None:
    waited = []

    def fails(x: torch.Tensor) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        on_device(fails, DEVICE, lambda: waited.append(True))(torch.zeros(1))
    assert waited == [True]


def test_gradients_travel_back_and_come_in_as_they_lie_in_memory() -> None:
    seen = []

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            (grad,), (x,) = grads, ctx.saved_tensors
            seen.append((grad.shape, grad.stride(), x.data_ptr()))
            return 2 * x * grad

    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    result = ran(Doubled.apply, leaf)
    incoming = torch.full((1, 3), 5.0).expand(2, 3)
    (gradient,) = torch.autograd.grad(result, leaf, incoming)
    assert torch.equal(gradient, 10 * leaf.detach())
    ((shape, stride, address),) = seen
    assert (shape, stride) == (incoming.shape, incoming.stride())
    assert address != leaf.data_ptr()


def test_no_gradient_comes_back_from_what_gives_none() -> None:
    leaf = torch.ones(3, requires_grad=True)
    assert not ran(lambda x: x.detach() * 2, leaf).requires_grad
    with torch.no_grad():
        assert not ran(lambda x: x * 2, leaf).requires_grad
