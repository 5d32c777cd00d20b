"""What the end of its process says of a case, and how many such ends one check may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from opwright.log import log
from opwright.records.run import CaseRecord
from opwright.records.verdict import Finding, Outcome, failed
from opwright.worker import Ended

# Each hang takes the whole time limit of a case, each crash a new process and the time to write down a
# stack. So many in one check are enough to mend the operator by.
MOST_ENDS = {"hang": 3, "crash": 20, "exit": 20, "excessive memory": 5}

_KINDS = {
    "crashed": "crash",
    "exited": "exit",
    "hung": "hang",
    "memory": "excessive memory",
    "raised": "exception",
    "unreadable": "unreadable answer",
}


def ended_outcome(ended: Ended) -> Outcome:
    """What the operator did to its process is a finding on the case that it was running."""
    details = {"signal": ended.signal, "exit_code": ended.exit_code, "stack": ended.stack[-2000:]}
    log("check.ended", ended.message, outcome=ended.kind)
    return failed(
        Finding(_KINDS[ended.kind], ended.message, {**details, "stderr": ended.stderr[-2000:]})
    )


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
