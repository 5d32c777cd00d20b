"""Put back what a description changes as it is read: some planted defects do that on purpose."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_FENV_BYTES = 64  # fenv_t has 32 on x86-64, and less elsewhere


@contextmanager
def kept_state() -> Iterator[None]:
    """This process's environment, signals, warnings, random numbers, floating-point control and torch's switches.

    They are afterwards as they were before. Imports torch. For the main thread, since signals are set there.
    """
    with ExitStack() as stack:
        stack.callback(_environment(dict(os.environ)))
        stack.callback(_signals({s: signal.getsignal(s) for s in signal.valid_signals()}))
        stack.callback(_floating_point())
        stack.callback(random.setstate, random.getstate())
        stack.callback(setattr, sys, "excepthook", sys.excepthook)
        stack.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        stack.enter_context(warnings.catch_warnings())
        _keep_torch(stack)
        yield


def _keep_torch(stack: ExitStack) -> None:
    import torch

    stack.callback(torch.set_num_threads, torch.get_num_threads())
    stack.callback(torch.set_rng_state, torch.get_rng_state())
    stack.callback(torch.set_default_dtype, torch.get_default_dtype())
    stack.callback(torch.set_grad_enabled, torch.is_grad_enabled())
    for module in (torch, torch.nn.functional):
        stack.callback(vars(module).update, dict(vars(module)))


def _floating_point() -> Callable[[], None]:
    libm, before = ctypes.CDLL(None), ctypes.create_string_buffer(_FENV_BYTES)
    libm.fegetenv(before)

    def put_back() -> None:
        libm.fesetenv(before)

    return put_back


def _environment(before: dict[str, str]) -> Callable[[], None]:
    def put_back() -> None:
        for name in [name for name in os.environ if name not in before]:
            del os.environ[name]
        for name, value in before.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    return put_back


def _signals(before: dict[Any, Any]) -> Callable[[], None]:
    def put_back() -> None:
        for number, handler in before.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)

    return put_back
