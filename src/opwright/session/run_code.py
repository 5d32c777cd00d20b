"""The exit code of a run over several operators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright.errors import FoundFault, NotEvidence, OpwrightError, ReferenceFailed


def run_code(verdicts: Iterable[str], errors: Sequence[OpwrightError]) -> int:
    """A fault weighs more than what could not be judged, and that more than what proved nothing.

    ``verdicts`` are those of the operators, ``errors`` those of operators that did not build, in order.
    """
    seen = set(verdicts)
    if "fail" in seen:
        return FoundFault.exit_code
    if errors:
        return errors[0].exit_code
    if "error" in seen:
        return ReferenceFailed.exit_code
    return NotEvidence.exit_code if "not checked" in seen else 0
