"""Says how a child came to its end, from what the kernel, its fault handler and its stderr tell."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass

from opwright.worker.forked import Child
from opwright.worker.memory import kills_for_memory
from opwright.worker.outcome import During, Ended, Kind

_FATAL = re.compile(r"Fatal Python error: (.+)")
_FATAL_SIGNALS = {
    "Segmentation fault": "SIGSEGV",
    "Aborted": "SIGABRT",
    "Bus error": "SIGBUS",
    "Floating point exception": "SIGFPE",
    "Floating-point exception": "SIGFPE",
    "Illegal instruction": "SIGILL",
}
_SUMMARY = re.compile(r"SUMMARY: \w+Sanitizer: ")
_WORDS_LINES = 3
_WORDS_CHARS = 400


@dataclass(frozen=True)
class Cause:
    """What ended a child."""

    kind: Kind
    message: str
    signal: str = ""
    exit_code: int | None = None


def dying_of(fault: str) -> str:
    """Return the name of the fatal signal that the fault handler has written about, or nothing."""
    found = _FATAL.search(fault)
    return _FATAL_SIGNALS.get(found[1].strip(), "") if found else ""


def autopsy(child: Child, during: During) -> Ended:
    """Say how ``child``, which is dead, died; it is discarded."""
    status = child.discard()
    return bury(child, during, _cause_of(status or 0, kills_for_memory() > child.kills_before))


def put_down(child: Child, during: During, cause: Cause) -> Ended:
    """End ``child``, which lives, for ``cause``."""
    if child.discard() is None:
        message = f"{cause.message}; the kernel cannot end its process {child.pid}"
        cause = Cause(cause.kind, message, cause.signal)
    return bury(child, during, cause)


def bury(child: Child, during: During, cause: Cause) -> Ended:
    """Return the end of a discarded ``child`` for ``cause``, with its last words."""
    output, stack = child.capture.take()
    message = cause.message
    if cause.kind in ("crashed", "exited") and (words := _last_words(output.stderr)):
        message += f": {words}"
    return Ended(
        kind=cause.kind,
        during=during,
        message=message,
        signal=cause.signal,
        exit_code=cause.exit_code,
        stack=stack,
        stdout=output.stdout,
        stderr=output.stderr,
        items_before=child.answered,
        in_reference=child.note.in_reference,
        operator_ran=child.note.operator_ran,
    )


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` and the like; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _cause_of(status: int, killed_for_memory: bool) -> Cause:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return Cause("exited", f"left its process with exit code {code}", exit_code=code)
    name = signal_name(-code)
    if name == "SIGKILL" and killed_for_memory:
        return Cause("memory", "was killed by the kernel, which had run out of memory", name)
    return Cause("crashed", f"crashed with {name}", name)


def _last_words(stderr: str) -> str:
    """Return what stderr says last: a sanitizer's summary, an assertion, std::terminate's message."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    summaries = [line for line in lines if _SUMMARY.match(line)]
    if summaries:
        return summaries[-1][:_WORDS_CHARS]
    return " ".join(lines[-_WORDS_LINES:])[-_WORDS_CHARS:]
