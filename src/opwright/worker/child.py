"""The child process: sets an operator up once, then answers item after item."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from opwright.worker import confine
from opwright.worker.capture import WriteEnds
from opwright.worker.wire import MAX_MESSAGE_BYTES, Message, Reader, encode, receive

Run = Callable[[dict[str, Any]], dict[str, Any]]

_TEXT_CHARS = 16_384
_MEMORY_WORDS = ("bad_alloc", "allocate memory", "out of memory")


def be_child(
    connection: socket.socket, ends: WriteEnds, memory_bytes: int, parent_pid: int
) -> NoReturn:
    """Make of this freshly forked process one that answers on ``connection``; never return."""
    confine.live_apart(parent_pid)
    connection = socket.socket(fileno=confine.out_of_the_way(connection.detach()))
    fault = confine.out_of_the_way(ends.fault)
    confine.redirect_output(ends)
    confine.leave_no_core()
    confine.limit_memory(memory_bytes)
    confine.report_faults(fault)
    try:
        _serve(connection)
    except OSError:  # who asks has gone
        os._exit(1)


def _serve(connection: socket.socket) -> NoReturn:
    """Answer for as long as somebody asks; leave at once when nobody does any more."""
    reader = Reader(max_bytes=1 << 32)
    run: Run | None = None
    while (request := receive(connection, reader)) is not None:
        pid = os.getpid()
        if run is None:
            run, reply = _set_up(request)
        else:
            reply = _answer(run, request)
        if os.getpid() != pid:
            os._exit(0)  # a fork that the operator made and that came back here
        confine.flush_output()
        _send(connection, _encoded(reply))
        if reply.get("kind") == "exited":
            os._exit(int(reply["exit_code"]))
    os._exit(0)


def _set_up(request: Message) -> tuple[Run | None, Message]:
    try:
        module_name, _, function_name = request["setup"].partition(":")
        setup = getattr(importlib.import_module(module_name), function_name)
        run = setup(request["payload"])
        if not callable(run):
            raise TypeError(f"{request['setup']} returned no function but {type(run).__name__}")
        return run, {"number": request["number"]}
    except BaseException as error:  # noqa: BLE001 - an operator may raise anything
        return None, {"number": request["number"], **_describe(error)}


def _answer(run: Run, request: Message) -> Message:
    try:
        answer = run(request["item"])
        if not isinstance(answer, dict):
            raise TypeError(f"the answer is no dict but {type(answer).__name__}")
        return {"number": request["number"], "answer": answer}
    except BaseException as error:  # noqa: BLE001 - an operator may raise anything
        return {"number": request["number"], **_describe(error)}


def _encoded(reply: Message) -> bytes:
    """Return the reply as it travels, or one that says why it cannot."""
    try:
        data = encode(reply)
        if len(data) > MAX_MESSAGE_BYTES:
            raise ValueError(f"the answer has {len(data):,} bytes, over {MAX_MESSAGE_BYTES:,}")
        return data
    except BaseException as error:  # noqa: BLE001 - an answer may hold anything
        return encode({"number": reply["number"], **_describe(error)})


def _send(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        # The operator closed the connection. Whoever watches this process sees that; if it
        # left now, that would look like an exit of the operator's own making.
        while True:
            signal.pause()


def _describe(error: BaseException) -> Message:
    """Return what an exception says, as the fields of an outcome."""
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    text = _text(error)
    facts: Message = {"kind": "raised", "exception": name, "message": f"{name}: {text}"}
    facts["stack"] = _stack(error)
    if isinstance(error, SystemExit):
        facts["kind"], facts["exit_code"] = "exited", _exit_code(error)
        facts["message"] = f"called sys.exit({text})"
    elif isinstance(error, MemoryError) or any(word in text.lower() for word in _MEMORY_WORDS):
        facts["kind"] = "memory"
        facts["message"] = f"failed to allocate memory: {name}: {text}"
    return facts


def _exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    return error.code & 0xFF if isinstance(error.code, int) else 1


def _text(error: BaseException) -> str:
    try:
        text = str(error)
        more = len(text) - _TEXT_CHARS
        return f"{text[:_TEXT_CHARS]} [cut: {more:,} more characters]" if more > 0 else text
    except BaseException:  # noqa: BLE001 - a __str__ that raises
        return "(its text cannot be read)"


def _stack(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))[-_TEXT_CHARS:]
    except BaseException:  # noqa: BLE001 - parts that raise when shown
        return ""
