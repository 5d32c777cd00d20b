"""Every value of a half type, and a stratified sweep of longer ones, judged by region of the input."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch

from opwright.checks.judging.outputs import findings_of, output_names, run_operator, tolerance_of
from opwright.checks.protocol import Subject
from opwright.checks.special.others import largest_asked, with_others
from opwright.checks.special.regions import by_region, joined
from opwright.inputs.call import Call, make_call, reference_results
from opwright.inputs.special import form_of, sweep
from opwright.judge import judge, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_MAX_CALLS = 64
# What a float64 reference may lose itself where it cancels, in eps of the largest number about.
_ORACLE_EPS = 64.0


def swept_case(case: Case, subject: Subject) -> Outcome:
    """All values through the operator, as many calls as that takes; judged in one go."""
    name = case.extra["argument"]
    call = with_others(make_call(subject.spec, case), case)
    values = sweep(call.arguments[name].dtype)
    if math.isfinite(most := largest_asked(subject.spec)):
        values = values[values.double().abs() <= most]  # a half type has no number so large
    count = call.arguments[name].numel()
    if -(-values.numel() // count) > _MAX_CALLS:
        return not_checked(
            f"{values.numel():,} values do not fit {_MAX_CALLS} calls of these sizes"
        )
    parts = []
    for start in range(0, values.numel(), count):
        chosen = torch.arange(start, start + count) % values.numel()
        filled = values[chosen].view(call.arguments[name].shape)
        parts.append(_outputs(subject, Call(call.spec, {**call.arguments, name: filled}), name))
    what = f"every {values.dtype} value" if _is_half(values) else ""
    return _judged(case, subject, joined(parts, values.numel()), what)


def _outputs(subject: Subject, call: Call, name: str) -> Mapping[str, list[torch.Tensor]]:
    """Flat results of operator, reference and oracle, and the swept values that belong to each."""
    reference = reference_results(subject.spec, call, wide=False)
    oracle = reference_results(subject.spec, call, wide=True)
    results = run_operator(subject, call.cloned())
    swept = [call.arguments[name].expand(tensor.shape) for tensor in reference]
    return {"results": results, "reference": reference, "oracle": oracle, "swept": swept}


def _judged(
    case: Case, subject: Subject, parts: Mapping[str, list[torch.Tensor]], what: str
) -> Outcome:
    """Inside the declared range everything counts; outside, whether NaN and infinities agree is noted."""
    spec, name = subject.spec, case.extra["argument"]
    names = output_names(spec, make_call(spec, case))
    findings: list[Finding] = []
    figures: dict[str, Any] = {}
    notes: list[str] = []
    for number, output in enumerate(names):
        result, reference, oracle, swept = (tensors[number] for tensors in parts.values())
        if not result.dtype.is_floating_point or result.shape != reference.shape:
            continue  # exact outputs, and wrong shapes, are for numerics
        inside = _inside(spec, name, swept)
        if result.dtype == torch.float64:
            result = _forgiven(result, oracle, swept)
        chosen = [tensor[inside] for tensor in (reference, oracle, result)]
        standards = set_standards([chosen[0]], [chosen[1]], tolerance_of(spec, case))
        comparison = judge([chosen[2]], standards, names=(output,), inputs={name: swept[inside]})
        table = by_region(chosen[2], standards[0], swept[inside])
        findings += [
            _said(finding, what, table, swept[inside]) for finding in findings_of(comparison)
        ]
        # Not as one figure for all: the largest error is that of the least important region.
        figures[output] = table
        notes += comparison.notes
        strays = _class_mismatches(result[~inside], reference[~inside])
        if strays:
            notes.append(
                f"{output}: outside the declared range of `{name}`, NaN or infinity at {strays}"
            )
    if not figures:
        return not_checked("no output has a floating-point dtype")
    if findings:
        return failed(*findings, figures={"regions": figures})
    return passed({"regions": figures}, tuple(notes))


def _said(finding: Finding, what: str, table: Mapping[str, Any], swept: torch.Tensor) -> Finding:
    bad = [region for region, figures in table.items() if figures["wrong"]]
    counts = ", ".join(f"{region} {table[region]['wrong']}" for region in bad)
    told = f"; wrong by region of the input: {counts}" if bad else ""
    over = f"over {what}: " if what else ""
    details = {**finding.details, "regions": table}
    if "index" in finding.details:
        details["input_value"] = str(swept[finding.details["index"][0]].item())
    return Finding(finding.kind, f"{over}{finding.message}{told}", details)


def _forgiven(result: torch.Tensor, oracle: torch.Tensor, swept: torch.Tensor) -> torch.Tensor:
    """A float64 result, the oracle's where the oracle itself need not be nearer to the truth."""
    scale = torch.maximum(swept.to(torch.float64).abs(), oracle.abs())
    close = (result - oracle).abs() <= _ORACLE_EPS * torch.finfo(torch.float64).eps * scale
    return torch.where(close, oracle, result)


def _class_mismatches(result: torch.Tensor, reference: torch.Tensor) -> int:
    return int(
        ((result.isnan() != reference.isnan()) | (result.isinf() != reference.isinf())).sum()
    )


def _inside(spec: OperatorSpec, name: str, swept: torch.Tensor) -> torch.Tensor:
    bounds = spec.inputs[name].range
    if bounds is None:
        return torch.ones_like(swept, dtype=torch.bool)
    return (swept >= bounds[0]) & (swept <= bounds[1])


def _is_half(values: torch.Tensor) -> bool:
    return form_of(values.dtype).mantissa_bits < 16
