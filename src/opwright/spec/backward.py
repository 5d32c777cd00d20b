"""What a user says of an operator's gradients: a schema and kernels, as for any operator, or which are handed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opwright.frozen import Frozen

if TYPE_CHECKING:
    from opwright.spec.dims import Dim, Shape
    from opwright.spec.expression import Expression
    from opwright.spec.tolerance import Tolerance

GRAD = "grad_"  # what the name of a gradient begins with


class Backward(Frozen):
    """Kernels that compute gradients, and gradients that need none.

    ``Backward("swish_backward(Tensor grad_output, Tensor input) -> Tensor grad_input", sources={...})``: the
    names say what it takes and gives: ``grad_<return>`` is an incoming gradient, any other tensor is an
    argument or a return of the operator that is saved for it, a scalar has the value that the call had, and
    each return ``grad_<argument>`` is the gradient of that argument. ``saved`` repeats which tensors
    are saved, for readers; it has to agree with the schema. Sizes and dtypes follow from the operator's own;
    ``reference`` is worked out from the operator's by autograd, unless one is given. ``double_backward`` is
    None (a second derivative raises) or ``"reference"``. The other fields are those of `Operator`.

    ``unchanged`` names arguments whose gradient is the incoming one itself, as a sum's are: that is handed on,
    and no kernel runs for it. With several returns that have gradients it says which:
    ``{"residual": "output0"}``. Where no other gradient is left, there is no schema.
    """

    schema: str | None = None
    saved: tuple[str, ...] | str | None = None
    sources: Mapping[str, str | Sequence[str]] | None = None
    function: Callable[..., Any] | None = None
    reference: Callable[..., Any] | None = None
    reduction: Dim | Expression | str | int | None = None
    flops: Dim | Shape | Expression | str | int | None = None
    tolerance: Tolerance | Mapping[str, Tolerance] | None = None
    include_dirs: Sequence[str] = ()
    compile_flags: Sequence[str] = ()
    double_backward: str | None = None
    unchanged: Mapping[str, str] | Sequence[str] | str = ()
