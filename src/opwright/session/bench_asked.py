"""What a measurement is asked for, and what nobody can be asked to time."""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.errors import UsageError
from opwright.measure.stopping import Limits
from opwright.measure.timers import require_timer
from opwright.session.bench_rivals import REFERENCE
from opwright.spec.shape_file import Listed
from opwright.spec.target import Target

_NO_TIMES = {
    "emulated": "an emulator's speed is not the device's",
    "simulated": "a simulated device's speed is not a device's",
    "npu": "no Ascend device can be timed yet",
}


@dataclass(frozen=True)
class BenchAsked:
    """What is measured, and how. ``against`` names references, compilers, functions and other operators.

    Without ``backwards`` operators that compute gradients are timed only where they are named.
    ``bound`` is the difference that counts as none, as a fraction. Raises `UsageError` for targets
    on which nothing can be timed.
    """

    target: Target
    binding: str | None = None
    against: tuple[str, ...] = (REFERENCE,)
    shapes: Listed | None = None
    dtypes: tuple[str, ...] = ()
    timer: str = ""
    cache: str = "cold"
    processes: int = 5
    bound: float = 0.01
    limits: Limits = field(default_factory=Limits)
    stages: bool = False
    share_percent: float | None = None
    gradients: bool = False
    backwards: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be timed before anything is built."""
        if why := _NO_TIMES.get(self.target.kind):
            raise UsageError(
                f"nothing is timed on the target {self.target}: {why}",
                hint="Use --target cpu or cuda.",
            )
        require_timer(self.timer_name, self.target.device_type)

    @property
    def timer_name(self) -> str:
        """The one asked for, or the best there is for the target."""
        return self.timer or ("host" if self.target.device_type == "cpu" else "events")
