"""All checks, in the order in which they run: the cheapest fault first, and builds of their own last."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.checks import (
    batch_invariance,
    call_effects,
    contract,
    coverage,
    determinism,
    empty,
    emulation,
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
from opwright.checks.device import (
    capture,
    device_guard,
    device_memory,
    device_sanitizers,
    hidden_sync,
    stream,
)
from opwright.checks.learning import autocast, compiling, dispatcher, gradients, training, vmap
from opwright.checks.protocol import Build, Check
from opwright.errors import UsageError
from opwright.spec.naming import did_you_mean
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
    gradients.CHECK,
    dispatcher.CHECK,
    compiling.CHECK,
    autocast.CHECK,
    vmap.CHECK,
    training.CHECK,
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
    hidden_sync.CHECK,
    device_guard.CHECK,
    capture.CHECK,
    stream.CHECK,  # behind those whose process has to be as users' are: it asks PyTorch's profiler
    emulation.CHECK,
    sanitizers.CHECK,
    device_sanitizers.CHECK,
)
_BY_NAME = {check.name: check for check in CHECKS}


# Their checks take long, and are run where they are asked for and on the emulated target.
_SANITIZED: tuple[Build, ...] = ("sanitized", "device sanitized")


def choose(
    names: Sequence[str] = (), target: Target = HOST, *, sanitize: bool = False
) -> tuple[Check, ...]:
    """The checks of these names, in the table's order; for no names all that ask something of ``target``.

    Sanitizers are among them where they are named, with ``sanitize``, and for the emulated target.
    Raises `UsageError` for unknown names, and for checks that ask nothing of the target.
    """
    for name in names:
        _require(name, target)
    sanitized = sanitize or (not names and target.kind == "emulated")
    chosen = tuple(
        check
        for check in CHECKS
        if check.asks(target)
        and (check.name in names or (sanitized if check.build in _SANITIZED else not names))
    )
    if sanitize and not any(check.build in _SANITIZED for check in chosen):
        raise UsageError(
            f"there are no sanitizers for target {target}", hint="Leave --sanitize out."
        )
    return chosen


def check_named(name: str) -> Check:
    """The check that made a case."""
    return _BY_NAME[name]


def _require(name: str, target: Target) -> None:
    if name not in _BY_NAME:
        guess = did_you_mean(name, _BY_NAME)
        raise UsageError(
            f"unknown check {name!r}", hint=f"{guess}Checks are: {', '.join(_BY_NAME)}."
        )
    if not _BY_NAME[name].asks(target):
        asked = [check.name for check in CHECKS if check.asks(target)]
        raise UsageError(
            f"check {name!r} asks nothing of target {target}",
            hint=f"Checks for it are: {', '.join(asked)}.",
        )
