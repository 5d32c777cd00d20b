"""A stream becomes messages however it is cut, and anything else is refused."""

from __future__ import annotations

import socket

import pytest

from opwright.worker.wire import Reader, UnreadableError, encode, receive

MESSAGES = [{}, {"text": "ä\x00\n", "list": [1, 2.5, None]}, {"nested": {"x": [True]}}]


@pytest.mark.parametrize("piece", [1, 2, 7, 1000])
def test_messages_arrive_whole_however_the_stream_is_cut(piece: int) -> None:
    stream = b"".join(encode(message) for message in MESSAGES)
    reader, seen = Reader(), []
    for at in range(0, len(stream), piece):
        reader.feed(stream[at : at + piece])
        while (message := reader.take()) is not None:
            seen.append(message)
    assert seen == MESSAGES
    assert not reader.begun


def test_a_message_on_its_way_is_begun() -> None:
    reader = Reader()
    reader.feed(encode({"x": 1})[:-1])
    assert reader.take() is None
    assert reader.begun


@pytest.mark.parametrize(
    "data,words",
    [
        (b"hello", "no message"),
        (b"\xf5x", "no message"),
        (b"\xf5opw\x00\x01\x00\x00", "65,536 bytes"),
        (b"\xf5opw\x00\x00\x00\x01{", "no JSON "),
        (b"\xf5opw\x00\x00\x00\x01\xff", "no JSON "),
        (b"\xf5opw\x00\x00\x00\x011", "no JSON object"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes, words: str) -> None:
    reader = Reader(max_bytes=1000)
    reader.feed(data)
    with pytest.raises(UnreadableError, match=words):
        reader.take()


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    reader = Reader()
    body = b"[" * 200_000
    reader.feed(encode({})[:4] + len(body).to_bytes(4, "big") + body)
    with pytest.raises(UnreadableError):
        reader.take()


def test_the_end_of_the_stream_is_none() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(encode({"x": 1}) + encode({})[:3])
        theirs.shutdown(socket.SHUT_WR)
        reader = Reader()
        assert receive(ours, reader) == {"x": 1}
        assert receive(ours, reader) is None
