"""Run a command in a child process: what a description does to its process is not taken for a finished run."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from opwright.cli.channel import open_channel
from opwright.cli.waits import Waits
from opwright.errors import EndedEarly

_RELAYED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_TICK_SECONDS = 0.25
_LEAVING_SECONDS = 5.0  # for what runs at a process' exit once the command is done
_STOPPING = (signal.SIGTERM, signal.SIGHUP)
_STOPPING_SECONDS = 20.0  # for telling of what is done; code that never returns to Python cannot
_TWICE_SECONDS = 0.5  # one Ctrl-C may reach the child directly, and through its parent
_SI_KERNEL = 0x80  # the terminal sent it: to the child, too
_PR_SET_PDEATHSIG = 1


class Stopped(KeyboardInterrupt):
    """A signal asks the command to end: what is done is told first, as with Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number


def supervised(work: Callable[[], object]) -> int:
    """Run ``work`` in a child of this process; returns the exit code that it came to its end with.

    A signal that ends the child on its way through this process ends this one, too. Raises
    `EndedEarly` where the child has ended and ``work`` had not. Call it before torch is imported.
    """
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    sys.stdout.flush()
    parent_pid = os.getpid()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*_RELAYED, signal.SIGCHLD})
    usual = signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would take the child's end
    child_pid = os.fork()
    if child_pid == 0:
        os.close(reading)
        _be_the_child(work, writing, parent_pid, mask)
    os.close(writing)
    try:
        return _Watcher(child_pid, reading).wait()
    finally:
        os.close(reading)
        signal.signal(signal.SIGCHLD, usual)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _be_the_child(
    work: Callable[[], object], writing: int, parent_pid: int, mask: set[int | signal.Signals]
) -> NoReturn:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(1)  # it has gone before the kernel knew that this process follows it
    channel = open_channel(writing)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once())
    stop = _Stop()
    for number in _STOPPING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    code = 0
    try:
        work()
    except Stopped:
        pass
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    if stop.number:
        _die_of(stop.number)
    channel.done(code)
    sys.exit(code)


def _interrupt_once() -> Callable[[int, object], None]:
    last = float("-inf")

    def interrupt(number: int, frame: object) -> None:
        del number, frame
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > _TWICE_SECONDS:
            raise KeyboardInterrupt

    return interrupt


class _Stop:
    """Handles the signals that ask a process to end; ``number`` is the one that came first."""

    def __init__(self) -> None:
        self.number = 0
        self._since = 0.0

    def __call__(self, number: int, frame: object) -> None:
        del frame
        if not self.number:
            self.number, self._since = number, time.monotonic()
            raise Stopped(number)
        if time.monotonic() - self._since > _TWICE_SECONDS:
            _die_of(number)


class _Watcher:
    """Waits for one child: passes signals on to it, and says what it is waiting for."""

    def __init__(self, child_pid: int, reading: int) -> None:
        self._child_pid = child_pid
        self._reading = reading
        self._waits = Waits()
        self._received: set[int] = set()

    def wait(self) -> int:
        """The code that the child has come to its end with; raises `EndedEarly` where it has not."""
        until: float | None = None
        patience = float("inf")
        while True:
            received = signal.sigtimedwait({*_RELAYED, signal.SIGCHLD}, _TICK_SECONDS)
            if received is not None and received.si_signo != signal.SIGCHLD:
                self._relay(received)
                if received.si_signo in _STOPPING:
                    patience = min(patience, time.monotonic() + _STOPPING_SECONDS)
            pid, status = os.waitpid(self._child_pid, os.WNOHANG)
            self._listen()
            if pid:
                return self._ended(status)
            if time.monotonic() > patience:
                os.kill(self._child_pid, signal.SIGKILL)
            if self._waits.code is not None:
                until = until or time.monotonic() + _LEAVING_SECONDS
                if time.monotonic() > until:
                    os.kill(self._child_pid, signal.SIGKILL)
            for word in self._waits.words(time.monotonic()):
                _say(word)

    def _relay(self, received: signal.struct_siginfo) -> None:
        self._received.add(received.si_signo)
        if received.si_code != _SI_KERNEL:
            os.kill(self._child_pid, received.si_signo)

    def _listen(self) -> None:
        with suppress(BlockingIOError):
            while data := os.read(self._reading, 1 << 16):
                self._waits.feed(data, time.monotonic())

    def _ended(self, status: int) -> int:
        if self._waits.code is not None:
            return self._waits.code
        code = os.waitstatus_to_exitcode(status)
        if -code in self._received:
            _die_of(-code)
        if code == -signal.SIGKILL and (asked := self._received & {*_STOPPING}):
            _die_of(min(asked))
        _tidy_terminal()
        raise _ended_early(code, self._waits)


def _ended_early(code: int, waits: Waits) -> EndedEarly:
    from opwright.process import ending

    how = ending(code)
    subject = waits.culprit or waits.asked_for
    if not subject:
        return EndedEarly(
            f"the process of this command ended ({how}) before the run was finished",
            hint="No description was being run at that moment: look for threads and exit handlers that "
            "one has left behind, and at the kernel's log (dmesg).",
        )
    named = f" (asked for as {waits.asked_for})" if waits.asked_for not in ("", subject) else ""
    return EndedEarly(
        f"{subject}{named} ended the process ({how}) before the run was finished",
        hint="Describing an operator may neither leave the process nor crash it: look for exit calls, and "
        "for libraries that crash when they are imported.",
    )


def _die_of(number: int) -> NoReturn:
    """End as the child did, so that whoever waits for this process sees the signal."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    sys.exit(128 + number)  # the first process of a container outlives that


def _tidy_terminal() -> None:
    """A live line may have been cut short, with the cursor hidden."""
    from opwright.cli.terminal import aside

    console = aside()
    if console.is_terminal and not console.is_dumb_terminal:
        console.show_cursor()
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


def _say(text: str) -> None:
    from opwright.cli.terminal import aside

    console = aside()
    if console.is_terminal and not console.is_dumb_terminal:
        sys.stderr.write("\r\x1b[2K")  # the child's live line, which it draws again
    console.print(text, style="dim", soft_wrap=True)
