"""Fields that say what autocast and vmap make of a call."""

from __future__ import annotations

from opwright.errors import SpecError
from opwright.spec.dims import Shape
from opwright.spec.naming import nearest
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Schema

AUTOCAST = {
    "lower": "floating-point arguments are cast to autocast's dtype, as for a matrix product",
    "float32": "floating-point arguments are cast to float32, as for a softmax",
    "widest": "floating-point arguments are cast to the widest dtype among them, as for an addition",
}


def check_autocast(schema: Schema, autocast: object, spec: OperatorSpec) -> str | None:
    """None (arguments are taken as they come), or one of `AUTOCAST`."""
    if autocast is None or autocast in AUTOCAST:
        return autocast if autocast is None else str(autocast)
    listed = "; ".join(f"{name!r}: {meaning}" for name, meaning in AUTOCAST.items())
    raise SpecError(f"is {autocast!r}", hint=f"{nearest(autocast, AUTOCAST)} {listed}.")


def check_vmap(schema: Schema, vmap: object, spec: OperatorSpec) -> str | None:
    """None (vmap calls the operator for each element), or the `Shape` into which vmap's dimension goes."""
    if vmap is None:
        return None
    for argument in schema.tensors:
        if argument.keyword_only:
            raise SpecError(
                f"is given, and {argument.name!r} comes by keyword alone",
                hint=f"PyTorch's rules for vmap take tensors by position: put {argument.name!r} before the '*'.",
            )
    name = vmap.name if isinstance(vmap, Shape) else vmap
    shapes = {tensor.shape.name for tensor in spec.inputs.values() if tensor.shape is not None}
    if name not in shapes:
        raise SpecError(
            f"is {vmap!r}, which is no Shape of an input",
            hint="Name the Shape whose elements are computed apart from each other: vmap puts its "
            "dimension in front of it.",
        )
    for item, tensor in zip(schema.fresh_returns, spec.outputs, strict=True):
        if (
            not tensor.sizes
            or not isinstance(tensor.sizes[0], Shape)
            or tensor.sizes[0].name != name
        ):
            raise SpecError(
                f"is {name!r}, and the sizes of {item.name!r} do not begin with it",
                hint="vmap's dimension has to come out in front: leave vmap out, and each element is a call.",
            )
    return str(name)
