"""Compile what kernels are timed beside, so that no time on a device goes by with it afterwards.

    evidence/warm.py OPERATOR... --shapes FILE --dtype DTYPE --against WHAT [--gradients]

Takes what `opwright bench` takes, and calls everything once, in one process for each operator and dtype, all
of them side by side. What is compiled stays in the caches of PyTorch, Triton and FlagGems. Candidates of a
choice that is made by timing them are timed one process after the other. What raises is told, and no fault.
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import importlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

_LOCK = Path(tempfile.gettempdir()) / f"opwright_warm_{os.environ.get('CUDA_VISIBLE_DEVICES', '')}"
# Where libraries time their candidates: module, class or none, function.
_TIMED = (
    ("torch._inductor.runtime.triton_heuristics", "CachingAutotuner", "bench"),
    ("triton.testing", "", "do_bench"),
)


def main() -> None:
    """Warm all operators in all dtypes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("operators", nargs="+")
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--shapes", required=True)
    parser.add_argument("--dtype", action="append", required=True)
    parser.add_argument("--against", action="append", required=True)
    parser.add_argument("--gradients", action="store_true")
    options = parser.parse_args()
    context = get_context("spawn")
    processes = [
        context.Process(target=warm, args=(operator, dtype, options), daemon=True)
        for operator in options.operators
        for dtype in options.dtype
    ]
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it comes twice
        for process in processes:
            process.kill()
        say("stopped")


def warm(operator: str, dtype: str, options: argparse.Namespace) -> None:
    """Call every rival of one operator on every case of one dtype."""
    import torch

    from opwright.devices.device import device_for
    from opwright.discovery import find_one
    from opwright.inputs.call import make_call
    from opwright.session.bench_calls import bound, with_gradients
    from opwright.session.bench_cases import bench_cases
    from opwright.session.bench_rivals import described_rival, function_of
    from opwright.spec.shape_file import read_shapes
    from opwright.spec.target import parse_target

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    _time_one_at_a_time()
    started = time.monotonic()
    spec = find_one(f"{operator}:{operator}").spec
    device = device_for(parse_target(options.target))
    bind = with_gradients if options.gradients else bound
    found = [described_rival(text, spec) for text in options.against]
    rivals = [rival for rival in found if rival is not None and rival.get("there", True)]
    cases = bench_cases(spec, read_shapes(Path(options.shapes)), [dtype])
    told: list[str] = []
    for case in cases:
        torch.compiler.reset()
        call = make_call(spec, case, device.first if device else None)
        for rival in rivals:
            with _told_of(f"{operator}, {case.name}, {rival['name']}", told):
                bind(function_of(rival, spec), call)()
    say(f"{operator} {dtype}: {len(cases)} cases in {time.monotonic() - started:.0f} s")
    for line in dict.fromkeys(told):
        say(line)


@contextmanager
def _told_of(what: str, told: list[str]) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 -- the measurement puts it down
        told.append(f"{what}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")


def _time_one_at_a_time() -> None:
    """Let no two processes on this device time candidates at once; where there is none of that, nothing."""
    for module_name, class_name, name in _TIMED:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        owner = getattr(module, class_name, None) if class_name else module
        if owner is not None and hasattr(owner, name):
            setattr(owner, name, _alone(getattr(owner, name)))


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def locked(*args: Any, **kwargs: Any) -> Any:
        with _LOCK.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return function(*args, **kwargs)

    return locked


def say(text: str) -> None:
    """A line of progress."""
    sys.stdout.write(f"warm: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
