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
    "inaccurate": "Of the value's own size: look for what the formula leaves out (a factor, a sum, another "
    "argument). Of a rounding's size: compute in a wider type (opwright::compute_t<T>) and round once at the "
    "end, or declare `tolerance` where so much is meant.",
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
    "divergent barrier": "Let every thread of the block reach the same barrier, or none: take it out of the "
    "branch or the loop that some leave.",
    "deadlock": "Look for threads that wait for others which have ended or wait elsewhere.",
    "inactive lane read": "Shuffle among lanes that all take part, or leave the branch first.",
    "lane not in its mask": "Name in the mask every lane that reaches the call; a wave may have 64.",
    "race": "Put a barrier between the two accesses, or make them atomic.",
    "uninitialised shared memory": "Write shared memory before it is read, and wait at a barrier in between.",
    "stray access": "Look at the index arithmetic of this line, and at the guard around it.",
    "misaligned access": "Check the pointer's alignment before a vector access, and take a scalar path "
    "otherwise.",
    "undefined behaviour": "Widen the arithmetic of this line: int64_t for sizes and offsets.",
    "too much shared memory": "Use less, or ask for more with cudaFuncSetAttribute where the device has it.",
    "launch error ignored": "Ask cudaGetLastError (hipGetLastError) after each launch, and throw.",
    "wrong stream": "Launch on the stream that the launcher is given: PyTorch's current one.",
    "wrong on replay": "Compute on the device what depends on values, and launch on the current stream.",
    "cannot be captured": "Take waiting, copies to the host and allocations of its own out of the call.",
    "process unusable after a failed capture": "Mend first what fails while capturing.",
    "output on another device": "Allocate outputs on the inputs' device.",
    "current device changed": "Put back the device that was current, whatever happens in between.",
    "device fault": "Run it with --sanitize: the line is named there.",
    "reads what nobody wrote": "Look at the index arithmetic of reads at the end of a row or a block.",
    "device assertion": "Look at the assertion's condition for these sizes.",
    "trap": "Look at the condition that leads to the trap.",
    "not emulated": "Check this operator on a device.",
    "bad address": "Look at the index arithmetic: this address is nobody's.",
    "sanitizer": "Look at this line; the whole report is in the record (--json FILE).",
    "gradient lost": "Return a gradient for it, and detach nothing on the way to the result.",
    "gradient scaled": "Look at constants and means: the shape of the gradient is right.",
    "gradient of another dtype": "Cast each gradient to the dtype of its argument.",
    "backward writes to what it is given": "Write gradients into memory of their own.",
    "gradient depends on create_graph": "Compute gradients alike whether autograd records them or not.",
    "second gradient differs": "Write into nothing that is saved or comes in: a backward may run again.",
    "gradient fails after a change": "Keep tensors with ctx.save_for_backward, which notices and says so.",
    "wrong second derivative": "Make the backward differentiable throughout, or have it raise (once_differentiable).",
    "second derivative lost": "Detach nothing in the backward, or have it raise (once_differentiable).",
    "second derivative fails": "Mend what is declared, or mark the backward once_differentiable: that refuses clearly.",
    "gradcheck fails": "Compare the backward with the derivative of what is computed, term by term.",
    "opcheck fails": "What the utility asks for is in PyTorch's manual of custom operators.",
    "fake call fails": "Let sizes and dtypes follow from the arguments' own: a fake call has no values.",
    "compile fails": "Take out what cannot be traced: .item(), numpy, data pointers, state of Python's.",
    "compiled differs": "Do the same whether traced or not, and keep no state between calls.",
    "graph break": "Take out what the message names, or register it as an operator.",
    "export fails": "Take out what cannot be traced: .item(), numpy, data pointers, state of Python's.",
    "raises under autocast": "Say with `autocast` how arguments are cast, or take mixed dtypes.",
    "vmap differs": "Move the samples' dimension where the rule expects it, and say where it ends up; declare in "
    "`vmap` only a Shape whose elements are computed apart.",
    "tangent differs": "Compare the forward-mode formula with the derivative, term by term, or leave it out.",
    "tangent lost": "Write the forward-mode formula, or raise where a tangent comes in.",
    "gradient differs": "Let no transform change what the backward computes with.",
    "refused though declared": "Take it, or take the declaration back.",
    "refusal names no operator": "Begin the message with the operator's name.",
    "training raises": "Keep nothing of one step that the next one trips over.",
    "no gradient in training": "Return a gradient for it, and detach nothing on the way to the result.",
    "parameter never moves": "Look for gradients that are rounded to zero, or lost on the way.",
    "loss is no number": "Look for what grows from step to step: a scale, a sum, a running mean.",
    "training differs": "Look for what is kept between calls: buffers, counts, weights packed once, and masks "
    "that are drawn again. Tensors change in place: their address and identity stay.",
    "refuses an allowed layout": "Take this layout, or describe the one that is taken with `layout`.",
    "output is not dense": "Give the result memory of its own: `.contiguous()` at the end of a Python function, "
    "an output of the shape alone in C++ (`empty(sizes)`, not `empty_like`).",
    "wrong on a layout": "Read the strides, or declare layout='copy' (dense copies come in) or "
    "layout='contiguous' (anything else is refused).",
}


def advice(kind: str) -> str:
    """What to do next about a finding of ``kind``; empty where its message says that itself."""
    return ADVICE.get(kind, "")
