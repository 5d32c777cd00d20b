"""What a freshly forked child does to itself before it touches an operator."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import os
import resource
import signal
import sys
from pathlib import Path

from opwright.worker.capture import WriteEnds
from opwright.worker.memory import hard_stop_bytes

STACK_SIGNAL = signal.SIGRTMAX - 1
"""Asks a child for its Python stacks."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Become the parent of every process that a child leaves behind (older kernels: nothing)."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def live_apart(parent_pid: int) -> None:
    """Give this process a session of its own, and let it die with its parent."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(1)  # the parent died before the kernel knew that we follow it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def limit_memory(memory_bytes: int) -> None:
    """Let allocations fail at the limit, and be the first that the kernel kills."""
    soft = hard_stop_bytes(memory_bytes, os.cpu_count() or 1)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def leave_no_core() -> None:
    """Write no core file; a program that the kernel pipes cores to gets an empty one."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/coredump_filter").write_text("0")


def out_of_the_way(descriptor: int) -> int:
    """Move ``descriptor`` to a high number that programs run from here do not inherit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = 64 if soft == resource.RLIM_INFINITY else max(3, min(soft, 1024) - 64)
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)
    os.close(descriptor)
    return moved


def redirect_output(ends: WriteEnds) -> None:
    """Point descriptors 0, 1, 2 and Python's streams at nothing and at the capture."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (ends.stdout, 1), (ends.stderr, 2)):
        os.dup2(source, target)
        os.close(source)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", buffering=1, errors="backslashreplace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    with contextlib.suppress(ValueError):  # C's stdout by lines, so that a crash loses little
        stdout = ctypes.c_void_p.in_dll(_libc, "stdout")
        _libc.setvbuf(stdout, None, 1, 0)


def flush_output() -> None:
    """Push out what Python and C have buffered for descriptor 1."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(ValueError):
        _libc.fflush(ctypes.c_void_p.in_dll(_libc, "stdout"))


def report_faults(descriptor: int) -> None:
    """Write the stacks to ``descriptor`` on a fatal signal and on STACK_SIGNAL.

    Where torch is loaded its handler adds the native stack. It comes first, so that Python's
    handler, which needs no memory and has a stack of its own, runs before it.
    """
    torch_c = sys.modules.get("torch._C")
    native = getattr(torch_c, "_set_print_stack_traces_on_fatal_signal", None)
    if native is not None:
        native(True)
    faulthandler.enable(descriptor, all_threads=True)
    faulthandler.register(STACK_SIGNAL, descriptor, all_threads=True)
