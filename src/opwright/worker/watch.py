"""Watches one child while it works on one request, and says how that ended."""

from __future__ import annotations

import contextlib
import os
import select
import time

from opwright.worker.confine import STACK_SIGNAL
from opwright.worker.forked import Child
from opwright.worker.outcome import TIMES_WHILE_GROWING, During, Ended
from opwright.worker.post_mortem import Cause, autopsy, dying_of, put_down
from opwright.worker.wire import Message, UnreadableError, encode

_TICK_SECONDS = 0.02  # how often memory is looked at, and death that closed no descriptor
DYING_SECONDS = 3.0  # what a process may take to write down its stacks
_CLOSED_SECONDS = 1.0  # what it may take from closing its descriptors to being dead
_STACK_SECONDS = 0.3
_GROWS_BYTES_PER_S = 64 << 20  # slower than any kernel hands out memory, faster than most leaks


class ParentGoneError(Exception):
    """Nobody waits for an answer any more."""


class Watch:
    """One request in the hands of one child. ``parent`` is the descriptor of who asked for it."""

    def __init__(self, child: Child, parent: int, seconds: float, during: During) -> None:
        self._child = child
        self._parent = parent
        self._seconds = seconds
        self._during: During = during
        self._started = time.monotonic()
        self._deadline = self._started + seconds
        self._latest = self._started + TIMES_WHILE_GROWING * seconds
        self._had_bytes: int | None = None
        self._next_look = time.monotonic() + _TICK_SECONDS
        self._closed_at: float | None = None
        self._unsent = memoryview(b"")
        self._poll = select.poll()
        self._poll.register(parent, select.POLLRDHUP)
        self._poll.register(child.connection, select.POLLIN | select.POLLOUT)
        for read_end in child.capture.read_ends:
            self._poll.register(read_end, select.POLLIN)

    def ask(self, request: Message) -> Message | Ended:
        """Send ``request``; return the reply, or how the child ended (it is then discarded).

        Raises ParentGoneError when the process that asked has gone.
        """
        child = self._child
        child.requests += 1
        self._unsent = memoryview(encode({**request, "number": child.requests}))
        while True:
            self._move_data()
            try:
                reply = child.reader.take()
            except UnreadableError as error:
                return self._put_down(Cause("unreadable", f"sent {error}"))
            if reply is not None:
                return self._accept(reply)
            ended = self._look()
            if ended is not None:
                return ended

    def _move_data(self) -> None:
        """Move data both ways, for a tick at most."""
        now = time.monotonic()
        seconds = max(0.0, min(self._next_look, self._deadline) - now)
        connection = self._child.connection.fileno()
        for descriptor, events in self._poll.poll(seconds * 1000):
            if descriptor == self._parent:
                raise ParentGoneError
            if descriptor == connection:
                if events & select.POLLOUT:
                    self._send()
                if events & ~select.POLLOUT:
                    self._receive()
            elif not self._child.capture.pump(descriptor):
                self._poll.unregister(descriptor)

    def _send(self) -> None:
        try:
            self._unsent = self._unsent[self._child.connection.send(self._unsent) :]
        except BlockingIOError:
            return
        except OSError:  # the end of the stream says the same, with all that came before it
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._poll.modify(self._child.connection, select.POLLIN)

    def _receive(self) -> None:
        data = b""
        with contextlib.suppress(ConnectionError):
            data = self._child.connection.recv(1 << 18)
        if data:
            self._child.reader.feed(data)
        else:
            self._closed_at = self._next_look = time.monotonic()
            self._poll.unregister(self._child.connection)

    def _accept(self, reply: Message) -> Message | Ended:
        """Return the reply if it is one to this request; what it printed is in the pipes by now."""
        child = self._child
        if reply.pop("number", None) != child.requests:
            return self._put_down(Cause("unreadable", "sent an answer to another request"))
        child.capture.drain()
        if "kind" not in reply:
            if self._during == "item" and not isinstance(reply.get("answer"), dict):
                return self._put_down(Cause("unreadable", "sent a message without an answer"))
            return reply
        lost = self._during == "setup" or reply["kind"] == "exited"
        if lost:
            child.discard()
        output, _ = child.capture.take()
        return Ended(
            during=self._during,
            stdout=output.stdout,
            stderr=output.stderr,
            items_before=child.answered,
            child_lost=lost,
            **reply,
        )

    def _look(self) -> Ended | None:
        """Once a tick, see whether the request has ended without a reply."""
        now = time.monotonic()
        if now < min(self._next_look, self._deadline):
            return None
        self._next_look = now + _TICK_SECONDS
        child = self._child
        if child.dead():
            return autopsy(child, self._during)
        if (added_bytes := child.added_bytes()) > child.memory_bytes:
            took = (
                f"took {_mib(added_bytes)} of memory, over its limit of {_mib(child.memory_bytes)}"
            )
            return self._put_down(Cause("memory", took))
        if self._closed_at is not None:
            self._deadline = min(self._deadline, self._closed_at + _CLOSED_SECONDS)
        elif dying_of(child.capture.fault()):
            self._deadline = min(self._deadline, now + DYING_SECONDS)
        else:
            self._wait_for_memory(now, added_bytes)
        return self._out_of_time() if now >= self._deadline else None

    def _wait_for_memory(self, now: float, added_bytes: int) -> None:
        """Give a child that still grows when its time is over the same time once more."""
        if self._had_bytes is None:
            self._had_bytes = added_bytes
        elif now >= self._deadline:
            grows = added_bytes - self._had_bytes >= _GROWS_BYTES_PER_S * self._seconds
            if grows and now < self._latest:
                self._deadline = min(now + self._seconds, self._latest)
                self._had_bytes = added_bytes

    def _out_of_time(self) -> Ended:
        """End a child that neither answers nor dies."""
        if name := dying_of(self._child.capture.fault()):
            return self._put_down(Cause("crashed", f"crashed with {name}", name))
        if self._closed_at is not None:
            return self._put_down(Cause("unreadable", "closed the connection for its answer"))
        if self._child.reader.begun:
            return self._put_down(Cause("unreadable", "began a message and did not end it"))
        self._ask_for_stacks()
        waited_seconds = round(self._deadline - self._started, 1)
        return self._put_down(Cause("hung", f"gave no answer in {waited_seconds:g} s"))

    def _ask_for_stacks(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self._child.pid, STACK_SIGNAL)
        fault = self._child.capture.read_ends[2]
        poll = select.poll()
        poll.register(fault, select.POLLIN)
        poll.poll(_STACK_SECONDS * 1000)
        time.sleep(0.01)  # the dump comes in several pieces

    def _put_down(self, cause: Cause) -> Ended:
        return put_down(self._child, self._during, cause)


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):,.0f} MiB"
