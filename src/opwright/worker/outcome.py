"""How an item can end other than by an answer, and the limits that it is held to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

Kind = Literal["crashed", "exited", "hung", "memory", "raised", "unreadable"]
During = Literal["setup", "item", "between"]


# So many times its limit a process may take where it is the kernel that is slow: it still hands out memory.
TIMES_WHILE_GROWING = 4


@dataclass(frozen=True)
class Limits:
    """What one child process may use.

    A child that gets more and more memory when its seconds are over, as one that computes gigabytes does on a
    machine whose fresh memory is slow, has them up to `TIMES_WHILE_GROWING` times.
    ``memory_bytes`` counts what the child adds to the memory that it was born with;
    None means three quarters of the memory that is free when the child starts.
    """

    case_seconds: float = 30.0
    setup_seconds: float = 120.0
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Output:
    """The last part of what an item wrote to file descriptors 1 and 2 (64 KiB each at most)."""

    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True)
class Ended:
    """An item, or the process that ran it, came to an end without an answer.

    ``message`` is one sentence for people. ``stack`` holds the Python traceback or the native
    stack, ``items_before`` how many items the same process had answered before, and ``child_lost``
    whether the process is gone (the next item then gets a fresh one). ``in_reference`` says that the
    reference was being run, ``operator_ran`` that the process had called the operator before.
    """

    kind: Kind
    during: During
    message: str
    signal: str = ""
    exit_code: int | None = None
    exception: str = ""
    stack: str = ""
    stdout: str = ""
    stderr: str = ""
    items_before: int = 0
    child_lost: bool = True
    in_reference: bool = False
    operator_ran: bool = False


Result = dict[str, Any] | Ended
"""An item's answer, or how it ended without one."""


def ended_to_json(ended: Ended) -> dict[str, Any]:
    """Return ``ended`` as plain JSON data."""
    return asdict(ended)


def ended_from_json(data: dict[str, Any]) -> Ended:
    """Return the :class:`Ended` that ``data``, from :func:`ended_to_json`, describes."""
    return Ended(**{field.name: data[field.name] for field in fields(Ended)})
