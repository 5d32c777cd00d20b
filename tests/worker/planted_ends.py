"""Setups for the worker's tests: each item names the way in which it ends its process, or doesn't."""

from __future__ import annotations

import ctypes
import faulthandler
import fcntl
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opwright.errors import LoadError

Item = dict[str, Any]
libc = ctypes.CDLL(None, use_errno=True)


def setup(payload: Item) -> Callable[[Item], Item]:
    """Answer items by the function that ``item["do"]`` names."""
    return lambda item: globals()[item["do"]](item) or {"pid": os.getpid()}


def setup_that_raises(payload: Item) -> Callable[[Item], Item]:
    raise LookupError(f"no such operator: {payload['name']}")


def setup_that_does_not_load(payload: Item) -> Callable[[Item], Item]:
    raise LoadError(f"{payload['name']} does not load", hint="Build it again.")


def setup_that_crashes(payload: Item) -> Callable[[Item], Item]:
    ctypes.string_at(0)
    raise AssertionError


def setup_that_hangs(payload: Item) -> Callable[[Item], Item]:
    _block_signals()
    libc.pause()
    raise AssertionError


def setup_that_returns_nothing(payload: Item) -> None:
    return None


def setup_that_fails_once(payload: Item) -> Callable[[Item], Item]:
    marker = Path(payload["marker"])
    if not marker.exists():
        marker.touch()
        os._exit(9)
    return setup(payload)


def setup_torch(payload: Item) -> Callable[[Item], Item]:
    import torch

    torch.set_num_threads(2)
    return setup(payload)


def fine(item: Item) -> Item:
    return {"pid": os.getpid(), "said": item.get("say")}


def ids(item: Item) -> Item:
    return {"pid": os.getpid(), "parent": os.getppid(), "session": os.getsid(0)}


def segfault(item: Item) -> None:
    print("about to read address 0")
    ctypes.string_at(0)


def abort(item: Item) -> None:
    os.abort()


def signal_self(item: Item) -> None:
    os.kill(os.getpid(), item["signal"])
    time.sleep(60)


def native_stack_overflow(item: Item) -> None:
    library = ctypes.CDLL(item["library"])
    library.recurse(ctypes.c_long(1))


def call_library(item: Item) -> None:
    getattr(ctypes.CDLL(item["library"]), item["function"])()


def hang_while_dying(item: Item) -> None:
    """The fault handler has written its stack, and then the process hangs: a lock held by malloc."""
    descriptor = next(fd for fd in reversed(_descriptors()) if stat.S_ISFIFO(os.fstat(fd).st_mode))
    os.write(descriptor, b"Fatal Python error: Segmentation fault\n\nCurrent thread\n")
    libc.pause()


def exit_at_once(item: Item) -> None:
    os._exit(item["code"])


def sys_exit(item: Item) -> None:
    sys.exit(item["code"])


