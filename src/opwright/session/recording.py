"""What is put down of an operator besides its cases: which sources, which binary, what kind of run."""

from __future__ import annotations

import hashlib
from typing import Any

from opwright.devices.npu import runtime_is_simulated
from opwright.files import why_no_file
from opwright.records.artifact import Artifact
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

# What a label says of a record: what kind of run it was. A CPU runs its kernels itself.
LABELS = {
    "cpu": "hardware",
    "cuda": "hardware",
    "hip": "hardware",
    "emulated": "emulated",
    "simulated": "simulated",
}
# What a run of such a kind can say nothing of.
_UNCLAIMED = {
    "emulated": {
        "memory order": "only the chip shows in which order its threads see each other's writes",
        "timing": "an emulator's speed is not the device's",
    },
}


def operator_record(
    spec: OperatorSpec,
    target: Target,
    cases: tuple[CaseRecord, ...],
    *,
    artifact: Artifact | None = None,
    unplanned: dict[str, str] | None = None,
    seconds: float = 0.0,
) -> OperatorRecord:
    """The record of an operator on a target; its sources have an empty digest where one is no file."""
    try:
        digest = sources_digest(spec, target)
    except OSError:  # a source that is not there may be why nothing was built
        digest = ""
    return OperatorRecord(
        name=spec.name,
        schema=spec.schema.text,
        implementation=spec.implementation,
        location=str(spec.location),
        sources_digest=digest,
        target=str(target),
        label=label_of(target),
        artifact=artifact_facts(artifact),
        cases=cases,
        seconds=seconds,
        unplanned=unplanned or {},
        unclaimed=_UNCLAIMED.get(target.kind, {}),
    )


def label_of(target: Target) -> str:
    """What kind of run a run on ``target`` is."""
    if target.kind == "npu":
        return "simulated" if runtime_is_simulated() else "hardware"
    on_nvidia = (target.kind, target.source) == ("cuda", "hip")
    return "HIP source on NVIDIA" if on_nvidia else LABELS[target.kind]


def sources_digest(spec: OperatorSpec, target: Target) -> str:
    """SHA-256 over the description and the sources that it names for the target; ``OSError`` for no file."""
    names = spec.extension.sources if spec.extension else spec.sources_for(target)[1]
    digest = hashlib.sha256(spec.location.file.read_bytes())
    for name in names:
        path = spec.folder / name
        if why := why_no_file(path):  # whoever opens a named pipe waits
            raise OSError(f"{path} {why}")
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def artifact_facts(artifact: Artifact | None) -> dict[str, Any]:
    """What a record holds of the binary that was run; nothing for a callable."""
    if artifact is None:
        return {}
    kept: dict[str, Any] = {
        name: artifact.facts[name] for name in ("kind", "binding") if name in artifact.facts
    }
    return {
        "build_key": artifact.build_key,
        "digest": artifact.digest,
        "hit": artifact.hit,
        "seconds": artifact.seconds,
        "reason": artifact.reason,
        **kept,
    }
