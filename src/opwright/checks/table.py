"""All checks, in the order in which they run: the cheapest fault first."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from opwright.checks import (
    batch_invariance,
    call_effects,
    contract,
    coverage,
    determinism,
    empty,
    fp_control,
    import_effects,
    large,
    layouts,
    leak,
    memory,
    mutation,
    numerics,
    sanitizers,
    special_values,
    thread_count,
    threads,
)
from opwright.checks.device import capture, device_guard, device_memory, hidden_sync, stream
from opwright.checks.protocol import Check
from opwright.errors import UsageError
from opwright.spec.target import HOST, Target

CHECKS: tuple[Check, ...] = (
    import_effects.CHECK,
    contract.CHECK,
    empty.CHECK,
    coverage.CHECK,
    numerics.CHECK,
    special_values.CHECK,
    mutation.CHECK,
    call_effects.CHECK,
    determinism.CHECK,
    batch_invariance.CHECK,
    thread_count.CHECK,
    layouts.CHECK,
    memory.CHECK,
    leak.CHECK,
    threads.CHECK,
    large.CHECK,
    fp_control.CHECK,
    device_memory.CHECK,
    stream.CHECK,
    hidden_sync.CHECK,
    device_guard.CHECK,
    capture.CHECK,
)


def choose(names: Sequence[str] = (), target: Target = HOST) -> tuple[Check, ...]:
    """The checks of these names that ask something of ``target``, in the table's order; all for no names."""
    known = {check.name: check for check in CHECKS}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            guess = f"Did you mean {near[0]!r}? " if near else ""
            raise UsageError(
                f"unknown check {name!r}", hint=f"{guess}Checks are: {', '.join(known)}."
            )
    on_host = target.device_type == "cpu"
    return tuple(
        check
        for check in CHECKS
        if (not names or check.name in names) and not (on_host and check.devices_only)
    )


def check_named(name: str) -> Check:
    """The check that made a case: one of the table, or the sanitizers, which have a build of their own."""
    return next(check for check in (*CHECKS, sanitizers.CHECK) if check.name == name)
