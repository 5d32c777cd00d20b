"""Length-prefixed JSON messages: nothing that a child process sends is ever executed."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

MAX_MESSAGE_BYTES = 64 << 20
"""The largest message that is accepted from a child."""

# 0xf5 occurs in no UTF-8 text, so that printed text is never taken for a message.
_MAGIC = b"\xf5opw"
_HEADER = struct.Struct(">4sI")

Message = dict[str, Any]


class UnreadableError(Exception):
    """What arrived is not a message."""


def encode(message: Message) -> bytes:
    """Return ``message`` as it travels; raises TypeError or ValueError for what JSON cannot say."""
    body = json.dumps(message).encode()
    return _HEADER.pack(_MAGIC, len(body)) + body


class Reader:
    """Turns the bytes of a stream into messages, whatever the pieces in which they arrive."""

    def __init__(self, max_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._buffer = bytearray()
        self._max_bytes = max_bytes

    def feed(self, data: bytes) -> None:
        """Add what arrived."""
        self._buffer += data

    @property
    def begun(self) -> bool:
        """Whether a message has begun to arrive and not ended."""
        return bool(self._buffer)

    def take(self) -> Message | None:
        """Return the next whole message, or None; raises UnreadableError for anything else."""
        head = bytes(self._buffer[: len(_MAGIC)])
        if not _MAGIC.startswith(head):
            raise UnreadableError(f"bytes that are no message: {bytes(self._buffer[:40])!r}")
        if len(self._buffer) < _HEADER.size:
            return None
        _, size_bytes = _HEADER.unpack_from(self._buffer)
        if size_bytes > self._max_bytes:
            raise UnreadableError(f"a message of {size_bytes:,} bytes")
        end = _HEADER.size + size_bytes
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_HEADER.size : end])
        del self._buffer[:end]
        return _decode(body)


def _decode(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"a message that is no JSON ({error}): {body[:40]!r}") from error
    if not isinstance(message, dict):
        raise UnreadableError(f"a message that is no JSON object: {body[:40]!r}")
    return message


def receive(connection: socket.socket, reader: Reader) -> Message | None:
    """Block until a whole message is there; None at the end of the stream.

    A time-out set on ``connection`` holds for each piece.
    """
    while (message := reader.take()) is None:
        data = connection.recv(1 << 18)
        if not data:
            return None
        reader.feed(data)
    return message
