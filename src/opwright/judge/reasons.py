"""What is said about elements that are wrong: how many, where, what came, what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from opwright.judge.figures import Errors
from opwright.judge.standard import Standard
from opwright.judge.ulp import rounds_to_infinity, ulp_size
from opwright.judge.verdict import Reason

_SHOWN_INPUTS = 4
_NO_ROUNDING = 1 / 16  # of a value: 16 times what bfloat16 rounds


@dataclass(frozen=True, eq=False)
class Judged:
    """One output under judgement: its flat values, its place and name among the outputs."""

    values: torch.Tensor
    standard: Standard
    position: int
    name: str
    inputs: Mapping[str, torch.Tensor]

    def reason(self, kind: str, text: str, count: int, flat: int) -> Reason:
        """A reason about ``count`` elements with the one at ``flat`` as example."""
        index = _index(self.standard.reference.shape, flat)
        return Reason(kind, f"{self.name}: {text}", self.position, count, index)

    def place(self, flat: int) -> str:
        """Index, value, expected value and the inputs that belong to an element."""
        shape = self.standard.reference.shape
        index = _index(shape, flat)
        got, expected = self.values[flat].item(), self.standard.oracle[flat].item()
        text = f"{list(index)}: got {_number(got)}, expected {_number(expected)}"
        there = _inputs_there(self.inputs, shape, index)
        return f"{text} (inputs there: {there})" if there else text


def exact_reasons(judged: Judged, misses: torch.Tensor) -> list[Reason]:
    """At most one reason: values of an exact dtype that differ."""
    wrong = misses.nonzero().reshape(-1)
    if not wrong.numel():
        return []
    count, first = wrong.numel(), int(wrong[0])
    text = f"{count} of {misses.numel()} values differ; first at {judged.place(first)}"
    return [judged.reason("value", text, count, first)]


class Faults:
    """The elements beyond their limits: their flat places and their errors, gathered by chunk."""

    def __init__(self) -> None:
        self.where: list[torch.Tensor] = []
        self.errors: list[torch.Tensor] = []

    def add(self, error: torch.Tensor, limit: torch.Tensor, start: int) -> None:
        """Gather from a chunk that starts at ``start``."""
        beyond = error > limit
        if bool(beyond.any()):
            self.where.append(beyond.nonzero().reshape(-1) + start)
            self.errors.append(error[beyond])

    @property
    def count(self) -> int:
        """How many elements."""
        return sum(part.numel() for part in self.where)

    @property
    def wrong_special_values(self) -> int:
        """How many of them are NaN, infinite or finite where they should not be."""
        return sum(int(part.isinf().sum()) for part in self.errors)


def element_reasons(judged: Judged, faults: Faults) -> list[Reason]:
    """Special values that disagree, by kind; then errors beyond the limit."""
    where, error, total = torch.cat(faults.where), torch.cat(faults.errors), judged.values.numel()
    rest = torch.ones_like(where, dtype=torch.bool)
    reasons = []
    for kind, text, mask in _special_values(judged, where):
        chosen = where[mask & rest]
        rest &= ~mask
        if chosen.numel():
            count, first = chosen.numel(), int(chosen[0])
            where_at = f"at {count} of {total} elements; first at {judged.place(first)}"
            reasons.append(judged.reason(kind, f"{text} {where_at}", count, first))
    if bool(rest.any()):
        reasons.append(_beyond_limit(judged, error[rest], where[rest]))
    return reasons


def mean_reason(judged: Judged, errors: Errors) -> Reason:
    """Errors that are allowed one by one, and together show a lower precision."""
    reference = judged.standard.reference_errors
    text = (
        f"errors are {errors.mean_limits:.3g} of their limits on average, the reference's "
        f"{reference.mean_limits:.3g} ({errors.mean_ulp:.3g} and {reference.mean_ulp:.3g} ULP): "
        "a constant error, or a lower precision somewhere"
    )
    return Reason("accuracy", f"{judged.name}: {text}", judged.position, judged.values.numel())


def _special_values(judged: Judged, where: torch.Tensor) -> list[tuple[str, str, torch.Tensor]]:
    form, oracle = judged.standard.form, judged.standard.oracle[where]
    values = judged.values[where]
    assert form is not None
    if oracle.is_complex():
        overflows = rounds_to_infinity(torch.view_as_real(oracle), form).any(-1)
    else:
        overflows = rounds_to_infinity(oracle, form)
    nan, expected_nan, infinite = values.isnan(), oracle.isnan(), values.isinf()
    return [
        ("nan", "NaN where a number is expected", nan & ~expected_nan),
        ("nan", "a number where NaN is expected", ~nan & expected_nan),
        ("infinity", "infinity where a finite number is expected", infinite & ~overflows),
        ("infinity", "an infinity of the wrong sign", infinite & overflows),
        ("infinity", "a finite number where infinity is expected", ~infinite & overflows),
    ]


def _mean_size(standard: Standard) -> float:
    """The mean of the finite values' sizes: beside it a value near zero is none."""
    sizes = standard.oracle.abs()
    finite = sizes[sizes.isfinite()]
    return float(finite.mean()) if finite.numel() else 0.0


def _beyond_limit(judged: Judged, error: torch.Tensor, where: torch.Tensor) -> Reason:
    standard = judged.standard
    assert standard.form is not None
    chosen = int((error / standard.limit[where]).argmax())
    worst, size = int(where[chosen]), float(error[chosen])
    ulp = size / float(ulp_size(standard.oracle[worst : worst + 1], standard.form))
    times = size / float(standard.rule.yardstick[worst])
    text = (
        f"{where.numel()} of {judged.values.numel()} elements beyond the limit; worst at "
        f"{judged.place(worst)}: off by {size:.3g} ({ulp:.4g} ULP of {standard.form.name}), "
        f"allowed {float(standard.limit[worst]):.3g}; "
        f"{times:.3g}× the reference's error at that magnitude"
    )
    if size > _NO_ROUNDING * float(
        standard.oracle[worst].abs().max().clamp(min=_mean_size(standard))
    ):
        text += ". That is of the value's own size, and no rounding"
    kind = "accuracy"
    if standard.tolerance and not bool((error > standard.rule.limit[where]).any()):
        kind = "tolerance"
        text += f". The operator is as good as its reference: {standard.tolerance} is too tight"
    return judged.reason(kind, text, where.numel(), worst)


def reference_notes(standard: Standard) -> list[str]:
    """Facts about the yardstick that a reader of the verdict should know."""
    notes = []
    if standard.reference_wrong:
        notes.append(
            "the reference itself gives a wrong infinity or NaN at "
            f"{standard.reference_wrong} elements"
        )
    if standard.tolerance and standard.reference_beyond:
        notes.append(
            f"the reference itself is outside {standard.tolerance} at "
            f"{standard.reference_beyond} of {standard.oracle.numel()} elements"
        )
    return notes


def _index(shape: torch.Size, flat: int) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        flat, place = divmod(flat, size)
        index.append(place)
    return tuple(reversed(index))


def _inputs_there(
    inputs: Mapping[str, torch.Tensor], shape: torch.Size, index: tuple[int, ...]
) -> str:
    """The elements of inputs that broadcast to the output's shape."""
    found = []
    for name, tensor in inputs.items():
        try:
            value = tensor.expand(shape)[index].item()
        except RuntimeError:  # another shape: no element of it belongs to this place
            continue
        found.append(f"{name}={_number(value)}")
    return ", ".join(found[:_SHOWN_INPUTS])


def _number(value: complex) -> str:
    return str(value) if isinstance(value, int) else f"{value:.9g}"
