"""What a child prints is kept to its end, and native stacks are told from its own words."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from opwright.worker.capture import KEPT_BYTES, Capture, Tail


@pytest.fixture
def capture() -> Iterator[Capture]:
    made = Capture()
    yield made
    made.close_write_ends()
    made.close_read_ends()


def test_the_tail_of_a_long_stream_is_kept() -> None:
    tail = Tail()
    for number in range(100_000):
        tail.add(b"%07d\n" % number)
    assert tail.text().endswith("0099999\n")
    assert len(tail.text()) == KEPT_BYTES


def test_each_stream_is_kept_apart_and_given_once(capture: Capture) -> None:
    ends = capture.write_ends
    for end, text in ((ends.stdout, b"out"), (ends.stderr, b"\xfferr"), (ends.fault, b"stack")):
        os.write(end, text)
    capture.drain()
    output, stack = capture.take()
    assert (output.stdout, output.stderr, stack) == ("out", "\\xfferr", "stack")
    output, stack = capture.take()
    assert (output.stdout, output.stderr, stack) == ("", "", "")


def test_the_native_stack_leaves_stderr(capture: Capture) -> None:
    os.write(capture.write_ends.fault, b"Fatal Python error: Aborted\n")
    os.write(
        capture.write_ends.stderr, b"what(): no\nSIGABRT(6), PID: 1, Thread 1: \nframe #0: f\n"
    )
    capture.drain()
    output, stack = capture.take()
    assert output.stderr == "what(): no\n"
    assert stack.endswith("frame #0: f\n")


def test_words_that_look_like_a_stack_stay_without_a_fault(capture: Capture) -> None:
    os.write(capture.write_ends.stderr, b"SIGABRT(6), PID: 1, Thread 1: \n")
    capture.drain()
    assert capture.take()[0].stderr == "SIGABRT(6), PID: 1, Thread 1: \n"
