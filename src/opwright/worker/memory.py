"""How much memory a process holds, how much is free, and who was killed for it."""

from __future__ import annotations

from pathlib import Path

from opwright.cgroups import free_memory_bytes

_RLIMIT_SLACK_BYTES = 128 << 20
_THREAD_BYTES = 16 << 20  # a thread's stack and malloc arena, reserved but hardly touched


def held_bytes(pid: int) -> int:
    """Return the anonymous and shared memory that process ``pid`` holds; 0 if it is gone.

    Pages of mapped files are left out: the kernel takes them back when memory is short.
    """
    return sum(_fields(Path(f"/proc/{pid}/status"), ("RssAnon", "RssShmem")).values())


def reserved_bytes() -> int:
    """Return the private writable memory that this process has mapped, touched or not."""
    return _fields(Path("/proc/self/status"), ("VmData",)).get("VmData", 0)


def hard_stop_bytes(memory_bytes: int, cpus: int) -> int:
    """Return the RLIMIT_DATA at which an allocation fails, for what a child may add."""
    return reserved_bytes() + memory_bytes + _RLIMIT_SLACK_BYTES + cpus * _THREAD_BYTES


def free_bytes() -> int:
    """Return the memory that a new process can have: the machine's or its control group's."""
    free = free_memory_bytes()
    return 1 << 62 if free is None else free


def kills_for_memory() -> int:
    """Return how many processes the kernel has killed for lack of memory since it started."""
    for line in _lines(Path("/proc/vmstat")):
        name, _, count = line.partition(" ")
        if name == "oom_kill":
            return int(count)
    return 0


def _fields(path: Path, names: tuple[str, ...]) -> dict[str, int]:
    """Return the sizes in bytes of the named ``Name:  123 kB`` lines of a file of /proc."""
    found = {}
    for line in _lines(path):
        name, _, value = line.partition(":")
        if name in names:
            found[name] = int(value.split()[0]) << 10
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
