from __future__ import annotations

from types import ModuleType

import pytest
import torch

pytestmark = pytest.mark.xdist_group("simulated")
DELAY_MS = 60


def test_a_replay_computes_from_the_values_of_its_time(device: ModuleType) -> None:
    source = torch.ones(4, device="simulated")
    graph = device.Graph()
    with device.graph(graph):
        answer = (source + 1) * 2
    device.launches()
    for value in (3.0, 5.0, -1.0):
        source.fill_(value)
        answer.fill_(float("nan"))
        graph.replay()
        assert answer.cpu().tolist() == [(value + 1) * 2] * 4
    names = [entry.name for entry in device.launches()]
    assert names.count("aten::add") == 3
    assert names.count("aten::mul") == 3


def test_what_is_captured_does_not_run_yet(device: ModuleType) -> None:
    tensor = torch.zeros(4, device="simulated")
    graph = device.Graph()
    with device.graph(graph):
        tensor.add_(1)
    device.synchronize()
    assert tensor.cpu().tolist() == [0.0] * 4
    graph.replay()
    graph.replay()
    assert tensor.cpu().tolist() == [2.0] * 4


def test_memory_of_a_graph_is_nobody_elses(device: ModuleType) -> None:
    source = torch.ones(2000, device="simulated")
    graph = device.Graph()
    stream = device.Stream()
    with device.graph(graph, stream):
        inner = source * 2
        place = inner.data_ptr()
        answer = inner + 1
        del inner
    with device.stream(stream):
        others = [torch.zeros(2000, device="simulated") for _ in range(4)]
    assert place not in {other.data_ptr() for other in others}
    graph.replay()
    assert answer.cpu().tolist() == [3.0] * 2000


def test_graphs_of_one_pool_use_again_what_the_other_has_given_back(device: ModuleType) -> None:
    source = torch.ones(2000, device="simulated")
    stream, graphs, places, answers = device.Stream(), [], [], []
    for pool in (None, "first", None):
        graph = device.Graph()
        with device.graph(graph, stream, pool=graphs[0].pool() if pool else None):
            inner = source * 2
            places.append(inner.data_ptr())
            answers.append(inner + 1)
            del inner
        graphs.append(graph)
    first, shared, apart = graphs
    assert shared.pool() == first.pool() != apart.pool()
    assert places[0] == places[1] != places[2]
    del first, graphs[0]
    source.fill_(2)
    shared.replay()
    apart.replay()
    assert [answer.cpu()[0].item() for answer in answers[1:]] == [5.0, 5.0]


WAITING = {
    "reading a value on the host": lambda device, tensor: tensor.sum().item(),
    "a copy to the host": lambda device, tensor: tensor.cpu(),
    "copying from the host's pageable memory": lambda device, tensor: tensor.copy_(torch.ones(4)),
    "waiting for the device": lambda device, tensor: device.synchronize(),
    "waiting for a stream": lambda device, tensor: device.current_stream().synchronize(),
    "the shape or the value of a result of aten::nonzero": lambda device, tensor: tensor.nonzero(),
}


@pytest.mark.parametrize("what", WAITING)
def test_what_waits_is_not_permitted_in_a_capture(device: ModuleType, what: str) -> None:
    tensor = torch.ones(4, device="simulated")
    graph = device.Graph()
    with (
        pytest.raises(RuntimeError, match=f"{what} is not permitted while a stream is captured"),
        device.graph(graph),
    ):
        WAITING[what](device, tensor)
    assert tensor.mul(2).cpu().tolist() == [2.0] * 4


def test_a_capture_in_which_an_error_was_swallowed_fails_at_its_end(device: ModuleType) -> None:
    graph = device.Graph()

    def swallow() -> None:
        with device.graph(graph):
            try:
                device.synchronize()
            except RuntimeError:
                return

    with pytest.raises(RuntimeError, match="the capture failed: waiting for the device"):
        swallow()
    with pytest.raises(RuntimeError, match="nothing was captured"):
        graph.replay()


def test_side_streams_join_a_capture_by_events(device: ModuleType) -> None:
    tensor = torch.zeros(4, device="simulated")
    graph, side = device.Graph(), device.Stream()
    with device.graph(graph):
        side.wait_stream(device.current_stream())
        with device.stream(side):
            tensor.add_(1)
        device.current_stream().wait_stream(side)
        tensor.mul_(3)
    graph.replay()
    assert tensor.cpu().tolist() == [3.0] * 4


def test_a_side_stream_that_is_not_waited_for_spoils_a_capture(device: ModuleType) -> None:
    tensor = torch.zeros(4, device="simulated")
    graph, side = device.Graph(), device.Stream()
    with pytest.raises(RuntimeError, match="was not waited for at the end"), device.graph(graph):
        side.wait_stream(device.current_stream())
        with device.stream(side):
            tensor.add_(1)
    with device.stream(side):
        assert tensor.cpu().tolist() == [0.0] * 4


def test_work_on_a_stream_that_is_not_captured_is_done_at_once(device: ModuleType) -> None:
    tensor = torch.zeros(4, device="simulated")
    graph, side = device.Graph(), device.Stream()
    with device.graph(graph), device.stream(side):
        tensor.add_(1)
    side.synchronize()
    graph.replay()
    device.synchronize()
    assert tensor.cpu().tolist() == [1.0] * 4


def test_the_default_stream_cannot_be_captured(device: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="the default stream cannot be captured"):
        device.Graph().capture_begin()
