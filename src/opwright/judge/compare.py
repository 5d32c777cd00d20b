"""The judge of numerics: outputs against the oracle, with the reference as yardstick."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from opwright.judge.bias import rounding_bias, told_bias
from opwright.judge.chunks import chunks
from opwright.judge.figures import Tally, joint_figures, mean_is_beyond
from opwright.judge.reasons import (
    Faults,
    Judged,
    element_reasons,
    exact_reasons,
    mean_reason,
    reference_notes,
)
from opwright.judge.standard import Standard, errors_of, exact_misses
from opwright.judge.structure import as_outputs, compare_structure, output_name
from opwright.judge.verdict import Comparison, Reason


def judge(
    actual: Any,
    standards: Sequence[Standard],
    *,
    inputs: Mapping[str, torch.Tensor] | None = None,
    names: Sequence[str] = (),
    device: torch.device | str | None = None,
    strides: Sequence[tuple[int, ...] | None] = (),
) -> Comparison:
    """Judge one call's outputs by standards; `compare_structure` explains ``device`` and ``strides``.

    ``inputs`` are quoted at the places of faults, ``names`` are the outputs' own.
    """
    references = tuple(standard.reference for standard in standards)
    reasons = compare_structure(actual, references, names=names, device=device, strides=strides)
    if any(reason.kind not in {"strides", "device"} for reason in reasons):
        return Comparison(passed=False, reasons=tuple(reasons))
    figures, notes = [], []
    for position, (output, standard) in enumerate(zip(as_outputs(actual), standards, strict=True)):
        values = output.detach().to(standard.oracle.device).reshape(-1)
        name = output_name(position, names)
        judged = Judged(values, standard, position, name, inputs or {})
        found, numbers = _judge_exact(judged) if standard.form is None else _judge_float(judged)
        reasons += found
        figures.append(numbers)
        notes += [f"{name}: {note}" for note in reference_notes(standard)]
    worst = max(figures, key=lambda numbers: numbers["ratio_worst"], default={})
    return Comparison(not reasons, tuple(reasons), worst, tuple(figures), tuple(notes))


def _judge_exact(judged: Judged) -> tuple[list[Reason], dict[str, float]]:
    misses = exact_misses(judged.values, judged.standard)
    wrong = float(misses.sum())
    ratio = math.inf if wrong else 1.0
    numbers = {"elements": float(misses.numel()), "beyond": wrong, "ratio_worst": ratio}
    return exact_reasons(judged, misses), numbers


def _judge_float(judged: Judged) -> tuple[list[Reason], dict[str, float]]:
    standard, count = judged.standard, judged.values.numel()
    assert standard.form is not None
    tally, faults = Tally(count), Faults()
    for part in chunks(judged.values):
        error = errors_of(judged.values[part], standard, part)
        tally.add(error, standard.oracle[part], standard.rule.part(part), standard.form)
        faults.add(error, standard.limit[part], part.start)
    errors = tally.errors()
    reasons = element_reasons(judged, faults) if faults.where else []
    by_mean = standard.tolerance is None and not reasons
    if by_mean and mean_is_beyond(errors.mean_limits, count, standard.reference_errors):
        reasons.append(mean_reason(judged, errors))
    elif by_mean and (lean := _lean(judged)):
        reasons.append(judged.reason("accuracy", lean, count, 0))
    numbers = {
        "elements": float(count),
        "beyond": float(faults.count),
        "wrong_special_values": float(faults.wrong_special_values),
        **joint_figures(errors, standard.reference_errors),
    }
    return reasons, numbers


def _lean(judged: Judged) -> str:
    """What is said of rounding to one side; empty for none."""
    standard = judged.standard
    assert standard.form is not None
    bias = rounding_bias(judged.values, standard.oracle, standard.form)
    reference = rounding_bias(standard.reference_values, standard.oracle, standard.form)
    return told_bias(bias, reference) if bias and reference else ""
