"""Batch invariance: a row alone gives what it gives in company, bit by bit, where the reference does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from opwright.checks.judging.outputs import output_names, run_operator, same_bits
from opwright.checks.judging.programs import Program, arguments_text, beside_reference
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.checks.structure.rows import Rows, rows_of, take_rows
from opwright.inputs.call import Call, make_call, reference_results
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import MAX_ELEMENTS, Sizes, allowed, size_sets

_SIZES = 4
Results = Callable[[Call], list[torch.Tensor]]


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A few sizes with several rows, every dtype; nothing where no leading size is shared."""
    if not rows_of(spec):
        return
    scalars = scalar_choices(spec)[0]
    sets = [
        sizes for sizes in size_sets(spec, scalars, count=24) if _has_rows(spec, sizes, scalars)
    ]
    for seed, sizes in enumerate(sets[:_SIZES]):
        for dtypes in dtype_choices(spec):
            yield Case(
                "batch_invariance", case_name(sizes, dtypes), dtypes, sizes, scalars, seed=seed
            )


def run(case: Case, subject: Subject) -> Outcome:
    """Call with all rows, then with single ones, and compare bits; the reference says if that is fair."""
    spec = subject.spec
    rows = rows_of(spec)
    assert rows is not None, "the plan leaves out what has no rows"
    call = make_call(spec, case)

    def reference(of: Call) -> list[torch.Tensor]:
        return reference_results(spec, of, wide=False)

    def operator(of: Call) -> list[torch.Tensor]:
        return [tensor.clone() for tensor in run_operator(subject, of.cloned())]

    chosen = _chosen(rows.count(call))
    fair = [row for row in chosen if not _differing(rows, reference, call, row)]
    if not fair:
        return not_checked("in the reference too a row depends on the others, or its rounding does")
    for row in fair:
        for output, alone, together in _differing(rows, operator, call, row):
            name = output_names(spec, call)[output]
            return failed(_finding(name, row, rows.count(call), alone, together))
    return passed({"rows": len(fair)})


def _differing(
    rows: Rows, results: Results, call: Call, row: int
) -> list[tuple[int, torch.Tensor, torch.Tensor]]:
    """Outputs in which a row differs when it is alone: number, alone, in company."""
    alone, together = results(take_rows(rows, call, row, row + 1)), results(call)
    pairs = ((one, other[row : row + 1]) for one, other in zip(alone, together, strict=True))
    return [
        (number, one, other)
        for number, (one, other) in enumerate(pairs)
        if not same_bits(one, other)
    ]


def _finding(
    name: str, row: int, count: int, alone: torch.Tensor, together: torch.Tensor
) -> Finding:
    differ = (alone != together) & ~(alone.isnan() & together.isnan())
    places = differ.reshape(-1).nonzero()
    where = int(places[0]) if places.numel() else 0
    got, other = alone.reshape(-1)[where].item(), together.reshape(-1)[where].item()
    return Finding(
        "row depends on its batch",
        f"row {row} of `{name}` is not the same alone and among {count} rows ({max(1, places.numel())} of "
        f"{alone.numel()} elements differ, first {got:.9g} alone and {other:.9g} in company), and the "
        "reference's is. Compute each row the same way, however many there are.",
        {"output": name, "row": row, "rows": count, "count": places.numel()},
    )


def _chosen(count: int) -> list[int]:
    return sorted({0, count // 2, count - 1})


def _has_rows(spec: OperatorSpec, sizes: Sizes, scalars: Mapping[str, Any]) -> bool:
    """Whether there are several rows, and one alone is allowed."""
    rows = rows_of(spec)
    value = sizes.get(rows.size, 0) if rows else 0
    count = (value[0] if value else 0) if isinstance(value, tuple) else value
    if rows is None or count < 2:
        return False
    single = (1, *value[1:]) if isinstance(value, tuple) else 1
    return allowed(spec, {**sizes, rows.size: single}, scalars, MAX_ELEMENTS)


def _program(call: Call, case: Case) -> list[str]:
    rows = rows_of(call.spec)
    if rows is None:
        return beside_reference(call, case)
    inputs = rows.inputs
    alone = arguments_text(call, lambda name: f"{name}[:1]" if name in inputs else name)
    return [
        f"print(operator({alone}))",
        f"print(operator({arguments_text(call)})[:1])  # the same row in company",
    ]


def _why_none(spec: OperatorSpec) -> str:
    if rows_of(spec) is None:
        return "no leading size is the first of every output and of each input that has it"
    return "no declared sizes have several rows of which one alone is allowed too"


CHECK = Check(
    "batch_invariance",
    "a row alone gives the same bits as in a batch, wherever the reference's does",
    cases,
    run,
    why_none=_why_none,
    shrinks=True,
    program=Program(_program),
)
