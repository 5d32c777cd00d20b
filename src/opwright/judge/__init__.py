"""Whether an output is right: pure functions from tensors to figures and reasons."""

from opwright.judge.compare import compare, judge
from opwright.judge.standard import Standard, set_standards
from opwright.judge.verdict import Comparison, Reason

__all__ = ["Comparison", "Reason", "Standard", "compare", "judge", "set_standards"]
