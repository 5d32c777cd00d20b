"""Build operators one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opwright.discovery import backwards_of, find
from opwright.errors import OpwrightError, UsageError
from opwright.log import waiting
from opwright.records.artifact import Artifact
from opwright.records.resources import KernelResources
from opwright.session.building import FAULTS_OF_ONE, build_operator
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.toolchain.code_object import kernel_resources


@dataclass(frozen=True)
class Built:
    """One operator's library, None for a callable; ``kernels`` are those of one that was compiled only.

    With an ``error`` nothing was built.
    """

    spec: OperatorSpec
    artifact: Artifact | None = None
    kernels: list[KernelResources] = field(default_factory=list)
    error: OpwrightError | None = None


def build_operators(
    operators: Sequence[str],
    target: Target,
    *,
    binding: str | None = None,
    compile_only: bool = False,
    force: bool = False,
) -> Iterator[Built]:
    """Find or build every operator that is named; all are found before the first is built.

    What is wrong with one of them (`FAULTS_OF_ONE`) is in its `Built`, and the next one is taken. Raises what
    finding raises, what would be the same for every operator (a compiler or a store that is missing), and
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
            for described in find(text):
                specs.append(described.spec)
                backwards = [backward.spec for backward in backwards_of(described)]
                specs += [one for one in backwards if not one.lacks_kernels_for(target)]
    for spec in specs:
        try:
            artifact = build_operator(
                spec, target, binding=binding, compile_only=compile_only, force=force
            )
        except FAULTS_OF_ONE as error:
            yield Built(spec, error=error)
            continue
        kernels = kernel_resources(artifact.library) if artifact and compile_only else []
        yield Built(spec, artifact, kernels)
