"""What PyTorch's own `torch.library.opcheck` says of an operator, a utility at a time."""

from __future__ import annotations

from torch._ops import OpOverload

from opwright.checks.judging.refusals import refused
from opwright.inputs.call import Call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.running import operator_runs

# In the order in which a fault is told best by the first that sees it.
UTILITIES = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_static",
    "test_aot_dispatch_dynamic",
)
COMPILING = frozenset({"test_aot_dispatch_static", "test_aot_dispatch_dynamic"})


def opchecked(overload: OpOverload, call: Call, utility: str) -> Outcome:
    """One utility of opcheck on one call; its failure is a finding of that name."""
    from torch.library import opcheck  # what it imports takes seconds, and most commands need none

    positional, keywords = call.spec.schema.as_call(call.arguments)
    operator_runs()
    said = opcheck(
        overload, tuple(positional), keywords, test_utils=(utility,), raise_exception=False
    )
    error: object = said[utility]
    if not isinstance(error, Exception):
        return passed()
    return failed(
        Finding(
            "opcheck fails",
            f"torch.library.opcheck's {utility} fails with {refused(error)}",
            {"utility": utility, "message": str(error)[:2000]},
        )
    )
