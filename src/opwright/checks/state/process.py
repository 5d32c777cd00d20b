"""The global state of a process that an operator has no business changing, as plain texts to compare."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import itertools
import locale
import logging
import os
import random
import resource
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

State = dict[str, str]
_SHOWN_CHARS = 80
_SIGACTION_BYTES = 152  # struct sigaction of glibc on 64-bit Linux; the handler comes first


def process_state() -> State:
    """What is set now, by name: torch's switches, Python's, the operating system's."""
    state = {name: _said(ask) for name, ask in _ASKED.items()}
    state |= {f"environment variable {name}": value for name, value in _environment().items()}
    state |= {f"handler of {s.name}": _handler(s) for s in signal.Signals}
    state |= {f"limit {name}": str(resource.getrlimit(number)) for number, name in _LIMITS.items()}
    return state | _functions() | _numpy()


def differences(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Name, text before and text after of everything that differs; empty text for what is not there."""
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        # A module may bring functions of its own; only exchanging what was there is a change.
        if old != new and not (name.startswith(("function ", "numpy's ")) and not (old and new)):
            yield name, old, new


def told_difference(name: str, old: str, new: str) -> str:
    """``the locale from 'C' to 'de_DE'``, in few words."""
    if not old or not new:
        told = f"it is {_short(new)} now" if new else f"it was {_short(old)} and is gone"
        return f"{name}: {told}"
    return f"{name} from {_short(old)} to {_short(new)}"


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}...")


def _said(ask: Callable[[], object]) -> str:
    try:
        return str(ask())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _digest(value: object) -> str:
    data = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.sha256(data).hexdigest()[:12]


_ASKED: dict[str, Callable[[], object]] = {
    "torch's default dtype": torch.get_default_dtype,
    "torch's default device": torch.get_default_device,
    "torch's number of threads": torch.get_num_threads,
    "torch's deterministic algorithms": lambda: (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    ),
    "torch's gradient mode": torch.is_grad_enabled,
    "torch's inference mode": torch.is_inference_mode_enabled,
    "torch's anomaly mode": torch.is_anomaly_enabled,
    "torch's autocast": lambda: (torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")),
    "torch's float32 matmul precision": torch.get_float32_matmul_precision,
    "torch's oneDNN switch": lambda: torch.backends.mkldnn.enabled,
    "torch's random state": lambda: _digest(bytes(torch.get_rng_state().tolist())),
    "Python's random state": lambda: _digest(random.getstate()),
    "warning filters": lambda: f"{_digest(warnings.filters)} ({len(warnings.filters)})",
    "sys.path": lambda: os.pathsep.join(sys.path),
    "the current folder": os.getcwd,
    "the locale": lambda: locale.setlocale(locale.LC_ALL),
    "sys.excepthook": lambda: sys.excepthook,
    "the recursion limit": sys.getrecursionlimit,
    "the switch interval of threads": sys.getswitchinterval,
    "standard output": lambda: id(sys.stdout),
    "standard error": lambda: id(sys.stderr),
    "garbage collection": lambda: (gc.isenabled(), gc.get_threshold()),
    "the root logger": lambda: (
        logging.root.level,
        len(logging.root.handlers),
        logging.root.disabled,
    ),
    "threading.excepthook": lambda: threading.excepthook,
    "the mask of new files": lambda: _status("Umask"),
    "the blocked signals": lambda: sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "the priority": lambda: os.getpriority(os.PRIO_PROCESS, 0),
    "the processors that may be used": lambda: sorted(os.sched_getaffinity(0)),
}
# by number: two names can mean the same limit
_LIMITS = {
    number: n
    for n, number in sorted(vars(resource).items(), reverse=True)
    if n.startswith("RLIMIT_")
}


def open_files() -> int:
    """How many file descriptors are open; asking opens one, every time."""
    return len(os.listdir("/proc/self/fd"))


def running_threads() -> int:
    """How many threads the process has, Python's or not."""
    return int(_status("Threads"))


def _status(name: str) -> str:
    """A line of what Linux says of this process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(f"{name}:"))


def _environment() -> dict[str, str]:
    """The C library's, which Python's copy does not follow."""
    entries = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    listed = itertools.takewhile(
        lambda entry: entry is not None, (entries[i] for i in itertools.count())
    )
    pairs = (os.fsdecode(entry or b"").partition("=") for entry in listed)
    return {name: value for name, _, value in pairs}


def _handler(number: signal.Signals) -> str:
    """Address of the C handler (0 by default, 1 ignored), and Python's."""
    action = (ctypes.c_ubyte * _SIGACTION_BYTES)()
    if ctypes.CDLL(None).sigaction(int(number), None, ctypes.byref(action)):
        return ""
    address = int.from_bytes(bytes(action[:8]), "little")
    return f"{address:#x} {signal.getsignal(number)}"


def _functions() -> State:
    """The functions that models call: an operator that exchanges one changes every model."""
    places: tuple[Any, ...] = (torch, torch.Tensor, torch.nn.functional)
    return {
        f"function {place.__name__}.{name}": f"object {id(value):#x}"
        for place in places
        for name, value in vars(place).items()
        if callable(value) and not isinstance(value, (ModuleType, type))
    }


def _numpy() -> State:
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "random"):
        return {}
    return {
        "numpy's error handling": str(numpy.geterr()),
        "numpy's random state": _digest(numpy.random.get_state()),
    }
