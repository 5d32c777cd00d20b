"""The process that forks children for one parent: single-threaded, runs no operator, watches."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import time
import traceback
from pathlib import Path
from typing import NoReturn

from opwright.worker import confine, strays
from opwright.worker.forked import Child, fork_child
from opwright.worker.memory import free_bytes
from opwright.worker.outcome import During, Ended, Limits, ended_to_json
from opwright.worker.post_mortem import autopsy, dying_of
from opwright.worker.watch import DYING_SECONDS, ParentGoneError, Watch
from opwright.worker.wire import Message, Reader, encode

SETUP_TRIES = 2

_PARENT_CHECK_MS = 500
_LEFT_BEHIND_SECONDS = 0.05  # for what threads still do that the last item has left behind
_LOOK_SECONDS = 0.002


def main(descriptor: int) -> NoReturn:
    """Serve the parent on socket ``descriptor`` until it closes it or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    confine.adopt_orphans()
    os.set_inheritable(descriptor, False)
    zygote = Zygote(socket.socket(fileno=descriptor))
    with contextlib.suppress(ParentGoneError, ConnectionError):
        zygote.serve()
    zygote.discard_child()
    strays.end_orphans()
    os._exit(0)


class Zygote:
    """Has at most one child at a time."""

    def __init__(self, parent: socket.socket) -> None:
        self._parent = parent
        self._parent_pid = os.getppid()
        self._reader = Reader(max_bytes=1 << 32)
        self._child: Child | None = None
        self._use: Message = {}
        self._limits = Limits()
        self._losses: list[Ended] = []

    def serve(self) -> None:
        """Answer the parent's requests; raises ParentGoneError at the end."""
        while True:
            request = self._next_request()
            match request["do"]:
                case "preload":
                    self._reply(_preload(request["modules"]))
                case "use":
                    self.discard_child()
                    self._use = request["use"]
                    self._limits = Limits(**request["limits"])
                case "run":
                    self._reply(self._run(request["item"]))
                case "prepare":
                    child = self._ready_child()
                    self._reply(_no_child(child) if isinstance(child, Ended) else {})
                case "end":
                    self._end_child()
                    self._reply({})

    def discard_child(self) -> None:
        """End the child, if there is one, with all that it started."""
        if self._child is not None:
            self._child.discard()
            self._child = None

    def _end_child(self) -> None:
        """End the child; that it came to an end by itself is a loss."""
        if self._child is not None and _dies(self._child):
            self._losses.append(autopsy(self._child, "between"))
            self._child = None
        self.discard_child()

    def _next_request(self) -> Message:
        """Wait for the parent: it may die and leave its end of the socket to a child of its own."""
        poll = select.poll()
        poll.register(self._parent, select.POLLIN)
        while (request := self._reader.take()) is None:
            if os.getppid() != self._parent_pid:
                raise ParentGoneError
            if poll.poll(_PARENT_CHECK_MS):
                data = self._parent.recv(1 << 18)
                if not data:
                    raise ParentGoneError
                self._reader.feed(data)
        return request

    def _reply(self, reply: Message) -> None:
        losses = [ended_to_json(loss) for loss in self._losses]
        self._losses.clear()
        self._parent.sendall(encode({**reply, "losses": losses}))

    def _run(self, item: Message) -> Message:
        child = self._ready_child()
        if isinstance(child, Ended):
            return _no_child(child)
        reply = self._ask(child, {"item": item}, "item")
        if isinstance(reply, Ended):
            if reply.child_lost:
                self._child = None
            return {"ended": ended_to_json(reply)}
        child.answered += 1
        output, _ = child.capture.take()
        if reply["answer"].get("dirty") is True:
            self.discard_child()
        return {"answer": reply["answer"], "stdout": output.stdout, "stderr": output.stderr}

    def _ready_child(self) -> Child | Ended:
        """Return a child that has been set up, or how the last try to set one up ended."""
        if self._child is not None and self._child.dead():
            self._losses.append(autopsy(self._child, "between"))
            self._child = None
        tries = 0
        while self._child is None:
            ended = self._set_up()
            tries += 1
            if ended is not None and tries == SETUP_TRIES:
                return ended
        return self._child

    def _set_up(self) -> Ended | None:
        memory_bytes = self._limits.memory_bytes
        if memory_bytes is None:
            memory_bytes = free_bytes() * 3 // 4
        try:
            child = fork_child(memory_bytes, self._parent)
        except OSError as error:
            return Ended("raised", "setup", f"OSError: no process can be forked: {error}")
        reply = self._ask(child, self._use, "setup")
        if isinstance(reply, Ended):
            return reply
        self._child = child
        return None

    def _ask(self, child: Child, request: Message, during: During) -> Message | Ended:
        limits = self._limits
        seconds = limits.setup_seconds if during == "setup" else limits.case_seconds
        try:
            return Watch(child, self._parent.fileno(), seconds, during).ask(request)
        except ParentGoneError:
            self._child = child
            raise


def _no_child(ended: Ended) -> Message:
    return {"setup_failed": ended_to_json(ended)}


def _dies(child: Child) -> bool:
    """Whether ``child`` is dead, or is so within moments."""
    begun = time.monotonic()
    while not child.dead():
        child.capture.drain()
        seconds = DYING_SECONDS if dying_of(child.capture.fault()) else _LEFT_BEHIND_SECONDS
        if time.monotonic() - begun > seconds:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def _preload(modules: list[str]) -> Message:
    try:
        for name in modules:
            importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 - a module may raise anything
        text = f"cannot import {name}: {type(error).__name__}: {error}"
        return {"failed": text, "stack": traceback.format_exc()}
    gc.collect()
    gc.freeze()  # so that no collection in a child touches, and so copies, what it inherited
    return {"threads": len(list(Path("/proc/self/task").iterdir()))}
