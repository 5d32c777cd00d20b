"""Single special values among normal ones: they may spread, and have to spread as they should."""

from __future__ import annotations

import math
from typing import Any

import torch

from opwright.checks.judging.outputs import findings_of, output_names, run_operator
from opwright.checks.protocol import Subject
from opwright.checks.special.others import largest_asked, with_others
from opwright.inputs.call import Call, make_call, reference_results
from opwright.inputs.special import SPRINKLED, sprinkled
from opwright.judge import judge, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec


def sprinkled_case(case: Case, subject: Subject) -> Outcome:
    """One special value at a time among normal ones: it may spread, and has to spread as it should."""
    name, spec = case.extra["argument"], subject.spec
    call = with_others(make_call(spec, case), case)
    dtype = call.arguments[name].dtype
    labels = [n for n in SPRINKLED if _is_meant(spec, name, sprinkled(n, dtype))]
    if math.isfinite(most := largest_asked(spec)):
        labels = [label for label in labels if abs(sprinkled(label, dtype)) <= most]
    if not labels:
        return not_checked(f"all special values are outside the declared range of `{name}`")
    findings = []
    for label in labels:
        filled = call.arguments[name].clone()
        places = torch.arange(0, filled.numel(), max(2, filled.numel() // 3))
        filled.view(-1)[places] = sprinkled(label, dtype)
        changed = Call(spec, {**call.arguments, name: filled})
        parts = _outputs_only(subject, changed)
        comparison = judge(
            parts[2], parts[1], names=output_names(spec, call), inputs=changed.tensors
        )
        findings += [
            Finding(f.kind, f"with {label} in `{name}`: {f.message}", {**f.details, "value": label})
            for f in findings_of(comparison)
            if f.kind in ("NaN mismatch", "infinity mismatch") and not _both_lose(parts, f)
        ]
    return failed(*findings) if findings else passed({"values": len(labels)})


def _is_meant(spec: OperatorSpec, name: str, value: float) -> bool:
    bounds = spec.inputs[name].range
    return bounds is None or bounds[0] <= value <= bounds[1]


def _outputs_only(subject: Subject, call: Call) -> tuple[Any, Any, list[torch.Tensor]]:
    reference = reference_results(subject.spec, call, wide=False)
    oracle = reference_results(subject.spec, call, wide=True)
    return reference, set_standards(reference, oracle), run_operator(subject, call.cloned())


def _both_lose(parts: tuple[Any, Any, list[torch.Tensor]], finding: Finding) -> bool:
    """Whether the reference has a special value there, and the oracle none: another one is no worse."""
    reference, standards, _ = parts
    number, index = finding.details["output"], tuple(finding.details["index"])
    exact = standards[number].oracle.reshape(reference[number].shape)
    return not bool(reference[number][index].isfinite()) and bool(exact[index].isfinite())
