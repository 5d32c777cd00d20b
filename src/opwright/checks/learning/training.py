"""Training: 200 steps with the operator go as 200 steps with the reference, as far as those go alike.

A network that is right a call at a time can be wrong over many: a backward that keeps something of the step
before, a result remembered for a parameter that has been changed in place. The losses of one training with the
operator, after every step, are compared with those of several with the reference, and lie within the prediction
interval of those (`spread_of` has the statistics and their source).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from opwright.checks.judging.refusals import refused
from opwright.checks.learning.expected import differentiable
from opwright.checks.learning.network import Network, TooSlow, Training, built, calling, trained
from opwright.checks.learning.places import learns, rich_sizes
from opwright.checks.learning.spread import (
    Spread,
    in_blocks,
    reference,
    spread_of,
    steps_of,
    variants,
)
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_STEPS = 200
_SECONDS = 20.0  # for all trainings of one case; the process is given some more
_BASE, _MOST = 3.0, 14  # rates are powers of it, down to this one
_MIDDLE = -7  # from which the search goes up or down
_WELL = 0.1  # of its first value: the loss that is to be reached, so that all of the way tells something
_SINKS = 0.9  # a loss that sinks to less of its first value has learned something
_PLANTED = 1.2  # gradients that are 20 % too large have to be found


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One small set of sizes in float32 and in one half type; in float64 where there is nothing else."""
    if not learns(spec):
        return
    scalars = scalar_choices(spec)[0]
    usual = [dtypes for dtypes in dtype_choices(spec) if "float64" not in dtypes.values()]
    for sizes in rich_sizes(spec, scalars):
        for dtypes in _first_and_last(usual or list(dtype_choices(spec))):
            name = case_name(sizes, dtypes, scalars, (), f"{_STEPS} steps")
            yield Case("training", name, dtypes, sizes, scalars)


def _first_and_last(choices: list[dict[str, str]]) -> list[dict[str, str]]:
    """Training takes long, and tells of a second half type what it told of the first."""
    return choices[:1] if len(choices) == 1 else [choices[0], choices[-1]]


def run(case: Case, subject: Subject) -> Outcome:
    """Train with references and with the operator, from the same parameters and data."""
    spec = subject.spec
    if subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    if any(argument.mutated for argument in spec.schema.tensors):
        return not_checked(
            "it writes to its arguments, and a network needs what a layer before it made"
        )
    call = make_call(spec, case)
    names = [n for n in differentiable(call) if call.tensors[n].is_floating_point()]
    if not names:
        return not_checked("none of the arguments can be learned, or come from a layer before")
    until = time.monotonic() + _SECONDS
    try:
        network = built(call, names, reference(call, wide=True), case.seed)
        if not network.targets:
            return not_checked("none of the results can have a gradient")
        rate = _rate(network, until)
        if rate is None:
            return not_checked("the reference learns nothing in a small network, at any rate")
        right = [trained(network, one, rate, _STEPS, until=until) for one in variants(call)]
        if not all(one.is_finite for one in right):
            return not_checked("losses with the reference itself become NaN or infinite here")
        return _compared(network, subject, rate, right, until)
    except TooSlow as error:
        return not_checked(f"training takes too long here: {error} in {_SECONDS:g} s")


def _rate(network: Network, until: float) -> float | None:
    """The lowest rate at which the reference in float64 learns well in these steps, never going astray.

    The largest at which it learns at all where none is so good, None where it never learns.
    """
    exact = reference(network.call, wide=True)
    sinks: dict[int, float] = {}
    power = _MIDDLE
    while -_MOST <= power <= 0 and power not in sinks:
        losses = trained(network, exact, _BASE**power, _STEPS, until=until).losses
        if losses[0] == 0:
            return None  # what the teacher gives hangs on no parameter
        astray = not math.isfinite(losses[-1]) or max(losses) > losses[0] * 1.02
        sinks[power] = math.inf if astray else losses[-1] / losses[0]
        power += -1 if astray or sinks[power] < _WELL else 1
    well = [power for power, left in sinks.items() if left < _WELL]
    chosen = min(well) if well else min(sinks, key=sinks.__getitem__)
    return _BASE**chosen if sinks[chosen] < _SINKS else None


def _compared(
    network: Network, subject: Subject, rate: float, right: list[Training], until: float
) -> Outcome:
    spread = spread_of([one.losses for one in right])
    operator_runs()
    try:
        function = calling(network.call, subject.call)
        found = trained(network, function, rate, _STEPS, until=until, busy=True)
    except TooSlow:
        raise
    except Exception as error:
        return failed(Finding("training raises", f"training raises {refused(error)}"))
    if wrong := _unmoved(found, right[0]):
        return failed(wrong)
    if not found.is_finite:
        return failed(_no_number(found, right[0]))
    far, _ = spread.farthest(found.losses)
    if far > 1:
        return failed(_differs(found, spread))
    planted = reference(network.call, wide=True, gradients_times=_PLANTED)
    seen, _ = spread.farthest(trained(network, planted, rate, _STEPS, until=until).losses)
    if seen <= 1:
        return not_checked("not evidence: training with gradients that are 20 % too large passes")
    figures = {"farthest": far, "rate": rate, "first": found.losses[0], "last": found.losses[-1]}
    return passed(figures)


def _unmoved(found: Training, right: Training) -> Finding | None:
    """A parameter that the reference changes, and the operator does not."""
    for name in (n for n in found.still if n not in right.still):
        if name in found.without:
            return Finding(
                "no gradient in training",
                f"the parameter `{name}` gets no gradient at all, and with the reference it learns",
                {"parameter": name},
            )
        return Finding(
            "parameter never moves",
            f"after {_STEPS} steps the parameter `{name}` is what it was, and with the reference it learns",
            {"parameter": name},
        )
    return None


def _no_number(found: Training, right: Training) -> Finding:
    step = len(found.losses) - 1
    return Finding(
        "loss is no number",
        f"the loss is {found.losses[-1]} after {step} steps, and with the reference {right.losses[step]:.6g}",
        {"step": step},
    )


def _differs(found: Training, spread: Spread) -> Finding:
    far, block = spread.farthest(found.losses)
    deviations = spread.deviations(found.losses)
    begins, _ = steps_of(next(number for number, one in enumerate(deviations) if one > 1))
    first, last = steps_of(block)
    return Finding(
        "training differs",
        f"training goes another way from about step {begins} on: the mean loss of steps {first} to {last} is "
        f"{in_blocks(found.losses)[block]:.7g}, with the reference {spread.means[block]:.7g}, and trainings "
        f"that differ in rounding alone lie within {spread.limits[block]:.2g} of that",
        {"begins": begins, "steps": [first, last], "limits": far, "last": found.losses[-1]},
    )


def _why_none(spec: OperatorSpec) -> str:
    if spec.backward is None:
        return f"{spec.name} has no backward: calls that need gradients are refused"
    if not learns(spec):
        return f"no argument of {spec.name} is of floating-point numbers"
    return no_sizes(spec)


CHECK = Check(
    "training",
    "a small network learns with it as with the reference, loss by loss, as far as rounding allows",
    cases,
    run,
    why_none=_why_none,
    kinds=("cpu", "cuda", "hip"),
    takes_gradients=True,
    compiles=True,
)
