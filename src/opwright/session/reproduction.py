"""A failing case as a few lines of Python that need none of the checks."""

from __future__ import annotations

from typing import Any

import torch

from opwright.checks.structure.rows import rows_of
from opwright.inputs.call import Call, make_call
from opwright.inputs.values import draw_text
from opwright.inputs.violations import Violation, broken_call
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_INLINE_ELEMENTS = 96
_NOT_ONE_CALL = frozenset(
    {"threads", "leak", "import_effects", "fp_control", "thread_count", "large"}
)


def reproduction(operator: str, spec: OperatorSpec, case: Case) -> str:
    """Lines that build the arguments, call the operator and show what the reference gives.

    ``operator`` is what `opwright.load` finds. Empty for checks that no single call can show.
    """
    if case.check in _NOT_ONE_CALL:
        return ""
    call = make_call(spec, case)
    if case.check == "contract":
        call = broken_call(call, Violation(**case.extra)) or call
    if case.check == "special_values":
        single = _with_value(call, case)
        if single is None:
            return ""
        call = single
    lines = ["import torch", "import opwright", ""]
    built = [
        line for name, value in call.arguments.items() for line in _built(name, value, call, case)
    ]
    if any("generator=" in line for line in built):
        lines.append(f"generator = torch.Generator().manual_seed({case.seed})")
    if any(word in line for line in built for word in ("nan", "inf")):
        lines.append('nan, inf = float("nan"), float("inf")')
    return "\n".join(
        [*lines, *built, f"operator = opwright.load({operator!r})", *_calls(call, case)]
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
    drawn = draw_text(value.shape, value.dtype, call.spec.inputs[name])
    lines = [f"{name} = {drawn}"]
    if case.values != "normal":
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


def _calls(call: Call, case: Case) -> list[str]:
    names = ", ".join(call.arguments)
    copies = ", ".join(f"{n}.clone()" if n in call.tensors else n for n in call.arguments)
    written = "".join(f", {name}" for name in call.written)
    if case.check == "determinism":
        others = ", ".join(f"{n}.flip(0)" if n in call.tensors else n for n in call.arguments)
        return [
            f"print(operator({copies}))",
            f"operator({others})  # other values in between",
            f"print(operator({copies}))  # the same once more",
        ]
    if case.check == "batch_invariance" and (rows := rows_of(call.spec)):
        alone = ", ".join(f"{n}[:1]" if n in rows.inputs else n for n in call.arguments)
        return [
            f"print(operator({alone}))",
            f"print(operator({names})[:1])  # the same row in company",
        ]
    if case.check == "mutation":
        before = ", ".join(f"{n}.clone()" for n in call.tensors)
        tensors = ", ".join(call.tensors)
        return [f"before = [{before}]", f"print(operator({names}))", f"print(before, [{tensors}])"]
    if case.check in ("memory", "coverage"):
        hint = f"# what is wrong lies in memory: opwright check ... --only {case.check} shows it"
        return [hint, f"print(operator({names}){written})"]
    expected = f"expected = operator.spec.reference({copies})"
    if case.check == "contract":
        return [f"print(operator({names}){written})  # has to be refused, or right"]
    return [expected, f"print(operator({names}){written})", "print(expected)  # the reference's"]


def _with_value(call: Call, case: Case) -> Call | None:
    """One element with the value that was found, where every element stands for itself."""
    if "found" not in case.extra:
        return None
    name = case.extra["argument"]
    value = call.arguments[name].reshape(-1)[:1]
    filled = torch.full_like(value, float(case.extra["found"])).view(
        (1,) * call.arguments[name].dim()
    )
    changed = {
        n: t.reshape(-1)[:1].view((1,) * t.dim()) if n != name else filled
        for n, t in call.tensors.items()
    }
    return Call(call.spec, {**call.arguments, **changed})
