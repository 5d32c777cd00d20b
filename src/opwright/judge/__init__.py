"""Whether an output is right: pure functions from tensors to figures and reasons."""

from opwright.judge.compare import compare, judge
from opwright.judge.evidence import Evidence, evidence
from opwright.judge.standard import Standard, holds, set_standards
from opwright.judge.verdict import Comparison, Reason

__all__ = [
    "Comparison",
    "Evidence",
    "Reason",
    "Standard",
    "compare",
    "evidence",
    "holds",
    "judge",
    "set_standards",
]
