"""Autocast: results are the reference's for arguments cast as declared, and gradients come back in theirs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call
from opwright.checks.judging.refusals import refused
from opwright.checks.learning.expected import (
    called,
    continuous,
    differentiable,
    gradient_standards,
    incoming_like,
)
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call, results_of
from opwright.judge import judge
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets

_DTYPES = ("bfloat16", "float16")
_MAX_ELEMENTS = 1 << 12


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each of autocast's dtypes with each of the operator's; then the gradients."""
    scalars = scalar_choices(spec)[0]
    for sizes in size_sets(spec, scalars, count=1, max_elements=_MAX_ELEMENTS):
        for dtypes in dtype_choices(spec):
            for lower in _DTYPES:
                for asks in ("results", "gradients")[: 1 if spec.backward is None else 2]:
                    name = case_name(sizes, dtypes, scalars, (), f"autocast {lower} {asks}")
                    extra = {"lower": lower, "asks": asks}
                    yield Case("autocast", name, dtypes, sizes, scalars, extra=extra)


def run(case: Case, subject: Subject) -> Outcome:
    """One call under autocast, or its gradients."""
    call = make_call(subject.spec, case)
    if case.extra["asks"] == "gradients":
        return _gradients(case, subject, call)
    cast = _cast(call, getattr(torch, case.extra["lower"]))
    expected = expect(subject.spec, case, cast)
    operator_runs()
    try:
        with torch.no_grad(), _autocast(case, subject):
            results = results_of(subject.spec, subject.call, call)
    except Exception as error:
        return failed(_refusal(case, error))
    comparison = judge_call(expected, results, cast)
    return failed(*findings_of(comparison)) if not comparison.passed else passed()


def _gradients(case: Case, subject: Subject, call: Call) -> Outcome:
    spec = subject.spec
    if subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    names = differentiable(call)
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in names}
    operator_runs()
    try:
        with torch.enable_grad(), _autocast(case, subject):
            results = continuous(called(spec, subject.call, {**call.arguments, **leaves}))
        if not results or not all(result.requires_grad for result in results):
            return not_checked("a result has no gradient: the check of gradients tells why")
        incoming = incoming_like(results, case.seed)
        found = torch.autograd.grad(
            results, list(leaves.values()), incoming, materialize_grads=True
        )
    except Exception as error:
        return failed(_refusal(case, error))
    wrong = [
        _of_dtype(name, gradient, leaf)
        for (name, leaf), gradient in zip(leaves.items(), found, strict=True)
        if gradient.dtype != leaf.dtype
    ]
    if wrong:
        return failed(*wrong)
    cast = _cast(call, getattr(torch, case.extra["lower"]))
    # A cast's own gradient is rounded to what was cast.
    own = [leaf.dtype for leaf in leaves.values()]
    standards = gradient_standards(cast, case, names, incoming, own)
    comparison = judge(
        found, standards, names=[f"gradient of {name}" for name in names], inputs=cast.tensors
    )
    return failed(*findings_of(comparison)) if not comparison.passed else passed()


def _autocast(case: Case, subject: Subject) -> torch.autocast:
    kind = subject.device.kind if subject.device else "cpu"
    return torch.autocast(kind, dtype=getattr(torch, case.extra["lower"]))


def _cast(call: Call, lower: torch.dtype) -> Call:
    """The arguments as the declared policy casts them: as PyTorch has it, and float64 never."""
    spec = call.spec
    varying = [a.name for a in spec.schema.tensors if spec.dtype_of(spec.inputs[a.name]) == "T"]
    cast = {
        n: v
        for n, v in call.tensors.items()
        if n in varying and v.is_floating_point() and v.dtype != torch.float64
    }
    if spec.autocast is None or not cast:
        return call.cloned()
    widest: torch.dtype = reduce(torch.promote_types, (tensor.dtype for tensor in cast.values()))
    wanted = {"lower": lower, "float32": torch.float32, "widest": widest}[spec.autocast]
    if str(wanted).removeprefix("torch.") not in spec.dtypes:
        return call.cloned()
    arguments: dict[str, Any] = {**call.arguments, **{n: v.to(wanted) for n, v in cast.items()}}
    return Call(spec, arguments).cloned()


def _refusal(case: Case, error: Exception) -> Finding:
    return Finding(
        "raises under autocast",
        f"under autocast to {case.extra['lower']} the call raises {refused(error)}",
        {"exception": type(error).__name__},
    )


def _of_dtype(name: str, gradient: torch.Tensor, leaf: torch.Tensor) -> Finding:
    return Finding(
        "gradient of another dtype",
        f"under autocast the gradient of {name} is {gradient.dtype}, and the argument {leaf.dtype}",
        {"argument": name},
    )


CHECK = Check(
    "autocast",
    "under autocast results and their dtypes are those of arguments cast as declared, and gradients fit",
    cases,
    run,
    kinds=("cpu", "cuda", "hip"),
    takes_gradients=True,
)
