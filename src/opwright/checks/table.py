"""All checks, in the order in which they run: the cheapest fault first."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from opwright.checks import contract, coverage, determinism, empty, layouts, mutation, numerics
from opwright.checks.protocol import Check
from opwright.errors import UsageError

CHECKS: tuple[Check, ...] = (
    contract.CHECK,
    empty.CHECK,
    numerics.CHECK,
    mutation.CHECK,
    determinism.CHECK,
    layouts.CHECK,
    coverage.CHECK,
)


def choose(names: Sequence[str] = ()) -> tuple[Check, ...]:
    """The checks of these names, in the table's order; all of them for no names."""
    known = {check.name: check for check in CHECKS}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            guess = f"Did you mean {near[0]!r}? " if near else ""
            raise UsageError(f"unknown check {name!r}", hint=f"{guess}Checks are: {', '.join(known)}.")
    return tuple(check for check in CHECKS if not names or check.name in names)
