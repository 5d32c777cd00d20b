"""The gradients of one call, judged: by each element, and as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from opwright.checks.judging.outputs import findings_of, same_bits
from opwright.checks.judging.refusals import refused
from opwright.checks.learning.expected import (
    brought_by,
    called,
    continuous,
    gradient_standards,
    incoming_like,
    is_not_zero,
)
from opwright.checks.learning.graphs import gradients_of
from opwright.checks.learning.incoming import formed, telling, with_gradient
from opwright.checks.learning.scale import Scale, scale_of
from opwright.checks.learning.varied import Rough, is_rough, roughly, with_values
from opwright.checks.protocol import Subject
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call
from opwright.judge import Standard, holds, judge
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_PLANTED = 1.01  # a gradient that is 1 % too large has to be found


def judged(case: Case, subject: Subject, call: Call, wanted: Sequence[str]) -> Outcome:
    """Judge the gradients of the ``wanted`` arguments; what nobody lists may be refused."""
    may_refuse = bool(case.extra.get("unlisted") or case.layouts)
    if "values" in case.extra:
        call = with_values(call, case.extra["values"])
    dense = call.cloned()
    try:
        leaves, results = _recorded(case, subject, call, wanted)
    except Exception as error:
        if not may_refuse:
            raise
        return not_checked(f"refused, and nothing lists this: {refused(error)}")
    incoming = _incoming(case, subject.spec, results)
    try:
        standards = gradient_standards(dense, case, wanted, incoming)
    except ReferenceFailed as error:
        if not case.extra.get("unlisted"):
            raise
        return not_checked(f"nobody lists this, and {error.what}")
    rough = roughly(standards) if is_rough(case) else None
    asked = _Asked(subject.spec, tuple(wanted), rough.standards if rough else standards, dense)
    unrecorded = [place for place, result in enumerate(results) if not result.requires_grad]
    if unrecorded and (lost := brought_by(unrecorded, dense, wanted, incoming)):
        return failed(_lost(subject.spec, lost))
    given = [(r, g) for r, g in zip(results, incoming, strict=True) if g is not None]
    watched = {f"gradient that comes in ({i})": g for i, g in enumerate(incoming) if g is not None}
    watched |= {f"argument `{n}`": leaf for n, leaf in zip(wanted, leaves, strict=True)}
    before = {name: tensor.detach().clone() for name, tensor in watched.items()}
    with telling(case.extra["how"], incoming):
        found = gradients_of([r for r, _ in given], leaves, [g for _, g in given])
    if changed := [n for n, tensor in watched.items() if not same_bits(before[n], tensor)]:
        return failed(*map(_of_changed, changed))
    return _compared(asked, found, rough)


def _of_changed(what: str) -> Finding:
    return Finding(
        "backward writes to what it is given",
        f"the backward changes the {what}, which others read as well: compute in memory of its own",
        {"changed": what},
    )


def _recorded(
    case: Case, subject: Subject, call: Call, wanted: Sequence[str]
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The leaves, which lie as the case says, and the continuous results."""
    leaves = {
        name: (call.arguments[name] if name in case.layouts else call.arguments[name].clone())
        .detach()
        .requires_grad_()
        for name in wanted
    }
    arguments = {**call.arguments, **leaves}
    if not case.extra.get("leaves", True):  # what comes from a layer before
        arguments |= {name: leaf.view_as(leaf) for name, leaf in leaves.items()}
    operator_runs()
    with torch.enable_grad():
        results = continuous(called(subject.spec, subject.call, arguments))
    return list(leaves.values()), results


@dataclass(frozen=True)
class _Asked:
    """Whose gradients are asked for, and what they are held to."""

    spec: OperatorSpec
    names: tuple[str, ...]
    standards: tuple[Standard, ...]
    call: Call

    def missing(self, found: Sequence[torch.Tensor | None]) -> list[str]:
        """The arguments that get none, and should."""
        each = zip(self.names, found, self.standards, strict=True)
        return [name for name, one, held in each if one is None and is_not_zero(held)]


def _compared(asked: _Asked, found: Sequence[torch.Tensor | None], rough: Rough | None) -> Outcome:
    if missing := asked.missing(found):
        return failed(_lost(asked.spec, missing))
    gradients = [
        torch.zeros_like(asked.call.arguments[n]) if g is None else g
        for n, g in zip(asked.names, found, strict=True)
    ]
    names = [f"gradient of {name}" for name in asked.names]
    compared = rough.of(gradients) if rough else gradients
    comparison = judge(compared, asked.standards, names=names, inputs=asked.call.tensors)
    if not comparison.passed:
        return failed(*findings_of(comparison), figures=comparison.to_json()["figures"])
    if rough:
        unseen = [name for place, name in enumerate(names) if not rough.is_seen(place)]
        planted = "zeros, or half as much again,"
    else:
        each = list(zip(names, gradients, asked.standards, strict=True))
        scales = {name: scale_of(one, held) for name, one, held in each}
        if wrong := [_scaled(n, scale) for n, scale in scales.items() if scale and scale.is_wrong]:
            return failed(*wrong)
        unseen = [name for name, _, held in each if not _is_seen(held, scales[name])]
        planted = "a planted error of 1 %"
    if unseen:
        return not_checked(f"not evidence: {planted} in the {unseen[0]} passes")
    return passed(comparison.to_json()["figures"], comparison.notes)


def _incoming(
    case: Case, spec: OperatorSpec, results: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """The gradient that comes in for each result, None for the one that is undefined."""
    drawn: list[torch.Tensor | None] = [
        formed(grad, case.extra["how"]) * case.extra["times"]
        if "times" in case.extra
        else formed(grad, case.extra["how"])
        for grad in incoming_like(results, case.seed)
    ]
    if "undefined" in case.extra:
        place = with_gradient(spec, case.dtypes).index(case.extra["undefined"])
        if place < len(drawn):
            drawn[place] = None
    return drawn


def _is_seen(standard: Standard, scale: Scale | None) -> bool:
    """Whether the planted error fails; where the gradient is zero there is none to plant."""
    if not is_not_zero(standard) or (scale is not None and scale.telling < _PLANTED - 1):
        return True
    wrong = (standard.oracle * _PLANTED).to(standard.reference.dtype)
    return not holds([wrong.reshape(standard.reference.shape)], [standard])


def _scaled(name: str, scale: Scale) -> Finding:
    return Finding(
        "gradient scaled",
        f"the {name} is {scale.found:.4g} times the right one as a whole: a factor is missing or doubled",
        {"scale": scale.found, "telling": scale.telling},
    )


def _lost(spec: OperatorSpec, names: Sequence[str]) -> Finding:
    listed = " and ".join(f"`{name}`" for name in names)
    return Finding(
        "gradient lost",
        f"the gradient of {listed} is lost silently: the reference has one that is not zero, and what "
        f"{spec.name} returns does not lead back to it",
        {"arguments": list(names)},
    )
