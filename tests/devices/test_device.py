from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from opwright.devices.device import Device


class Streams:
    """As ``torch.cuda``: where the end of a capture raises, its stream stays the current one."""

    def __init__(self) -> None:
        self.current = "default"

    def current_stream(self) -> str:
        return self.current

    @contextmanager
    def stream(self, stream: str) -> Iterator[None]:
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    @contextmanager
    def graph(self, graph: Any, pool: Any, stream: str) -> Iterator[None]:
        before, self.current = self.current, stream
        yield
        if graph == "fails":
            raise RuntimeError("the capture failed")
        self.current = before


@pytest.mark.parametrize("graph", ["works", "fails"])
def test_behind_a_capture_the_stream_before_it_is_the_current_one(graph: str) -> None:
    device = object.__new__(Device)
    streams: Any = Streams()
    device.module = streams
    try:
        with device.capturing(graph, "side"):
            assert streams.current == "side"
    except RuntimeError:
        assert graph == "fails"
    assert streams.current == "default"
