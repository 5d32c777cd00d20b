"""How a case is shown without its check: the call that it is about, and lines of Python that make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opwright.inputs.call import Call, make_call
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec


def beside_reference(call: Call, _case: Case) -> list[str]:
    """Print what the operator gives, and what the reference does."""
    return [
        f"expected = operator.spec.reference({copies(call)})",
        print_call(call),
        "print(expected)  # the reference's",
    ]


@dataclass(frozen=True)
class Program:
    """``lines`` call ``operator`` with arguments that are there under their own names.

    ``call`` makes the arguments of a case; None where no single call shows what was found.
    """

    lines: Callable[[Call, Case], list[str]] = beside_reference
    call: Callable[[OperatorSpec, Case], Call | None] = make_call


def in_memory(call: Call, case: Case) -> list[str]:
    """The call alone, and a word on where to look."""
    hint = f"# what is wrong lies in memory: opwright check ... --only {case.check} shows it"
    return [hint, print_call(call)]


def print_call(call: Call, remark: str = "") -> str:
    """The line that prints what a call returns, and its written arguments."""
    written = "".join(f", {name}" for name in call.written)
    return f"print(operator({arguments_text(call)}){written}){remark}"


def copies(call: Call) -> str:
    """What stands between a call's brackets, tensors as copies."""
    return arguments_text(call, lambda name: f"{name}.clone()" if name in call.tensors else name)


def arguments_text(call: Call, shown: Callable[[str], str] = str) -> str:
    """What stands between a call's brackets: its arguments, each as ``shown`` writes it."""
    return ", ".join(
        f"{each.name}={shown(each.name)}" if each.keyword_only else shown(each.name)
        for each in call.spec.schema.arguments
    )
