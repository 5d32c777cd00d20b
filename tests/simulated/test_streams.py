from __future__ import annotations

from types import ModuleType

import pytest
import torch

from opwright.devices.device import Device

pytestmark = pytest.mark.xdist_group("simulated")
DELAY_MS = 60


def test_the_host_does_not_wait_for_work(device: ModuleType) -> None:
    stream = device.Stream()
    with device.stream(stream):
        device.delay(DELAY_MS)
        tensor = torch.ones(4, device="simulated").mul_(3)
        assert not stream.query()
        assert tensor.cpu().tolist() == [3.0] * 4
    assert stream.query()


def test_a_stream_that_does_not_wait_sees_what_was_there_before(device: ModuleType) -> None:
    tensor = torch.zeros(4, device="simulated")
    device.synchronize()
    one, other = device.Stream(), device.Stream()
    with device.stream(one):
        device.delay(DELAY_MS)
        tensor.fill_(7)
    with device.stream(other):
        stale = tensor.clone()
        other.wait_stream(one)
        fresh = tensor.clone()
    device.synchronize()
    assert stale.cpu().tolist() == [0.0] * 4
    assert fresh.cpu().tolist() == [7.0] * 4


def test_the_default_stream_waits_for_no_other(device: ModuleType) -> None:
    tensor = torch.zeros(2, device="simulated")
    device.synchronize()
    with device.stream(device.Stream()):
        device.delay(DELAY_MS)
        tensor.fill_(1)
    assert tensor.cpu().tolist() == [0.0, 0.0]
    device.synchronize()
    assert tensor.cpu().tolist() == [1.0, 1.0]


def test_an_event_marks_a_point_of_a_stream(device: ModuleType) -> None:
    begin, end = (device.Event(enable_timing=True) for _ in range(2))
    with device.stream(device.Stream()):
        begin.record()
        device.delay(DELAY_MS)
        end.record()
    assert not end.query()
    end.synchronize()
    assert end.query()
    assert begin.elapsed_time(end) >= DELAY_MS  # a thread never sleeps less than it was told


def test_current_device_and_stream_are_those_that_were_chosen(device: ModuleType) -> None:
    assert device.current_device() == 0
    assert device.current_stream() == device.default_stream(0)
    stream = torch.Stream("simulated:1")
    with device.stream(stream):
        assert device.current_device() == 1
        assert device.current_stream() == stream
        assert torch.empty(1, device="simulated").device.index == 1
    assert device.current_device() == 0
    assert device.current_stream(1) == device.default_stream(1)
    with device.device(1):
        assert device.current_device() == 1
    assert device.current_device() == 0


def test_what_the_host_waits_for_is_noted(device: ModuleType) -> None:
    tensor = torch.ones(3, device="simulated")
    device.synchronizations()
    tensor.mul_(2).add_(tensor)
    assert device.synchronizations() == []
    tensor.cpu()
    tensor.sum().item()
    tensor.nonzero()
    device.current_stream().synchronize()
    device.synchronize()
    names = [entry.name for entry in device.synchronizations()]
    assert names == [
        "a copy to the host",
        "reading a value on the host",
        "the shape or the value of a result of aten::nonzero",
        "waiting for a stream",
        "waiting for the device",
    ]


def test_what_was_put_on_streams_is_noted(device: ModuleType) -> None:
    stream = torch.Stream("simulated:1")
    device.launches()
    with device.stream(stream):
        tensor = torch.zeros(3, device="simulated")
        torch.relu(tensor)
    device.synchronize(1)
    entries = [(entry.device, entry.stream, entry.name) for entry in device.launches()]
    assert entries == [(1, stream.stream_id, "fill"), (1, stream.stream_id, "aten::relu")]


def test_a_copy_to_the_host_without_waiting_comes_later(device: ModuleType) -> None:
    tensor = torch.full((4,), 7.0, device="simulated")
    host = torch.zeros(4)
    device.delay(DELAY_MS)
    host.copy_(tensor, non_blocking=True)
    assert host.tolist() == [0.0] * 4
    device.synchronize()
    assert host.tolist() == [7.0] * 4


def test_a_copy_to_the_device_without_waiting_takes_the_values_of_its_time(
    device: ModuleType,
) -> None:
    host, tensor = torch.ones(4), torch.zeros(4, device="simulated")
    device.delay(DELAY_MS)
    tensor.copy_(host, non_blocking=True)
    host.zero_()
    assert tensor.cpu().tolist() == [1.0] * 4


def test_copies_between_devices_wait_for_both_streams(device: ModuleType) -> None:
    source = torch.zeros(4, device="simulated:0")
    device.synchronize(0)
    device.delay(DELAY_MS)
    source.fill_(5)
    target = source.to("simulated:1")
    assert target.add(1).cpu().tolist() == [6.0] * 4


def test_the_stream_of_each_piece_of_work_is_known(device: ModuleType) -> None:
    simulated = Device("simulated")
    tensor = torch.ones(4, device="simulated")
    one, other = device.Stream(), device.Stream()

    def run() -> None:
        tensor.mul_(2)
        with device.stream(other):
            tensor.add_(1)

    with device.stream(one):
        activity = simulated.activity(run)
    assert activity.launches is not None
    assert [(each.stream, each.current) for each in activity.launches] == [
        (one.stream_id, True),
        (other.stream_id, False),
    ]
    assert [each["kernel"] for each in activity.figures["launches"]] == [
        each.kernel for each in activity.launches
    ]
    assert activity.told == f" Not on the current stream: `{activity.launches[1].kernel}`."
