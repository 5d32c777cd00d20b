"""What tangents of a call have to be: the reference's, in forward mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from opwright.checks.learning.expected import called, continuous
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call
from opwright.running import running_reference


def reference_tangents(
    call: Call, wanted: Sequence[str], tangents: Sequence[torch.Tensor], *, wide: bool
) -> list[torch.Tensor]:
    """Continuous results, and the tangent of each, for ``tangents`` of the ``wanted`` arguments.

    Of the reference; in float64 if ``wide``. Raises `ReferenceFailed` where the reference, or its
    derivative, raises.
    """
    own = call.widened() if wide else call.cloned()
    leaves = tuple(own.tensors[name] for name in wanted)

    def of(*values: Any) -> tuple[Any, ...]:
        given = {**own.arguments, **dict(zip(wanted, values, strict=True))}
        return tuple(continuous(called(own.spec, own.spec.reference, given)))

    along = tuple(one.to(leaf.dtype) for one, leaf in zip(tangents, leaves, strict=True))
    try:
        with running_reference():
            pushed: Any = torch.func.jvp(of, leaves, along)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        raise ReferenceFailed(
            f"{own.spec.name}: the tangent of the reference raises {type(error).__name__}: {error}",
            hint="Write the reference with operations of PyTorch that have forward-mode gradients.",
        ) from error
    return [*pushed[0], *pushed[1]]
