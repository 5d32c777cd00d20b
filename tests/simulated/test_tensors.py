from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess
from types import ModuleType

import pytest
import torch

pytestmark = pytest.mark.xdist_group("simulated")


def test_both_devices_have_names(device: ModuleType) -> None:
    assert device.device_count() == 2
    assert torch.zeros(1, device="simulated").device == torch.device("simulated:0")
    assert torch.zeros(1, device="simulated:1").device == torch.device("simulated:1")
    assert torch.get_device_module("simulated") is device
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.zeros(1, device="simulated:2")


def test_values_travel_between_host_and_devices(device: ModuleType) -> None:
    host = torch.arange(12.0).view(3, 4).t()
    first = host.to("simulated:0")
    second = first.to("simulated:1")
    assert second.device.index == 1
    assert torch.equal(second.cpu(), host)
    assert torch.equal(first.to(torch.int64).cpu(), host.to(torch.int64))
    target = torch.empty(4, 6, device="simulated:1")[:, ::2]
    target.copy_(first)
    assert torch.equal(target.cpu(), host)
    assert torch.equal(
        torch.zeros(4, 3, device="simulated").copy_(host[:, :1]).cpu()[:, 2], host[:, 0]
    )


def test_views_share_memory(device: ModuleType) -> None:
    whole = torch.arange(24.0, device="simulated").view(2, 3, 4)
    part = whole[1].t()[::2]
    part.zero_()
    expected = torch.arange(24.0).view(2, 3, 4)
    expected[1].t()[::2] = 0
    assert torch.equal(whole.cpu(), expected)
    assert torch.equal(whole.unfold(2, 2, 1).cpu(), expected.unfold(2, 2, 1))
    assert whole.unfold(2, 2, 1).data_ptr() == whole.data_ptr()
    assert torch.equal(
        whole.as_strided((2, 2), (5, 1), 3).cpu(), expected.as_strided((2, 2), (5, 1), 3)
    )


OPERATORS = {
    "sum of two": lambda x: x + 2 * x,
    "matrix product": lambda x: x @ x.t(),
    "reduction": lambda x: x.sum(1),
    "two results": lambda x: x.max(1),
    "in place": lambda x: x.clone().mul_(3),
    "into an argument": lambda x: torch.add(x, x, out=torch.empty_like(x)),
    "into an empty argument": lambda x: torch.add(x, x, out=torch.empty(0, device=x.device)),
    "a list": lambda x: torch.stack(torch.split(x, 2)),
    "a shape that depends on values": lambda x: x.nonzero(),
    "indices": lambda x: x[torch.tensor([1, 0], device=x.device)],
    "a mask": lambda x: x[x > 3],
    "softmax": lambda x: torch.softmax(x, -1),
    "a range": lambda x: torch.arange(3.0, 30.0, 4.0, device=x.device),
    "sorted": lambda x: x.sort(-1, descending=True)[0],
    "complex numbers": lambda x: torch.view_as_real(torch.complex(x, x).conj() * 2),
    "a number": lambda x: torch.tensor(float(x.sum())),
    "layer norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[1:]),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_give_what_they_give_on_the_cpu(device: ModuleType, name: str) -> None:
    host = torch.arange(24.0).view(4, 6)
    expected, found = (OPERATORS[name](x) for x in (host, host.to("simulated:1")))
    for one, other in zip(
        *([t] if isinstance(t, torch.Tensor) else t for t in (expected, found)), strict=True
    ):
        torch.testing.assert_close(other.cpu(), one)


def test_gradients_flow(elsewhere: Callable[..., CompletedProcess[str]]) -> None:
    """In a process of its own: autograd's engine knows the devices that were there at its first use."""
    code = """
layer = torch.nn.Linear(4, 3).to("simulated")
layer(torch.ones(2, 4, device="simulated")).sum().backward()
assert torch.equal(layer.weight.grad.cpu(), torch.full((3, 4), 2.0))
"""
    done = elsewhere(code)
    assert done.returncode == 0, done.stderr


def test_tensors_of_two_devices_are_refused(device: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"same device.*simulated:0 and simulated:1"):
        torch.ones(2, device="simulated:0") + torch.ones(2, device="simulated:1")
    with pytest.raises(RuntimeError, match=r"same device.*simulated:0 and cpu"):
        torch.ones(2, device="simulated:0") + torch.ones(2)


def test_what_an_operator_raises_is_raised(device: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.ones(2, 3, device="simulated") @ torch.ones(2, 3, device="simulated")
    assert torch.ones(2, device="simulated").sum().item() == 2


def test_storage_grows_and_keeps_its_values(device: ModuleType) -> None:
    tensor = torch.arange(4.0, device="simulated")
    tensor.resize_(2000)
    assert torch.equal(tensor[:4].cpu(), torch.arange(4.0))


def test_random_numbers_follow_the_seed(device: ModuleType) -> None:
    torch.manual_seed(3)
    first = torch.randn(8, device="simulated").cpu()
    torch.manual_seed(3)
    assert torch.equal(torch.randn(8, device="simulated").cpu(), first)


def test_random_numbers_go_on_from_a_state_that_was_kept(device) -> None:
    kept = device.get_rng_state()
    first = torch.rand(5, device="simulated").cpu()
    device.set_rng_state(kept)
    assert torch.equal(torch.rand(5, device="simulated").cpu(), first)


def test_compilers_trace_what_runs_on_the_host_beside_the_device(device) -> None:
    from torch.library import opcheck

    said = opcheck(
        torch.ops.aten.sin.default,
        (torch.ones(3),),
        test_utils=("test_aot_dispatch_static", "test_aot_dispatch_dynamic"),
    )
    assert set(said.values()) == {"SUCCESS"}