def grow(item: Item) -> None:
    """Get memory at about ``bytes_per_s``, for a while."""
    held = []
    for _ in range(int(item["seconds"] / 0.05)):
        held.append(bytearray(b"x") * (item["bytes_per_s"] // 20))
        time.sleep(0.05)


def loop(item: Item) -> None:
    while True:
        pass


def hang_in_native_code(item: Item) -> None:
    _block_signals()
    libc.pause()


def stop_self(item: Item) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def hold_memory(item: Item) -> None:
    held = []
    while True:
        held.append(b"x" * (1 << 20))
        time.sleep(0.0005)


def allocate(item: Item) -> Item:
    return {"size": len(bytearray(item["size_bytes"]))}


def allocate_tensor(item: Item) -> Item:
    import torch

    return {"size": torch.empty(item["size_bytes"], dtype=torch.uint8).numel()}


def hold_shared_memory(item: Item) -> None:
    import mmap

    region = mmap.mmap(-1, 1 << 30)
    for at in range(0, len(region), 1 << 20):
        region[at : at + (1 << 20)] = b"x" * (1 << 20)
        time.sleep(0.0005)


def map_sparse_file(item: Item) -> Item:
    import mmap

    with Path(item["path"]).open("r+b") as file, mmap.mmap(file.fileno(), 0) as region:
        touched = sum(region[at] for at in range(0, item["touch_bytes"], mmap.PAGESIZE))
        time.sleep(0.1)  # so that whoever looks at the memory looks now
        return {"size": len(region), "sum": touched}


def fail(item: Item) -> None:
    raise KeyError("no such thing")


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("and this too")


def fail_unprintably(item: Item) -> None:
    raise UnprintableError


def interrupt(item: Item) -> None:
    raise KeyboardInterrupt


def interrupt_by_signal(item: Item) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


def recurse(item: Item) -> None:
    recurse(item)


def answer_with(item: Item) -> Any:
    return {"text": "no dict", "object": {"x": object()}, "set": {1}}[item["what"]]


def answer_at_length(item: Item) -> Item:
    return {"text": "x" * item["size"]}


def write_on_connection(item: Item) -> None:
    sockets = [fd for fd in _descriptors() if stat.S_ISSOCK(os.fstat(fd).st_mode)]
    for descriptor in sockets:
        os.write(descriptor, bytes.fromhex(item["hex"]))


def close_everything(item: Item) -> None:
    os.closerange(0, 70_000)


def close_output(item: Item) -> None:
    os.close(1)
    os.close(2)


def open_descriptors(item: Item) -> Item:
    return {"count": len(_descriptors())}


def print_megabytes(item: Item) -> None:
    for _ in range(item["count"]):
        os.write(item["descriptor"], b"x" * (1 << 20))
    os.write(item["descriptor"], b"the end")


def print_into_a_wide_pipe(item: Item) -> None:
    fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
    os.write(1, b"x" * 500_000 + b"the end")


def inherited_descriptors(item: Item) -> Item:
    """The descriptors that a program run from here sees, and those that are sockets here."""
    program = ["/bin/sh", "-c", "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done"]
    seen = subprocess.run(program, close_fds=False, capture_output=True, text=True, check=True)
    sockets = [fd for fd in _descriptors() if stat.S_ISSOCK(os.fstat(fd).st_mode)]
    return {"seen": [int(word) for word in seen.stdout.split()], "sockets": sockets}


def print_from_everywhere(item: Item) -> None:
    sys.stdout.write("from Python")
    libc.printf(b" from C")
    subprocess.run(["/bin/sh", "-c", "echo ' from a program'; echo 'a warning' >&2"], check=True)
    os.write(2, b"\xff\n")


def change_handlers(item: Item) -> Item:
    """Spoil what a process has: handlers, mask, directory, umask, limits, environment."""
    faulthandler.disable()
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except OSError:
            continue
    _block_signals()
    os.chdir("/")
    os.environ.clear()
    sys.path.clear()
    socket.setdefaulttimeout(0.001)
    return {"pid": os.getpid(), "dirty": bool(item.get("dirty"))}


def fork_sleeper(item: Item) -> Item:
    """Leave a process behind that keeps every descriptor open, in a session of its own if asked."""
    pid = os.fork()
    if pid == 0:
        if item.get("apart"):
            os.setsid()
        _block_signals()
        time.sleep(600)
        os._exit(0)
    if item.get("exit"):
        os._exit(5)
    return {"sleeper": pid}


def fork_and_both_return(item: Item) -> Item:
    os.fork()
    return {"pid": os.getpid()}


def crash_later(item: Item) -> Item:
    threading.Timer(0.01, os.abort).start()
    return {"pid": os.getpid()}


def kill_parent(item: Item) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)  # it goes with its parent


def environment_variable(item: Item) -> Item:
    return {"value": os.environ.get(item["name"])}


def core_limit(item: Item) -> Item:
    return {"limits": resource.getrlimit(resource.RLIMIT_CORE)}


def parallel_sum(item: Item) -> Item:
    """A kernel that torch runs on several threads."""
    import torch

    numbers = torch.ones(item["count"])
    return {
        "sum": float((numbers + 1).sum()),
        "product": float((torch.ones(256, 256) @ torch.ones(256, 256))[0, 0]),
        "torch_threads": torch.get_num_threads(),
        "threads": len(list(Path("/proc/self/task").iterdir())),
    }


def torch_segfault(item: Item) -> None:
    import torch

    parallel_sum({"count": 1 << 20})
    ctypes.CDLL(item["library"]).write_to_address_8()
    assert torch


def mark_and_wait(item: Item) -> None:
    Path(item["path"]).write_text(f"{os.getpid()} {os.getppid()}")
    _block_signals()
    libc.pause()


def _block_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def _descriptors() -> list[int]:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            os.fstat(int(entry.name))
        except OSError:
            continue
        found.append(int(entry.name))
    return sorted(found)
