"""Whether an output is right: pure functions from tensors to figures and reasons."""

from opwright.judge.compare import judge
from opwright.judge.evidence import Evidence, evidence
from opwright.judge.standard import Standard, holds, loosened, set_standards
from opwright.judge.verdict import Comparison, Reason

__all__ = [
    "Comparison",
    "Evidence",
    "Reason",
    "Standard",
    "evidence",
    "holds",
    "judge",
    "loosened",
    "set_standards",
]
