"""From an operator and a target to its artifact, whichever kind of implementation it has."""

from __future__ import annotations

from opwright.build import build
from opwright.generate.request import generated_request
from opwright.records.artifact import Artifact
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import torch_facts


def request_for(
    spec: OperatorSpec, target: Target, *, binding: str | None = None
) -> BuildRequest | None:
    """What has to be built for ``target``; None for a callable, which is ready as it is."""
    if spec.extension is not None:
        # imported here: finding a generated library has milliseconds, all imports included
        from opwright.generate.extension import extension_request

        return extension_request(spec, target, torch_facts())
    if spec.function is not None:
        return None
    return generated_request(spec, target, torch_facts(), binding=binding)


def build_operator(
    spec: OperatorSpec, target: Target, *, binding: str | None = None, force: bool = False
) -> Artifact | None:
    """Find or build the operator's library. Raises what `opwright.build.build` raises."""
    request = request_for(spec, target, binding=binding)
    return None if request is None else build(request, force=force)
