"""Memory: nothing beside a tensor's own elements is read or written, and nothing after it was freed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import torch

from opwright.checks.judging.outputs import output_names, run_operator
from opwright.checks.judging.programs import Program, in_memory
from opwright.checks.judging.refusals import refused
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets, size_sets
from opwright.watch.guard_pages import Block, guard_tensor
from opwright.watch.guarded_allocator import GuardedAllocator, guarded_allocations
from opwright.watch.page_faults import Access, page_faults

_SIZES = 6
_GAPS = ("step 2", "padded rows")
_SIDES = ("end", "begin")


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A few sizes and every dtype, each with guards right after and right before the tensors."""
    scalars = scalar_choices(spec)[0]
    names = [argument.name for argument in spec.schema.tensors]
    for dtypes in dtype_choices(spec):
        for sizes in size_sets(spec, scalars, count=_SIZES):
            for side in _SIDES:
                name = case_name(sizes, dtypes, None, (), f"guard at {side}")
                yield Case("memory", name, dtypes, sizes, scalars, extra={"side": side})
        for sizes in roomy_size_sets(spec, scalars, count=1):
            for layout in _GAPS:
                name = case_name(sizes, dtypes, None, (), f"{layout}, guard at end")
                laid_out = dict.fromkeys(names, layout)
                yield Case("memory", name, dtypes, sizes, scalars, laid_out, extra={"side": "end"})


def run(case: Case, subject: Subject) -> Outcome:
    """Call with every tensor between guards; a touch of a guard, or a changed byte beside, is a fault."""
    call = make_call(subject.spec, case)
    at_end = case.extra["side"] == "end"
    guarded = {n: guard_tensor(n, t, at_end=at_end) for n, t in call.tensors.items()}
    blocks = [block for _, block in guarded.values() if block is not None]
    placed = Call(subject.spec, {**call.arguments, **{n: t for n, (t, _) in guarded.items()}})
    threads = torch.get_num_threads()
    # A fault on another thread would wait for this one, if the operator holds Python's lock.
    torch.set_num_threads(1)
    try:
        return _watched(subject, placed, blocks, at_end=at_end)
    finally:
        torch.set_num_threads(threads)
        del placed, guarded
        for block in blocks:
            block.release()


def _watched(subject: Subject, call: Call, blocks: list[Block], *, at_end: bool) -> Outcome:
    allocator: GuardedAllocator | None
    results: list[torch.Tensor] = []
    refusal: Exception | None = None
    with (
        guarded_allocations(at_end=at_end) as allocator,
        page_faults(_Growing(blocks, allocator)) as accesses,
    ):
        try:
            results = run_operator(subject, call)
        except Exception as error:
            refusal = error
    own = allocator.blocks if allocator else []
    for block in [*blocks, *own]:
        block.look()
    names = _names(subject.spec, call, results)
    findings = [*_touched(accesses, names), *_changed([*blocks, *own], accesses, names)]
    results.clear()
    if allocator:
        allocator.end()
    if findings:
        return failed(*findings)
    if refusal is not None:
        return _refused(call, refusal)
    notes = () if allocator else ("memory that the operator allocates itself could not be guarded",)
    return passed(notes=notes)


class _Growing:
    """The arguments' blocks and whatever the allocator has by now."""

    def __init__(self, blocks: list[Block], allocator: GuardedAllocator | None) -> None:
        self._blocks, self._allocator = blocks, allocator

    def __iter__(self) -> Iterator[Block]:
        yield from self._blocks
        if self._allocator is not None:
            yield from self._allocator.blocks


def _refused(call: Call, error: Exception) -> Outcome:
    if all(tensor.is_contiguous() for tensor in call.tensors.values()):
        return not_checked(f"the call was refused: {refused(error)}")
    return passed(notes=(f"refused: {refused(error)}",))


def _names(spec: OperatorSpec, call: Call, results: list[torch.Tensor]) -> dict[int, str]:
    """Names of the fresh outputs by the address of their memory."""
    named = zip(output_names(spec, call), results, strict=False)
    return {tensor.untyped_storage().data_ptr(): name for name, tensor in named}


def _called(block: Block, names: Mapping[int, str]) -> str:
    if block.name:
        return f"`{block.name}`"
    known = names.get(block.start)
    return f"`{known}`" if known else f"a temporary tensor of {block.size_bytes:,} bytes"


def _touched(accesses: Iterable[Access], names: Mapping[int, str]) -> Iterator[Finding]:
    """One finding a block and a direction: the first access."""
    seen = set()
    for access in accesses:
        block = access.block
        does = {True: "write", False: "read", None: "access"}[access.wrote]
        if (id(block), does) in seen:
            continue
        seen.add((id(block), does))
        whose = _called(block, names)
        details = {"of": whose.strip("`"), "offset_bytes": access.offset_bytes}
        if access.after_free:
            message = f"{does}s {whose} after its memory was given back. Keep its owner for longer."
            yield Finding("use after free", message, details)
        else:
            where = _where(access.offset_bytes, block)
            yield Finding(f"out of bounds {does}", f"{does}s {where} of {whose}", details)


def _changed(
    blocks: Iterable[Block], accesses: list[Access], names: Mapping[int, str]
) -> Iterator[Finding]:
    known = {id(access.block) for access in accesses if access.wrote}
    for block in blocks:
        if not block.damaged or id(block) in known:
            continue
        first, count = block.damaged[0], len(block.damaged)
        first = next((place for place in block.damaged if place >= 0), first)
        whose = _called(block, names)
        yield Finding(
            "out of bounds write",
            f"writes {_where(first, block)} of {whose}: {count} bytes beside its elements were changed",
            {"of": whose.strip("`"), "offset_bytes": first, "count": count},
        )


def _where(offset_bytes: int, block: Block) -> str:
    if offset_bytes < 0:
        return f"{-offset_bytes} bytes before the start"
    if offset_bytes >= block.size_bytes:
        past = offset_bytes - block.size_bytes
        return f"past the end ({past} bytes after it)" if past else "past the end (right after it)"
    return f"between the elements (byte {offset_bytes} of {block.size_bytes})"


CHECK = Check(
    "memory",
    "nothing beside a tensor's own elements is read or written, and nothing after it was freed",
    cases,
    run,
    shrinks=True,
    program=Program(in_memory),
    not_on_devices="guard pages are memory of the host; device_memory looks at the device's",
)
