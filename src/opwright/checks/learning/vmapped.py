"""`torch.vmap` of a call, beside a loop over the samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from opwright.checks.judging.outputs import (
    output_names,
    reduction_length,
    same_bits,
    tolerance_of,
)
from opwright.checks.learning.batch import Batch, Function, batch_of, stacked
from opwright.checks.learning.refusing import refusal
from opwright.inputs.call import reference_results
from opwright.judge import judge, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_OUTER = 2  # how often a batch is there in a nested one


def vmapped(
    case: Case, spec: OperatorSpec, function: Function, device: torch.device, *, promised: bool
) -> Outcome:
    """Judge one way to map ``function`` on a device; where vmap is ``promised``, no refusal passes."""
    how, count = case.extra, case.extra["batch"]
    samples = max(count, 1) * (_OUTER if how["nested"] else 1)
    batch = batch_of(spec, case, how["in_dims"], samples)
    there, what = batch.on(device), told(how)
    try:
        right = [tensor.cpu() for tensor in there.looped(function)]
    except Exception as error:
        return not_checked(f"the loop over the samples raises: {type(error).__name__}: {error}")
    operator_runs()
    try:
        with torch.no_grad():
            found = [tensor.cpu() for tensor in _mapped(there, function, how)]
    except Exception as error:
        return refusal(spec, error, what, declared=_declared(batch, count) if promised else "")
    if shared := [name for name in batch.samples[0].written if name not in batch.dims]:
        return failed(_written_by_all(shared[0], what))
    if count == 0:
        right = [tensor[:0] for tensor in right]
    if len(found) == len(right) and all(map(same_bits, found, right)):
        return passed()
    return _judged(case, batch, found, right, what)


def told(how: dict[str, Any]) -> str:
    """The transform in words."""
    dims = ", ".join(f"{name}: {dim}" for name, dim in how["in_dims"].items())
    nested = "torch.vmap in torch.vmap" if how["nested"] else "torch.vmap"
    return f"{nested} over {how['batch']} samples (in_dims {dims}; out_dims {how['out_dim']})"


def _mapped(batch: Batch, function: Function, how: dict[str, Any]) -> list[torch.Tensor]:
    """The results, with the samples in front."""
    mapped: Function = torch.vmap(
        batch.on_tensors(function), batch.in_dims, how["out_dim"], randomness=how["randomness"]
    )
    given = batch.stacked()
    if how["batch"] == 0:
        given = [
            tensor if dim is None else tensor.narrow(dim, 0, 0)
            for tensor, dim in zip(given, batch.in_dims, strict=True)
        ]
    if not how["nested"]:
        return [result.movedim(how["out_dim"], 0) for result in mapped(*given)]
    outer = tuple(None if dim is None else 0 for dim in batch.in_dims)
    split = [
        tensor if dim is None else _split(tensor, dim, how["batch"])
        for tensor, dim in zip(given, batch.in_dims, strict=True)
    ]
    results = torch.vmap(mapped, outer, randomness=how["randomness"])(*split)
    # The inner dimension is where out_dim has put it among those of a sample.
    place = how["out_dim"] + 1 if how["out_dim"] >= 0 else how["out_dim"]
    return [result.movedim(place, 1).flatten(0, 1) for result in results]


def _split(tensor: torch.Tensor, dim: int, count: int) -> torch.Tensor:
    """Several batches in one dimension, as a dimension of batches in front and one of samples in its place."""
    outer = dim if dim >= 0 else dim - 1
    return torch.movedim(tensor.unflatten(dim, (_OUTER, count)), outer, 0)


def _judged(
    case: Case,
    batch: Batch,
    found: Sequence[torch.Tensor],
    right: Sequence[torch.Tensor],
    what: str,
) -> Outcome:
    spec = batch.spec
    references, oracles = (
        stacked([reference_results(spec, call, wide=wide) for call in batch.samples])
        for wide in (False, True)
    )
    if case.extra["batch"] == 0:
        references, oracles = [one[:0] for one in references], [one[:0] for one in oracles]
    length = reduction_length(spec, case)
    standards = set_standards(
        references, oracles, tolerance_of(spec, case), reduction_length=length
    )
    names = output_names(spec, batch.samples[0])
    comparison = judge(found, standards, names=names)
    if comparison.passed:
        return passed(comparison.to_json()["figures"], comparison.notes)
    if not judge(right, standards, names=names).passed:
        return not_checked("the loop over the samples is wrong as well: other checks tell why")
    return failed(
        Finding(
            "vmap differs",
            f"{what} gives silently what a loop over the samples does not: "
            f"{comparison.reasons[0].message}",
            {"output": comparison.reasons[0].output},
        )
    )


def _declared(batch: Batch, count: int) -> str:
    """What promises this way to map.

    Nothing does for no samples of what has no such `Shape`, nor where all write into one tensor.
    """
    shape = batch.spec.vmap
    if any(name not in batch.dims for name in batch.samples[0].written):
        return ""
    if shape is None or (count == 0 and not all(_has(batch.spec, n, shape) for n in batch.dims)):
        return ""
    return f"vmap={shape}"


def _has(spec: OperatorSpec, name: str, shape: str) -> bool:
    described = spec.inputs[name].shape
    return described is not None and described.name == shape


def _written_by_all(name: str, what: str) -> Finding:
    return Finding(
        "written by each sample",
        f"{what}: all samples write into `{name}`, which has no dimension for them, and the last one "
        "silently wins; refuse that",
        {"argument": name},
    )
