"""What the end of its process says of a case, and how many such ends one check may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from opwright.log import log
from opwright.records.run import CaseRecord
from opwright.records.verdict import Finding, Outcome, errored, failed
from opwright.worker import Ended

# Each hang takes the whole time limit of a case, each crash a new process and the time to write down a
# stack. So many in one check are enough to mend the operator by.
MOST_ENDS = {
    "hang": 3,
    "crash": 20,
    "exit": 20,
    "excessive memory": 5,
    "end of the reference": 3,  # no finding: there is nothing of the operator's to find
}

_REFERENCE = "the reference, and not the operator,"
_KINDS = {
    "crashed": "crash",
    "exited": "exit",
    "hung": "hang",
    "memory": "excessive memory",
    "raised": "exception",
    "unreadable": "unreadable answer",
}


def ended_outcome(ended: Ended) -> Outcome:
    """What the operator did to its process is a finding on the case that it was running.

    What the reference did is none, if the operator had not been called before.
    """
    if ended.in_reference and not ended.operator_ran:
        log("check.reference_ended", ended.message, outcome=ended.kind)
        return errored(f"{_REFERENCE} {ended.message}")
    message = ended.message
    if ended.in_reference:
        message += " (in the reference, which goes well where the operator was not called before)"
    details = {"signal": ended.signal, "exit_code": ended.exit_code, "stack": ended.stack[-2000:]}
    log("check.ended", ended.message, outcome=ended.kind)
    return failed(Finding(_KINDS[ended.kind], message, {**details, "stderr": ended.stderr[-2000:]}))


def ends_of(outcome: Outcome) -> list[str]:
    """What counts against `MOST_ENDS`."""
    if outcome.verdict == "error" and outcome.reason.startswith(_REFERENCE):
        return ["end of the reference"]
    return [finding.kind for finding in outcome.findings]


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
