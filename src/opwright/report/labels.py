"""What the label of a measurement means for whoever reads it."""

from __future__ import annotations

from opwright.records.measurement import OperatorMeasurement

HARDWARE = "hardware"
_MEANINGS = {
    "emulated": "device sources ran on the host: these times are not a device's",
    "simulated": "device sources ran on the host, behind a simulated device: these times are not a device's",
    "compiled": "it was compiled for the target and ran nowhere",
    "HIP source on NVIDIA": "HIP sources ran on an NVIDIA GPU: this says nothing of an AMD device",
}
# Where the target itself did not run, no time is better or worse than another.
_NO_SPEED = frozenset({"emulated", "simulated", "compiled"})


def label_meaning(label: str) -> str:
    """What a label says in a sentence; empty for ``hardware``, and for one that is not known."""
    return _MEANINGS.get(label, "")


def compares(operator: OperatorMeasurement) -> bool:
    """Whether times may be held against each other: a device has run."""
    return operator.label not in _NO_SPEED
