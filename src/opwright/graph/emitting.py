"""A trial as a Python script for whoever has PyTorch and no Opwright."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch

from opwright.binding.dispatch import dispatch_key
from opwright.graph import script_body
from opwright.graph.differences import Allowed
from opwright.inputs.values import draw_text
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sizing import known_values, sizes_of
from opwright.spec.target import Target
from opwright.spec.tensor import Tensor

FROM, TO = "# What is tried.\n", "# How it is tried.\n"
_DEVICES = ("cpu", "cuda", "hip")


def why_not_emitted(spec: OperatorSpec, target: Target) -> str:
    """Why there is no such script for an operator; empty where there is."""
    if spec.implementation != "generated":
        return f"{spec.name} is called through Python code of its description, which needs Opwright"
    if target.kind not in _DEVICES:
        return f"kernels for the target {target} run in Opwright alone"
    return ""


def script_for(
    spec: OperatorSpec,
    case: Case,
    *,
    target: Target,
    library: str,
    mode: tuple[str, str],
    allowed: Allowed,
    runs: int,
) -> str:
    """The script's text: the operator alone at the case's sizes.

    ``library`` is the name of a file beside it, ``mode`` a mode's name and its option.
    """
    body = inspect.getsource(script_body)
    before, _, rest = body.partition(FROM)
    after = rest.partition(TO)[2]
    given = Given(spec, case)
    parts = (
        f"NAME, NAMESPACE, SCHEMA = {spec.name!r}, {spec.namespace!r}, {spec.schema.text!r}",
        f"LIBRARY, DISPATCH_KEY = {library!r}, {dispatch_key(target)!r}",
        f"DEVICE = {target.device_type!r}",
        f"MODE, BACKEND, RUNS = {mode[0]!r}, {mode[1]!r}, {runs}",
        f"TOLERANCE = {allowed.tolerance!r}",
        f"WRITTEN = {given.written!r}",
        *("", "", *given.draw(), "", "", *given.call(), "", "", *given.fake(), "", ""),
    )
    return f"{before}{FROM}{_lines(parts)}\n{TO}{after}"


def _lines(parts: Sequence[str]) -> str:
    return "\n".join(parts)


class Given:
    """What a case gives the script: how tensors are drawn, how the operator is called, what it returns."""

    def __init__(self, spec: OperatorSpec, case: Case) -> None:
        self._spec, self._case = spec, case
        self._scalars = {a.name: case.scalars.get(a.name, a.default) for a in spec.schema.scalars}
        self._known = known_values(case.sizes, self._scalars)
        self._tensors = [a.name for a in spec.schema.tensors if a.name not in case.absent]

    @property
    def written(self) -> tuple[int, ...]:
        """Places of the written arguments among the tensors."""
        marked = {argument.name for argument in self._spec.schema.tensors if argument.mutated}
        return tuple(place for place, name in enumerate(self._tensors) if name in marked)

    def draw(self) -> list[str]:
        """A function that draws the tensors of a call."""
        lines = [
            "def draw(seed):",
            "    generator = torch.Generator().manual_seed(seed)",
            "    return [",
        ]
        for name in self._tensors:
            tensor = self._spec.inputs[name]
            sizes = sizes_of(tensor, self._known)
            lines.append(f"        {draw_text(sizes, self._dtype(tensor), tensor, 'normal')},")
        return [*lines, "    ]"]

    def call(self) -> list[str]:
        """A function that calls the operator and gives fresh results."""
        texts: dict[str, Any] = {
            name: f"tensors[{place}]" for place, name in enumerate(self._tensors)
        }
        values = {
            a.name: texts.get(a.name, repr(self._scalars.get(a.name)))
            for a in self._spec.schema.arguments
        }
        positional, keywords = self._spec.schema.as_call(values)
        given = [*positional, *(f"{name}={text}" for name, text in keywords.items())]
        returns = self._spec.schema.returns
        lines = ["def call(operator, tensors):", f"    returned = operator({', '.join(given)})"]
        if not returns:
            return [*lines, "    return []"]
        if len(returns) == 1:
            return [*lines, f"    return {'[returned]' if returns[0].alias is None else '[]'}"]
        fresh = [f"returned[{n}]" for n, item in enumerate(returns) if item.alias is None]
        return [*lines, f"    return [{', '.join(fresh)}]"]

    def fake(self) -> list[str]:
        """A function that gives what a call returns for tensors without data, at these sizes."""
        made = [
            f"torch.empty({sizes_of(tensor, self._known)}, dtype={self._dtype(tensor)}, device=device)"
            for tensor in self._spec.outputs
        ]
        find = "next(a.device for a in (*arguments, *keywords.values()) if isinstance(a, torch.Tensor))"
        result = made[0] if len(made) == 1 else f"({', '.join(made)})" if made else "None"
        head = ["def fake(*arguments, **keywords):"]
        return [*head, *([f"    device = {find}"] if made else []), f"    return {result}"]

    def _dtype(self, tensor: Tensor) -> torch.dtype:
        name = self._spec.dtype_of(tensor)
        dtype: torch.dtype = getattr(torch, self._case.dtypes.get(name, name))
        return dtype
