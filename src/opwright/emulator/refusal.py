"""What is refused by name, with the user's file and line."""

from __future__ import annotations

from typing import NoReturn

from opwright.emulator.text import line_at
from opwright.errors import CompileError

HINT = "Write it in another way, or check this operator on a device only."


def refuse(path: str, code: str, offset: int, what: str) -> NoReturn:
    """Raise a `CompileError` that names the place in the user's source."""
    raise CompileError(
        f"{path}:{line_at(code, offset)}: {what} is not emulated",
        hint=HINT,
    )
