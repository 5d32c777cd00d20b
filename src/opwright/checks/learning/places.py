"""What the checks of compilers and transforms have in common: small calls, and the dispatcher's entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch._ops import OpOverload

from opwright.binding.dispatch import dispatcher_op
from opwright.checks.device.placed import placed
from opwright.checks.protocol import Subject
from opwright.inputs.call import Call, make_call
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, roomy_size_sets

_CANDIDATES = 12


def rich_sizes(spec: OperatorSpec, scalars: dict[str, Any], count: int = 1) -> list[Sizes]:
    """Small sets of sizes, those with many dimensions first: they can lie in memory in most ways."""
    sets = roomy_size_sets(spec, scalars, count=_CANDIDATES)
    by_rank = sorted(sets, key=lambda s: -sum(len(v) for v in s.values() if isinstance(v, tuple)))
    return by_rank[:count]


def overload_of(subject: Subject) -> OpOverload | None:
    """The dispatcher's entry that the subject calls; None where it calls something else."""
    found = subject.kernel or subject.call
    return found if isinstance(found, OpOverload) else None


def function_of(subject: Subject) -> Callable[..., Any] | None:
    """The Python function behind the dispatcher's entry, which programs may call; None for a library's kernel."""
    return None if overload_of(subject) is None else dispatcher_op(subject.spec).function


def learns(spec: OperatorSpec) -> bool:
    """Whether an operator gives gradients of something: it has a backward, and a continuous argument."""
    return spec.backward is not None and bool(spec.learning_arguments)


def returns_arguments(spec: OperatorSpec) -> bool:
    """Whether the schema returns an argument itself, which no compiler takes of a custom operator."""
    return any(item.alias is not None for item in spec.schema.returns)


def call_there(case: Case, subject: Subject) -> Call:
    """The call of a case where the operator runs: compilers and opcheck ask the dispatcher's entry itself."""
    call = make_call(subject.spec, case)
    return placed(call, subject.device) if subject.device else call


def recording(call: Call) -> Call:
    """The call, all of whose continuous arguments ask for a gradient."""
    for tensor in call.tensors.values():
        if tensor.is_floating_point() or tensor.is_complex():
            tensor.requires_grad_()
    return call
