"""Run the operator on a call and judge what came out against reference and oracle."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from opwright.checks.judging.second_look import second_look
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call, reference_results, results_of
from opwright.judge import Comparison, Standard, judge, set_standards
from opwright.records.verdict import Finding
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sizing import known_values
from opwright.spec.tolerance import Tolerance


@dataclass(frozen=True)
class Expected:
    """What a call has to give: the standards of each output, and the outputs' names.

    ``second_look`` gives looser ones where these follow from a reference that is right by luck.
    """

    standards: tuple[Standard, ...]
    names: tuple[str, ...]
    second_look: Callable[[], tuple[Standard, ...]]


def expect(spec: OperatorSpec, case: Case, call: Call) -> Expected:
    """Run reference and oracle. Raises `ReferenceFailed`, and `SpecError` for an impossible tolerance."""
    length = reduction_length(spec, case)
    standards = set_standards(
        reference_results(spec, call, wide=False),
        reference_results(spec, call, wide=True),
        tolerance_of(spec, case),
        reduction_length=length,
    )
    own = call.cloned()  # the operator may write to the call itself
    again = functools.partial(second_look, own, standards, reduction_length=length)
    return Expected(standards, output_names(spec, call), again)


def run_operator(subject: Subject, call: Call, *, grad_mode: bool = False) -> list[torch.Tensor]:
    """Everything that the operator computes for ``call``; written arguments are changed in place.

    With ``grad_mode`` autograd is on, as in most programs, and no tensor asks for a gradient.
    """
    operator_runs()
    with torch.set_grad_enabled(grad_mode):
        return results_of(subject.spec, subject.call, call)


def judge_call(
    expected: Expected, results: Sequence[torch.Tensor], call: Call, *, strides: bool = False
) -> Comparison:
    """The judgement of what the operator computed.

    With ``strides`` fresh outputs have to be dense, which is what the fake kernel promises compilers.
    """

    def judged(standards: Sequence[Standard]) -> Comparison:
        return judge(results, standards, names=expected.names, inputs=call.tensors, strides=dense)

    fresh = len(expected.standards) - len(call.written)
    dense = [_dense_strides(one.reference.shape) for one in expected.standards[:fresh] if strides]
    first = judged(expected.standards)
    if all(reason.kind != "accuracy" for reason in first.reasons):
        return first
    second = judged(expected.second_look())
    note = "held to what the reference gives for inputs one ULP away: here it is right by luck"
    return replace(second, notes=(*second.notes, note)) if second.passed else second


def _dense_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        math.prod(max(size, 1) for size in sizes[place + 1 :]) for place in range(len(sizes))
    )


def findings_of(comparison: Comparison) -> tuple[Finding, ...]:
    """The judge's reasons as findings."""
    return tuple(
        Finding(_KINDS[reason.kind], reason.message, _details(reason))
        for reason in comparison.reasons
    )


def same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors hold the same values, bit by bit; NaN is equal to itself, 0.0 not to -0.0."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    dense = (
        t.detach().flatten().clone(memory_format=torch.contiguous_format) for t in (one, other)
    )
    return torch.equal(*(tensor.view(torch.uint8) for tensor in dense))


def reduction_length(spec: OperatorSpec, case: Case) -> int:
    """How many terms the longest sum behind an output element has in this case."""
    if spec.reduction is None:
        return 1
    known = known_values(case.sizes, case.scalars)
    return max(1, int(spec.reduction.evaluate(known) or 1))


def output_names(spec: OperatorSpec, call: Call) -> tuple[str, ...]:
    """Names of all results: fresh returns, then written arguments."""
    return (*(item.name for item in spec.schema.fresh_returns), *call.written)


_KINDS = {
    "outputs": "wrong number of outputs",
    "shape": "wrong shape",
    "dtype": "wrong dtype",
    "device": "wrong device",
    "layout": "wrong layout",
    "strides": "wrong strides",
    "nan": "NaN mismatch",
    "infinity": "infinity mismatch",
    "accuracy": "inaccurate",
    "value": "wrong value",
    "tolerance": "tolerance too tight",
}


def _details(reason: Any) -> dict[str, Any]:
    details: dict[str, Any] = {"output": reason.output, "count": reason.count}
    if reason.index is not None:
        details["index"] = list(reason.index)
    return details


def tolerance_of(spec: OperatorSpec, case: Case) -> Tolerance | None:
    """What the description allows at the case's dtype; None for the default rule."""
    dtype = case.dtypes.get("T", "")
    return spec.tolerance.get(dtype) or spec.tolerance.get("*")
