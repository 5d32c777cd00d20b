"""From an operator and a target to its artifact, whichever kind of implementation it has."""

from __future__ import annotations

from opwright.build import build
from opwright.errors import SpecError
from opwright.generate.request import generated_request
from opwright.records.artifact import Artifact
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import torch_facts


def request_for(spec: OperatorSpec, target: Target, *, binding: str | None = None) -> BuildRequest:
    """What has to be built for ``target``."""
    if spec.implementation != "generated":
        raise SpecError(
            f"{spec.location}: {spec.name} is a {spec.implementation}: there is no library to generate",
            hint="It is loaded as it is.",
        )
    return generated_request(spec, target, torch_facts(), binding=binding)


def build_operator(
    spec: OperatorSpec, target: Target, *, binding: str | None = None, force: bool = False
) -> Artifact:
    """Find or build the operator's library. Raises what `opwright.build.build` raises."""
    return build(request_for(spec, target, binding=binding), force=force)
