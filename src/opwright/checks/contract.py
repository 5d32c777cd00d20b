"""Contract: what the description does not allow is refused clearly, or done right; never done wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from opwright.checks.judging import expect, findings_of, judge_call, run_operator
from opwright.checks.plan import dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets
from opwright.spec.schema import Argument

_FOREIGN = ("float64", "float32", "bfloat16", "float16", "int64", "int8", "bool", "complex64")


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One violation a case, of each kind that an argument can suffer."""
    scalars = scalar_choices(spec)[0]
    sets = roomy_size_sets(spec, scalars, count=1)
    if not sets:
        return
    for dtypes in dtype_choices(spec)[:1]:
        for argument in spec.schema.arguments:
            for violation, detail in _violations(spec, argument, dtypes):
                name = " ".join(filter(None, (argument.name, violation, str(detail or ""))))
                extra = {"argument": argument.name, "violation": violation, "detail": detail}
                yield Case("contract", name, dtypes, sets[0], scalars, extra=extra)


def _violations(
    spec: OperatorSpec, argument: Argument, dtypes: dict[str, str]
) -> Iterator[tuple[str, Any]]:
    if not argument.is_tensor:
        scalar = spec.scalars.get(argument.name)
        if scalar is not None and argument.type == "str":
            yield "value", "no such choice"
        if scalar is not None and scalar.minimum is not None:
            yield "value", _below(scalar.minimum, argument.type)
        if scalar is not None and scalar.maximum is not None:
            yield "value", scalar.maximum + 1
        return
    tensor = spec.inputs[argument.name]
    name = spec.dtype_of(tensor)
    declared = next((v.dtypes for v in spec.type_variables if v.name == name), (name,))
    shared = sum(spec.dtype_of(t) == name for t in spec.inputs.values()) > 1
    for dtype in _FOREIGN:
        if dtype not in declared or (shared and dtype != dtypes.get(name)):
            yield "dtype", dtype
    yield "rank", "one more"
    if len(tensor.sizes) - (tensor.shape is not None) > 0:
        yield "rank", "one less"
    for position in range(len(tensor.sizes)):
        yield "size", position
    if len(spec.inputs) > 1:
        yield "device", "meta"
    if not argument.optional:
        yield "type", "None"
    if argument.mutated:
        yield "overlap", "expanded"


def run(case: Case, subject: Subject) -> Outcome:
    """Break one argument and call. A refusal passes; an answer has to be the reference's."""
    call = make_call(subject.spec, case)
    broken = _break(case, call)
    if broken is None:
        return not_checked("this violation does not apply to these sizes")
    before = broken.cloned() if case.extra["violation"] != "type" else broken
    try:
        results = run_operator(subject, broken)
    except Exception as error:
        return _refused(case, error)
    return _accepted(case, subject, before, results)


def _refused(case: Case, error: Exception) -> Outcome:
    message = str(error).strip().splitlines()[0] if str(error).strip() else ""
    if not message:
        return failed(
            Finding(
                "refusal says nothing",
                f"{type(error).__name__} without a message for argument `{case.extra['argument']}` "
                f"({case.extra['violation']} {case.extra['detail']})",
                {"argument": case.extra["argument"]},
            )
        )
    named = case.extra["argument"] in message
    return passed({"names_argument": named}, (f"refused: {message}",))


def _accepted(case: Case, subject: Subject, before: Call, results: list[torch.Tensor]) -> Outcome:
    """The call went through: right if the reference takes it too and gives the same."""
    argument, violation = case.extra["argument"], case.extra["violation"]
    what = f"argument `{argument}` ({violation} {case.extra['detail']}) was accepted"
    details = {"argument": argument, "violation": violation}
    if violation in ("device", "overlap", "type", "value"):
        return failed(Finding(f"{violation} not refused", what, details))
    try:
        expected = expect(subject.spec, case, before)
    except ReferenceFailed as error:
        return failed(Finding(f"{violation} not refused", f"{what}; {error.what}", details))
    comparison = judge_call(expected, results, before)
    if comparison.passed:
        return passed(notes=(f"{what}, and the result is right",))
    reasons = "; ".join(finding.message for finding in findings_of(comparison))
    return failed(Finding(f"{violation} not refused", f"{what}, and the result is wrong: {reasons}", details))


def _break(case: Case, call: Call) -> Call | None:
    name, detail = case.extra["argument"], case.extra["detail"]
    broken = _BREAKS[case.extra["violation"]](call.arguments[name], detail, call.spec, name)
    return None if broken is _IMPOSSIBLE else Call(call.spec, {**call.arguments, name: broken})


_IMPOSSIBLE = object()


def _break_dtype(value: torch.Tensor, detail: str, spec: OperatorSpec, name: str) -> Any:
    return value.to(getattr(torch, detail))


def _break_rank(value: torch.Tensor, detail: str, spec: OperatorSpec, name: str) -> Any:
    if detail == "one more":
        # In front of a Shape one more dimension is allowed; behind the last one it never is.
        return value.unsqueeze(-1)
    fixed = len(spec.inputs[name].sizes) - (spec.inputs[name].shape is not None)
    return value.reshape(-1)[:1].reshape((1,) * (fixed - 1)) if value.numel() else _IMPOSSIBLE


def _break_size(value: torch.Tensor, detail: int, spec: OperatorSpec, name: str) -> Any:
    sizes = list(value.shape)
    shape = spec.inputs[name].shape
    position = detail
    if shape is not None and detail > spec.inputs[name].sizes.index(shape):
        position = len(sizes) - (len(spec.inputs[name].sizes) - detail)
    if position >= len(sizes):
        return _IMPOSSIBLE
    sizes[position] += 1
    return torch.ones(sizes, dtype=value.dtype)


def _break_device(value: torch.Tensor, detail: str, spec: OperatorSpec, name: str) -> Any:
    return value.to(detail)


def _break_type(value: Any, detail: str, spec: OperatorSpec, name: str) -> Any:
    return None


def _break_overlap(value: torch.Tensor, detail: str, spec: OperatorSpec, name: str) -> Any:
    if value.dim() == 0 or value.shape[0] < 2:
        return _IMPOSSIBLE
    return value[:1].clone().expand(value.shape)


def _break_value(value: Any, detail: Any, spec: OperatorSpec, name: str) -> Any:
    return detail


_BREAKS: dict[str, Callable[[Any, Any, OperatorSpec, str], Any]] = {
    "dtype": _break_dtype,
    "rank": _break_rank,
    "size": _break_size,
    "device": _break_device,
    "type": _break_type,
    "overlap": _break_overlap,
    "value": _break_value,
}


def _below(minimum: float, kind: str) -> float | int:
    return int(minimum) - 1 if kind == "int" else minimum - 1.0


CHECK = Check(
    "contract",
    "what the description does not allow is refused with a message, or computed right",
    cases,
    run,
)
