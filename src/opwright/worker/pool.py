"""What the rest of Opwright sees of the worker: items go in, answers and ends come out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any

from opwright.errors import LoadError, OpwrightError, WorkerError
from opwright.log import log
from opwright.worker.outcome import (
    TIMES_WHILE_GROWING,
    Ended,
    Limits,
    Output,
    Result,
    ended_from_json,
)
from opwright.worker.spawn import start_zygote
from opwright.worker.wire import Message, Reader, encode, receive

_PRELOAD_SECONDS = 600.0
_WHO_ENDS_IT = (
    "Opwright does not end it so. The operator may have, whose process is its child (os.getppid()); else it was "
    "somebody outside, or the kernel for want of memory: look at its log (dmesg)."
)
_MARGIN_SECONDS = 60.0  # for ending children and for a machine that is slow


class Worker:
    """Runs items in a child process, and goes on with a fresh one where an item ends it.

    ``setup`` names a function as ``"package.module:function"``. It is called with ``payload`` once
    in each child and returns the function that answers items, ``run(item: dict) -> dict``. Payload,
    items and answers are JSON data. An answer with ``"dirty": true`` says that it spoiled its
    process: the next item gets a fresh one.

    A process that imports the ``preload`` modules and forks the children is started at once. These
    modules must start no threads of their own when imported; torch does not. ``environment`` is
    laid over this process's own. An operator may end that process, too: `use` then starts another.

    Not for use by several threads at a time. Raises WorkerError if no process can be started.
    """

    def __init__(
        self,
        setup: str,
        payload: Mapping[str, Any] | None = None,
        *,
        preload: Sequence[str] = (),
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.output = Output()
        self._losses: list[Ended] = []
        self._closed = self._is_lost = False
        self._pid = os.getpid()
        self._preload, self._environment = list(preload), environment
        self._begin()
        self.use(payload or {}, setup=setup)

    def _begin(self) -> None:
        """Start the process that forks the children."""
        self._reader = Reader(max_bytes=1 << 32)
        self._preloading = True
        self._zygote = start_zygote(self._environment)
        self._is_lost = False
        log("worker.start", "starting the worker", pid=self._zygote.process.pid)
        self._send({"do": "preload", "modules": self._preload})

    def use(self, payload: Mapping[str, Any], *, setup: str) -> None:
        """From the next item on, answer with what ``setup`` makes of ``payload``, afresh.

        Raises WorkerError if the process that forks children was lost, and no other can be started.
        """
        if self._is_lost and not self._closed:
            self._begin()
        use = {"setup": setup, "payload": dict(payload)}
        # Sent with the next request: who preloads does not listen, and a payload may be large.
        self._pending: Message | None = {"do": "use", "use": use, "limits": asdict(self.limits)}

    def run(self, items: Iterable[Mapping[str, Any]]) -> Iterator[Result]:
        """Yield one result an item, in order; the next item is taken only then.

        ``output`` then holds what the item printed.

        Raises WorkerError if a child cannot be set up twice in a row (LoadError, where that is what the
        setup raises), or if the process that forks children is lost.
        """
        for item in items:
            yield self._result(self._request({"do": "run", "item": dict(item)}))

    def prepare(self) -> None:
        """Set up the process for the next item now, where there is none. Raises as `run` does."""
        reply = self._request({"do": "prepare"})
        if "setup_failed" in reply:
            raise _setup_error(ended_from_json(reply["setup_failed"]))

    def take_losses(self) -> list[Ended]:
        """How children have ended after an answer, since this was last asked."""
        losses, self._losses = self._losses, []
        return losses

    def end_child(self) -> list[Ended]:
        """End the process that answers, and return how children have ended after an answer.

        That process is given a moment in which to come to an end by itself. The next item gets a fresh one.
        """
        self._request({"do": "end"})
        return self.take_losses()

    def close(self) -> None:
        """End every process of this worker, whatever it is doing."""
        if not self._closed:
            self._closed = True
            if os.getpid() != self._pid:  # a fork: the processes are not its own
                self._zygote.connection.close()
                return
            self._zygote.stop(at_once=self._preloading)

    def __enter__(self) -> Worker:  # noqa: PYI034 - Self is newer than Python 3.10
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _result(self, reply: Message) -> Result:
        if "setup_failed" in reply:
            raise _setup_error(ended_from_json(reply["setup_failed"]))
        if "answer" in reply:
            self.output = Output(reply["stdout"], reply["stderr"])
            answer: dict[str, Any] = reply["answer"]
            return answer
        ended = ended_from_json(reply["ended"])
        self.output = Output(ended.stdout, ended.stderr)
        log("worker.ended", ended.message, outcome=ended.kind)
        return ended

    def _request(self, message: Message) -> Message:
        """Send ``message`` and wait for its reply."""
        if os.getpid() != self._pid:
            raise WorkerError(
                f"this worker belongs to process {self._pid}, and not to its fork {os.getpid()}",
                hint="Make a Worker of its own in each process.",
            )
        if self._preloading and not (self._closed or self._is_lost):  # these are refused below
            self._await_preload()
        own_seconds = 2 * self.limits.setup_seconds + self.limits.case_seconds
        seconds = TIMES_WHILE_GROWING * own_seconds + _MARGIN_SECONDS
        if self._pending is not None:
            self._send(self._pending)
            self._pending = None
        self._send(message)
        reply = self._receive(seconds)
        self._losses += [ended_from_json(loss) for loss in reply["losses"]]
        return reply

    def _await_preload(self) -> None:
        reply = self._receive(_PRELOAD_SECONDS)
        if "failed" in reply:
            self.close()
            raise WorkerError(
                f"the worker {reply['failed']}",
                hint=f"Make the same import work in this Python first.\n{reply['stack']}",
            )
        log("worker.ready", "the worker is ready", threads=reply["threads"])
        self._preloading = False

    def _send(self, message: Message) -> None:
        if self._closed:
            raise WorkerError("the worker is closed", hint="Make a new Worker.")
        if self._is_lost:
            raise WorkerError(
                "the process that runs operators was lost before",
                hint="`Worker.use` starts another.",
            )
        try:
            self._zygote.connection.sendall(encode(message))
        except OSError:
            raise self._lost("hung up") from None

    def _receive(self, seconds: float) -> Message:
        try:
            self._zygote.connection.settimeout(seconds)
            reply = receive(self._zygote.connection, self._reader)
            self._zygote.connection.settimeout(None)
        except TimeoutError:
            raise self._lost(f"gave no answer in {seconds:g} s") from None
        except OSError:
            reply = None
        except BaseException:  # Ctrl-C: an answer is under way that nobody will match to its item
            self.close()
            raise
        if reply is None:
            raise self._lost("hung up")
        return reply

    def _lost(self, what: str) -> WorkerError:
        """End what is left of the process that forks children, and return the error that says why."""
        self._zygote.connection.close()
        words = self._zygote.last_words()
        self._is_lost = True
        self._zygote.stop(at_once=self._preloading)
        return WorkerError(f"the process that runs operators {what}: {words}", hint=_WHO_ENDS_IT)


def _setup_error(ended: Ended) -> OpwrightError:
    """The error for a setup that ended so: its own, where it says that a library does not load."""
    log("worker.setup_failed", ended.message, outcome=ended.kind)
    if ended.exception == f"{LoadError.__module__}.{LoadError.__qualname__}":
        what, _, hint = ended.message.removeprefix(f"{ended.exception}: ").partition("\n")
        return LoadError(what, hint=hint)
    return WorkerError(
        f"the process that runs the operator cannot be set up: it {_sentence(ended)}",
        hint=f"Make it work in a process of its own first.\n{ended.stack or ended.stderr}",
    )


def _sentence(ended: Ended) -> str:
    return f"raised {ended.message}" if ended.kind == "raised" else ended.message
