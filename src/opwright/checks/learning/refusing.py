"""What an exception inside of a transform means: a refusal that may be, or a fault."""

from __future__ import annotations

from opwright.checks.judging.refusals import refused, unclear
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.operator import OWN, OperatorSpec


def refusal(spec: OperatorSpec, error: Exception, what: str, *, declared: str = "") -> Outcome:
    """A pass for a clear refusal of ``what``; a fault where it is ``declared``, or says not what refused.

    Functions and extensions that record their own gradients speak in words of their own.
    """
    if fault := unclear(error, what):
        return failed(fault)
    details = {"exception": type(error).__name__}
    if declared:
        message = f"{what} is refused, and the description declares {declared}: {refused(error)}"
        return failed(Finding("refused though declared", message, details))
    if spec.name not in str(error) and spec.backward != OWN and not _is_python(spec):
        message = f"{what} is refused without a word of which operator: {refused(error)}"
        return failed(Finding("refusal names no operator", message, details))
    return passed(notes=(f"refused: {refused(error)}",))


def _is_python(spec: OperatorSpec) -> bool:
    return spec.function is not None or spec.extension is not None
