"""Whether a passed comparison means anything: planted wrong outputs have to fail it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from opwright.judge.plant import PLANTS, Setting
from opwright.judge.standard import Standard, holds
from opwright.judge.structure import as_outputs, output_name
from opwright.judge.ulp import deviation, ulp_size
from opwright.spec.default_rule import ENOUGH_ELEMENTS


@dataclass(frozen=True)
class Evidence:
    """What became of the plants of one case, each named ``"<plant>"`` or ``"<plant> in <output>"``.

    ``passed``: wrong outputs that the standard lets through, so that the case is not evidence.
    ``same``: the wrong output is as good as the right one (zeros of zeros, a shift of equal rows,
    less than the reference's own error), so that the case cannot tell, whatever the tolerance.
    ``absent``: nothing to make the plant from.
    """

    caught: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def is_evidence(self) -> bool:
        """Whether something wrong was caught and nothing that is wrong got through."""
        return bool(self.caught) and not self.passed

    @property
    def text(self) -> str:
        """One line: why the case is no evidence, or what was caught."""
        if self.passed:
            names = ", ".join(repr(name) for name in self.passed)
            return f"not evidence: planted {names} {'pass' if len(self.passed) > 1 else 'passes'}"
        if not self.caught:
            return "not evidence: no planted output differs from the right one"
        return f"evidence: {len(self.caught)} planted outputs are caught"


def evidence(
    standards: Sequence[Standard],
    *,
    inputs: Sequence[torch.Tensor] = (),
    stale: Any = None,
    names: Sequence[str] = (),
) -> Evidence:
    """Judge planted wrong outputs of a case by its own standards.

    ``inputs`` are the case's, ``stale`` what the reference returns for other values of the same
    shapes. The right output is the oracle rounded to the dtype. With several outputs a plant is
    caught only where each output's standard catches it.
    """
    outcomes: dict[str, list[str]] = {"caught": [], "passed": [], "same": [], "absent": []}
    stales = as_outputs(stale) or (None,) * len(standards)
    for position, (standard, old) in enumerate(zip(standards, stales, strict=True)):
        setting = _setting(standard, inputs, old)
        for name in PLANTS:
            label = name
            if len(standards) > 1:
                label = f"{name} in {output_name(position, names)}"
            outcomes[_outcome(name, setting, standard)].append(label)
    return Evidence(**{name: tuple(labels) for name, labels in outcomes.items()})


def _setting(
    standard: Standard, inputs: Sequence[torch.Tensor], stale: torch.Tensor | None
) -> Setting:
    shape, dtype = standard.reference.shape, standard.reference.dtype
    right, slack = standard.oracle.to(dtype).reshape(shape), None
    if standard.form is not None:
        slack = standard.oracle.abs() / standard.limit
    if stale is not None and (stale.shape != shape or stale.dtype != dtype):
        stale = None
    return Setting(right, inputs, stale, slack)


def _outcome(name: str, setting: Setting, standard: Standard) -> str:
    if not setting.right.numel():
        return "absent"
    wrong = PLANTS[name](setting)
    if wrong is None:
        return "absent"
    wrong = wrong.to(setting.right.device)
    if not holds((wrong,), (standard,)):
        return "caught"
    return "same" if _is_same(name, wrong, setting.right, standard) else "passed"


def _is_same(name: str, wrong: torch.Tensor, right: torch.Tensor, standard: Standard) -> bool:
    """No further from the right output than one ULP, or than the reference is from the oracle."""
    if standard.form is None:
        return torch.equal(wrong, right)
    exact = right.to(standard.oracle.dtype).reshape(-1)
    bound = torch.maximum(standard.rule.yardstick, ulp_size(exact, standard.form))
    if name == "lower precision" and right.numel() < ENOUGH_ELEMENTS:
        # A few elements can all be near to a shorter number.
        exact, bound = standard.oracle, standard.rule.limit
    return bool((deviation(wrong.reshape(-1), exact, standard.form) <= bound).all())
