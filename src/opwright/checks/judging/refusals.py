"""Whether an exception is a refusal that its reader can act on, or an accident on the way."""

from __future__ import annotations

import re

from opwright.records.verdict import Finding

# What code raises on purpose; PyTorch refuses a wrong rank with IndexError. AttributeError, KeyError,
# ZeroDivisionError and the like come from code that went on with what it should have refused.
DELIBERATE = (RuntimeError, TypeError, ValueError, AssertionError, IndexError)
_ACCIDENTS = re.compile(
    r"INTERNAL ASSERT FAILED"  # PyTorch's words for a fault of its own
    r"|^(tuple|list|string) index out of range"  # Python's, for shape[2]
    r"|referenced before assignment|not associated with a value"
)


def refused(error: BaseException) -> str:
    """The exception in one line: its type, and the first line of what it says."""
    return f"{type(error).__name__}: {first_line(error)}".removesuffix(": ")


def first_line(error: BaseException) -> str:
    """The first line of an exception's message; empty where it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else ""


def unclear(error: BaseException, what: str, *, argument: str = "") -> Finding | None:
    """The finding for an exception that is no clear refusal of ``what``; None for one that is."""
    details = {"exception": type(error).__name__, "argument": argument}
    if not first_line(error):
        return Finding(
            "refusal says nothing",
            f"{what}: {type(error).__name__} without a message. Say which argument is refused, what "
            "was expected and what came.",
            details,
        )
    if isinstance(error, DELIBERATE) and not _ACCIDENTS.search(str(error)):
        return None
    return Finding(
        "unclear refusal",
        f"{what}: it fails with {refused(error)}, which is an accident and no refusal. Look at the "
        "argument first, and raise a ValueError or RuntimeError that names it.",
        details,
    )
