"""What the emulator says of kernels, in the words of findings; whatever check they ran for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from opwright.binding.emulation import Emulation
from opwright.records.verdict import Finding, Outcome

# What the emulator calls a fault, and the kind of finding that it is.
_KINDS = {
    "divergent_barrier": "divergent barrier",
    "deadlock": "deadlock",
    "inactive_lane": "inactive lane read",
    "lane_not_in_mask": "lane not in its mask",
    "race": "race",
    "uninitialised_shared": "uninitialised shared memory",
    "out_of_bounds": "stray access",
    "misaligned_access": "misaligned access",
    "undefined_behaviour": "undefined behaviour",
    "shared_limit": "too much shared memory",
    "ignored_launch_error": "launch error ignored",
    "wrong_stream": "wrong stream",
    "device_assert": "device assertion",
    "trap": "trap",
    "unsupported": "not emulated",
    "address_error": "bad address",
}


def finding_of(said: dict[str, Any]) -> Finding:
    """A line of the emulator's report as a finding: kernel, place, block and thread."""
    parts = [said["message"], f"in {said['kernel']}"] if said.get("kernel") else [said["message"]]
    if said.get("file"):
        parts.append(f"at {said['file']}:{said['line']}")
    if said.get("block") is not None:
        parts.append(f"(block {_index(said['block'])}, thread {_index(said['thread'])})")
    return Finding(_KINDS.get(said["kind"], said["kind"]), " ".join(parts), said)


def drain_findings(outcome: Outcome, emulation: Emulation) -> Outcome:
    """The outcome with what the emulator saw meanwhile, which it then forgets; kernels that run are waited for."""
    emulation.finish()
    said = [line for line in emulation.findings() if line["level"] == "finding"]
    emulation.reset()
    if not said:
        return outcome
    found = {finding.message: finding for finding in map(finding_of, said)}
    return replace(outcome, verdict="fail", findings=(*outcome.findings, *found.values()))


@contextmanager
def explained_launches(emulation: Emulation) -> Iterator[None]:
    """An error that leaves the block says which launch was refused and why; an error code does not.

    What the emulator saw is forgotten then: it belongs to no later case.
    """
    try:
        yield
    except Exception as error:
        said = [line for line in emulation.findings() if line["kind"] == "launch_refused"]
        emulation.reset()
        why = dict.fromkeys(finding_of(line).message for line in said)
        if not why or type(error) is not RuntimeError:
            raise
        raise RuntimeError(f"{error}: {'; '.join(why)}") from error


def _index(three: list[int]) -> str:
    return ",".join(map(str, three))
