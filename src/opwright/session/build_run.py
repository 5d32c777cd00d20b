"""Build operators one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opwright.discovery import find
from opwright.errors import UsageError
from opwright.log import waiting
from opwright.records.artifact import Artifact
from opwright.records.resources import KernelResources
from opwright.session.building import build_operator
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.toolchain.code_object import kernel_resources


@dataclass(frozen=True)
class Built:
    """One operator's library, None for a callable; ``kernels`` are those of one that was compiled only."""

    spec: OperatorSpec
    artifact: Artifact | None
    kernels: list[KernelResources] = field(default_factory=list)


def build_operators(
    operators: Sequence[str],
    target: Target,
    *,
    binding: str | None = None,
    compile_only: bool = False,
    force: bool = False,
) -> Iterator[Built]:
    """Find or build every operator that is named; all are found before the first is built.

    Raises what finding and building raise, and
    `UsageError` for ``compile_only`` and a target that needs more than a compiler for no step.
    """
    if compile_only and target.kind != "hip":
        raise UsageError(
            f"--compile-only is for target hip: a library for {target} is built without a device",
            hint="Leave --compile-only out, or name a target such as hip:gfx1151.",
        )
    specs = []
    for text in operators:
        with waiting(f"reading {text}", asked_for=text):
            specs += [described.spec for described in find(text)]
    for spec in specs:
        artifact = build_operator(
            spec, target, binding=binding, compile_only=compile_only, force=force
        )
        kernels = kernel_resources(artifact.library) if artifact and compile_only else []
        yield Built(spec, artifact, kernels)
