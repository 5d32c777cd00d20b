"""Operators with CUDA sources on the simulated device, right ones and ones with planted faults."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from opwright import Operator
from opwright.loading import load

pytestmark = pytest.mark.xdist_group("simulated")
PLANTED = Path(__file__).parent / "planted" / "op.py"
DELAY_MS = 60
Elsewhere = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def planted(device: ModuleType) -> Operator:
    return load(PLANTED, target="simulated")


def _behind_a_producer(device: ModuleType, operator: Operator, fault: int) -> bool:
    """Whether a call on a side stream sees what is put there before it, late."""
    tensor = torch.zeros(64, device="simulated")
    device.synchronize()
    with device.stream(device.Stream()):
        device.delay(DELAY_MS)
        tensor.fill_(3)
        answer = operator(tensor, fault)
        found = answer.cpu()
    device.synchronize()
    return bool((found == 6).all())


def test_a_launch_on_the_current_stream_waits_for_what_is_on_it(
    device: ModuleType, planted: Operator
) -> None:
    device.launches()
    device.synchronizations()
    assert _behind_a_producer(device, planted, 0)
    names = [entry.name for entry in device.launches()]
    assert names == ["fill", "delay", "fill", "twice", "copy from device to host"]


def test_a_launch_on_the_default_stream_gives_stale_values(
    device: ModuleType, planted: Operator
) -> None:
    assert not _behind_a_producer(device, planted, 1)


def test_a_launcher_that_waits_is_noted(device: ModuleType, planted: Operator) -> None:
    tensor = torch.ones(64, device="simulated")
    for fault in (0, 3):
        device.synchronizations()
        planted(tensor, fault)
        assert len(device.synchronizations()) == (fault == 3)


def test_the_binding_makes_the_device_of_the_tensors_the_current_one(
    device: ModuleType, planted: Operator
) -> None:
    stream = torch.Stream("simulated:1")
    with device.stream(stream):
        tensor = torch.ones(64, device="simulated:1")
    device.synchronize(1)
    answer = planted(tensor)
    assert answer.device.index == 1
    assert answer.cpu().tolist() == [2.0] * 64
    assert device.current_device() == 0


def test_a_launch_on_a_stream_of_another_device_is_refused(
    device: ModuleType, planted: Operator
) -> None:
    with device.stream(torch.Stream("simulated:1")), device.device(1):
        tensor = torch.ones(64, device="simulated:1")
        with pytest.raises(RuntimeError, match="invalid resource handle"):
            planted(tensor, 4)


def test_a_launch_beyond_the_limits_is_refused_at_once(
    device: ModuleType, planted: Operator
) -> None:
    with pytest.raises(RuntimeError, match="invalid configuration argument"):
        planted(torch.ones(64, device="simulated"), 7)
    assert _behind_a_producer(device, planted, 0)


def test_a_write_beside_a_tensor_is_told(device: ModuleType, planted: Operator) -> None:
    tensor = torch.ones(64, device="simulated")
    device.strays()
    answer = planted(tensor, 9)
    before, after = device.strays()
    assert (before.address, before.size_bytes) == (answer.data_ptr(), 256)
    assert (before.offset_bytes, before.changed_bytes) == (-1, 12)
    assert (after.offset_bytes, after.changed_bytes) == (256, 8)
    assert (
        str(after)
        == "8 bytes were written 0 bytes after the end of a block of 256 bytes on simulated:0"
    )
    del answer
    assert device.strays() == []


_CALL = """
from opwright.loading import load
operator = load({path!r}, target="simulated")
tensor = torch.ones(64, device={place!r})
device.synchronize(); device.synchronize(1)
try:
    operator(tensor, {fault})
    device.synchronize(tensor.device)
except torch.AcceleratorError as error:
    print(str(error).partition("\\n")[0])
try:
    torch.ones(1, device=tensor.device).cpu()
except torch.AcceleratorError as error:
    print("still", str(error).partition("\\n")[0])
"""


@pytest.mark.parametrize("environment", [{}, {"OPWRIGHT_SIMULATED_WITHOUT_KEYS": "1"}])
def test_a_host_that_touches_device_memory_is_stopped_by_name(
    planted: Operator, elsewhere: Elsewhere, environment: dict[str, str]
) -> None:
    done = elsewhere(_CALL.format(path=str(PLANTED), place="simulated:0", fault=2), **environment)
    assert done.returncode == -11, done.stderr
    assert (
        "the host accessed device memory: byte 0 of a block of 256 bytes on simulated:0"
        in done.stderr
    )


@pytest.mark.parametrize("environment", [{}, {"OPWRIGHT_SIMULATED_WITHOUT_KEYS": "1"}])
def test_a_kernel_on_another_device_than_its_memory_ends_the_use_of_that_device(
    planted: Operator, elsewhere: Elsewhere, environment: dict[str, str]
) -> None:
    code = "device.set_device(1)\n" + _CALL.format(path=str(PLANTED), place="simulated:1", fault=5)
    done = elsewhere(
        code
        + "\ntry:\n    device.synchronize(0)\nexcept torch.AcceleratorError as e:\n    print(e)",
        **environment,
    )
    assert done.returncode == 0, done.stderr
    assert (
        "asynchronous error of simulated:0: an illegal memory access was encountered" in done.stdout
    )
    assert "twice accessed byte 0 of a block of 256 bytes on simulated:1" in done.stdout


def test_an_assertion_of_a_kernel_is_an_error_of_the_device(
    planted: Operator, elsewhere: Elsewhere
) -> None:
    done = elsewhere(_CALL.format(path=str(PLANTED), place="simulated:0", fault=6))
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "asynchronous error of simulated:0: asserting: device-side assert triggered"
    assert second == f"still {first}"


def test_a_shipped_operator_is_right_on_both_devices(device: ModuleType) -> None:
    operator = load("bias_gelu", target="simulated")
    host, bias = torch.randn(8, 33), torch.randn(33)
    for index in range(2):
        found = operator(host.to(f"simulated:{index}"), bias.to(f"simulated:{index}"))
        assert found.device.index == index
        torch.testing.assert_close(found.cpu(), operator.spec.reference(host, bias))
