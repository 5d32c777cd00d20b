"""What to do about a finding, by its kind, where the finding's own message does not end in that."""

from __future__ import annotations

ADVICE = {
    "crash": "Look at the index arithmetic for these sizes; the native stack is in the record (--json FILE).",
    "exit": "An operator may not end the process: throw opwright::KernelError, or raise.",
    "hang": "Look for a loop or a wait whose end depends on these sizes.",
    "excessive memory": "Look for an allocation that grows with these sizes, or that nothing frees.",
    "exception": "Make the implementation take what the description allows, or describe less.",
    "unreadable answer": "Look for writes outside the operator's own memory.",
    "wrong number of outputs": "Return what the schema says.",
    "wrong shape": "Compare `outputs` of the description with what the reference returns.",
    "wrong dtype": "Compare the outputs' dtypes in the description with what the reference returns.",
    "wrong device": "Allocate outputs on the inputs' device.",
    "wrong layout": "Allocate outputs dense, as the reference does.",
    "wrong strides": "Return dense (contiguous) outputs: that is what torch.compile is told to expect.",
    "NaN mismatch": "Look for 0/0, inf - inf and comparisons that lose a NaN; the reference decides.",
    "infinity mismatch": "Look for an intermediate that overflows, such as exp of a large value.",
    "inaccurate": "Compute in opwright::compute_t<T> and round once at the end. If so much error is "
    "meant, declare `tolerance`.",
    "wrong value": "This dtype is exact: look for overflow, rounding and the wrong index.",
    "tolerance too tight": "The operator is as good as its reference: allow more in `tolerance`, or "
    "leave it out.",
    "out of bounds read": "Look at the index arithmetic, and at vector loads at the end of a row.",
    "out of bounds write": "Look at the index arithmetic, and at vector stores at the end of a row.",
    "output not written": "Look at the tail: the last partial block, and sizes that no vector width "
    "divides.",
    "stale output": "Look for a cache whose key leaves out the values.",
    "depends on earlier calls": "Look for state that a call leaves behind, and for memory that is read "
    "before it is written.",
    "depends on the number of threads": "Look at how the work is divided, and at what is left over.",
    "fails beside other threads": "Guard what calls share, or let each have its own.",
    "order dependence": "Let threads that share data wait for each other: a barrier within a block, and "
    "between blocks atomics or a second launch.",
    "sanitizer": "Look at this line; the whole report is in the record (--json FILE).",
    "refuses an allowed layout": "Take this layout, or describe the one that is taken with `layout`.",
    "wrong on a layout": "Read the strides, or declare layout='copy' (dense copies come in) or "
    "layout='contiguous' (anything else is refused).",
}


def advice(kind: str) -> str:
    """What to do next about a finding of ``kind``; empty where its message says that itself."""
    return ADVICE.get(kind, "")
