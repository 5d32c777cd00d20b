"""What the end of its process says of a case, and how many such ends one check may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from opwright.records.run import CaseRecord
from opwright.records.verdict import Finding, Outcome, errored, failed
from opwright.worker import Ended

_OF_REFERENCE = "end of the reference"  # no finding: there is nothing of the operator's to find
# Each hang takes the whole time limit of a case, each crash a new process and the time to write down a
# stack. So many in one check are enough to mend the operator by.
MOST_ENDS = {"hang": 3, "crash": 20, "exit": 20, "excessive memory": 5, _OF_REFERENCE: 3}

_KINDS = {
    "crashed": "crash",
    "exited": "exit",
    "hung": "hang",
    "memory": "excessive memory",
    "raised": "exception",
    "unreadable": "unreadable answer",
}


def cause_of(ended: Ended) -> str:
    """What counts against `MOST_ENDS`: the kind of the finding, or that the reference came to its end."""
    if ended.in_reference and not ended.operator_ran:
        return _OF_REFERENCE
    return _KINDS[ended.kind]


def ended_outcome(ended: Ended) -> Outcome:
    """What the operator did to its process is a finding on the case that it was running.

    What the reference did is none, if the operator had not been called before.
    """
    cause = cause_of(ended)
    if cause == _OF_REFERENCE:
        return errored(f"the reference, and not the operator, {ended.message}")
    message = ended.message
    if ended.in_reference:
        message += " (in the reference, which goes well where the operator was not called before)"
    details = {"signal": ended.signal, "exit_code": ended.exit_code, "stack": ended.stack[-2000:]}
    return failed(Finding(cause, message, {**details, "stderr": ended.stderr[-2000:]}))


def with_losses(record: CaseRecord, losses: Sequence[Ended]) -> CaseRecord:
    """The case with what its process came to after its answer: that is the operator's doing, too.

    But for want of memory the kernel takes whom it likes.
    """
    found = [
        replace(finding, message=f"after its answer the process {finding.message}")
        for ended in losses
        if ended.kind != "memory"
        for finding in ended_outcome(ended).findings
    ]
    if not found:
        return record
    outcome = failed(*record.outcome.findings, *found, figures=record.outcome.figures)
    return replace(record, outcome=outcome)
