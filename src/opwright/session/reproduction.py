"""A failing case as a few lines of Python that need none of the checks."""

from __future__ import annotations

from typing import Any

import torch

from opwright.checks.table import check_named
from opwright.inputs.call import Call
from opwright.inputs.values import SIMPLE_VALUES, draw_text
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_INLINE_ELEMENTS = 96


def reproduction(operator: str, spec: OperatorSpec, case: Case) -> str:
    """Lines that build the arguments, call the operator and show what the reference gives.

    ``operator`` is what `opwright.load` finds. Empty for what no few calls can show.
    """
    program = check_named(case.check).program
    call = program.call(spec, case) if program else None
    if program is None or call is None:
        return ""
    lines = ["import torch", "import opwright", ""]
    built = [
        line for name, value in call.arguments.items() for line in _built(name, value, call, case)
    ]
    if any("generator=" in line for line in built):
        lines.append(f"generator = torch.Generator().manual_seed({case.seed})")
    if any(word in line for line in built for word in ("nan", "inf")):
        lines.append('nan, inf = float("nan"), float("inf")')
    return "\n".join(
        [*lines, *built, f"operator = opwright.load({operator!r})", *program.lines(call, case)]
    )


def _built(name: str, value: Any, call: Call, case: Case) -> list[str]:
    if not isinstance(value, torch.Tensor):
        return [f"{name} = {value!r}"]
    if value.device.type != "cpu":
        return [
            f"{name} = torch.empty({list(value.shape)}, dtype={value.dtype}, device='{value.device}')"
        ]
    if value.untyped_storage().nbytes() // value.element_size() <= _INLINE_ELEMENTS:
        return [f"{name} = {_inline(value)}"]
    drawn = draw_text(value.shape, value.dtype, call.spec.inputs[name], case.values)
    lines = [f"{name} = {drawn}"]
    if case.values in SIMPLE_VALUES:
        described = f"opwright.spec.inputs[{name!r}]"
        lines = [f"# with values {case.values!r}: {described}", *lines]
    if name in case.layouts:
        lines += [
            "from opwright.inputs.layouts import lay_out",
            f"{name} = lay_out({name}, {case.layouts[name]!r})",
        ]
    return lines


def _inline(value: torch.Tensor) -> str:
    """The elements themselves; what lies between them too, where they are not dense."""
    if value.is_contiguous() and value.storage_offset() == 0:
        return f"torch.tensor({value.tolist()}, dtype={value.dtype}){_shaped(value)}"
    count = value.untyped_storage().nbytes() // value.element_size()
    stored = value.as_strided((count,), (1,), 0).tolist()
    view = f"{list(value.shape)}, {list(value.stride())}, {value.storage_offset()}"
    return f"torch.tensor({stored}, dtype={value.dtype}).as_strided({view})"


def _shaped(value: torch.Tensor) -> str:
    """An empty list says nothing about the sizes after the first 0."""
    return f".reshape({list(value.shape)})" if value.numel() == 0 else ""
