"""What the gradients of a call have to be: the reference's by autograd, at its dtypes and in float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from opwright.checks.judging.outputs import reduction_length, tolerance_of
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call, fresh_results
from opwright.judge import Standard, set_standards
from opwright.running import running_reference
from opwright.spec.backward import GRAD
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec


def differentiable(call: Call) -> list[str]:
    """The tensor arguments of a call that can have a gradient."""
    return [n for n, v in call.tensors.items() if v.is_floating_point() or v.is_complex()]


def incoming_like(results: Sequence[torch.Tensor], seed: int) -> list[torch.Tensor]:
    """A gradient for each result that can have one, drawn in float64 and rounded to its dtype, where it is."""
    generator = torch.Generator().manual_seed(1000 + seed)
    return [
        torch.randn(tensor.shape, dtype=torch.float64, generator=generator).to(tensor)
        for tensor in results
        if tensor.is_floating_point() or tensor.is_complex()
    ]


@contextmanager
def asking_reference(spec: OperatorSpec, what: str) -> Iterator[None]:
    """The reference runs inside the block, recorded; what it or autograd raises becomes `ReferenceFailed`.

    ``what`` it is asked for: its gradient, or its second derivative.
    """
    try:
        with torch.enable_grad(), running_reference():
            yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        raise ReferenceFailed(
            f"{spec.name}: the {what} of the reference raises {type(error).__name__}: {error}",
            hint="Write the reference with operations of PyTorch that have gradients.",
        ) from error


def reference_gradients(
    call: Call, wanted: Sequence[str], incoming: Sequence[torch.Tensor | None], *, wide: bool
) -> list[torch.Tensor]:
    """The gradients of ``wanted`` arguments for ``incoming`` ones, of the reference; in float64 if ``wide``.

    Raises `ReferenceFailed` where the reference, or its gradient, raises.
    """
    own = call.widened() if wide else call.cloned()
    leaves = {name: own.arguments[name].requires_grad_() for name in wanted}
    with asking_reference(own.spec, "gradient"):
        results = continuous(called(own.spec, own.spec.reference, own.arguments))
        pairs = [
            (result, grad.to(result.dtype))
            for result, grad in zip(results, incoming, strict=True)
            if grad is not None and result.requires_grad
        ]
        if not pairs:
            return [torch.zeros_like(leaf) for leaf in leaves.values()]
        found = torch.autograd.grad(
            [result for result, _ in pairs],
            list(leaves.values()),
            [grad for _, grad in pairs],
            materialize_grads=True,
        )
    return [real(tensor.detach()) for tensor in found]


def gradient_standards(
    call: Call,
    case: Case,
    wanted: Sequence[str],
    incoming: Sequence[torch.Tensor | None],
    dtypes: Sequence[torch.dtype] | None = None,
) -> tuple[Standard, ...]:
    """What each gradient is held to. A broadcast argument's is a sum, and its tolerance grows with it.

    ``dtypes`` are those in which the gradients come, where they are not those of the arguments.
    """
    spec = call.spec
    reference = reference_gradients(call, wanted, incoming, wide=False)
    if dtypes is not None:
        reference = [one.to(dtype) for one, dtype in zip(reference, dtypes, strict=True)]
    oracle = reference_gradients(call, wanted, incoming, wide=True)
    most = max((grad.numel() for grad in incoming if grad is not None), default=1)
    terms = [most // max(one.numel(), 1) for one in reference]
    return standards_of_gradients(
        spec, case, dict(zip(wanted, terms, strict=True)), reference, oracle
    )


def standards_of_gradients(
    spec: OperatorSpec,
    case: Case,
    terms: Mapping[str, int],
    reference: Sequence[torch.Tensor],
    oracle: Sequence[torch.Tensor],
) -> tuple[Standard, ...]:
    """Standards of the reference's gradients of the arguments in ``terms``: how often each is broadcast."""
    standards: list[Standard] = []
    for name, one, exact in zip(terms, reference, oracle, strict=True):
        giving = [b for b in spec.backwards if GRAD + name in {r.name for r in b.schema.returns}]
        declared = max([reduction_length(b, case) for b in giving] or [1])
        length = max(declared, reduction_length(spec, case), terms[name])
        tolerance = next((t for b in giving if (t := tolerance_of(b, case)) is not None), None)
        standards += set_standards(one, exact, tolerance, reduction_length=length)
    return tuple(standards)


def brought_by(
    places: Sequence[int],
    call: Call,
    wanted: Sequence[str],
    incoming: Sequence[torch.Tensor | None],
) -> list[str]:
    """The ``wanted`` arguments whose gradient by the reference's results at ``places`` alone is not zero.

    A reference that detaches them on purpose brings none.
    """
    alone = [grad if place in places else None for place, grad in enumerate(incoming)]
    found = reference_gradients(call, wanted, alone, wide=True)
    return [name for name, one in zip(wanted, found, strict=True) if bool(one.count_nonzero())]


def called(spec: OperatorSpec, function: Any, arguments: Mapping[str, Any]) -> list[torch.Tensor]:
    """All fresh results of a call of ``function``."""
    positional, keywords = spec.schema.as_call(arguments)
    return fresh_results(spec, function(*positional, **keywords))


def continuous(results: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The results that can have a gradient."""
    return [t for t in results if t.is_floating_point() or t.is_complex()]


def real(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with memory of its own, where autograd has made one of zeros that has none."""
    zeros = tensor._is_zerotensor()  # noqa: SLF001 - they have no public name
    return tensor.clone() if zeros else tensor


def is_not_zero(standard: Standard) -> bool:
    """Whether what is held to the standard is anything but zeros."""
    return bool(standard.oracle.count_nonzero())
