"""A living operator: the dispatcher's entry with whatever kernels have been loaded into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from opwright.binding.dispatch import DispatcherOp
from opwright.binding.library import Library
from opwright.build import quarantine
from opwright.errors import LoadError, ToolchainError
from opwright.records.artifact import Artifact
from opwright.session.building import build_operator
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target, parse_target

DISPATCH_KEYS = {"cpu": "CPU"}


class Implementation:
    """The kernels that one operator has in this process."""

    def __init__(self, spec: OperatorSpec) -> None:
        self.spec = spec
        self.dispatcher = DispatcherOp(spec)
        self.overload = self.dispatcher.overload
        self.ready = False

    def load(self, target: str | Target, *, binding: str | None = None) -> Artifact | None:
        """Build or find what ``target`` needs, and use it. None for a callable, which needs nothing."""
        wanted = parse_target(target) if isinstance(target, str) else target
        key = _dispatch_key(wanted)
        if self.spec.function is not None:
            self.dispatcher.use_function(self.spec.function, key)
            self.ready = True
            return None
        artifact = build_operator(self.spec, wanted, binding=binding)
        self.use(artifact)
        return artifact

    def use(self, artifact: Artifact) -> None:
        """Use a finished library. One that does not load is set aside and built again, once."""
        key = _dispatch_key(parse_target(artifact.target))
        try:
            library = Library(artifact)
        except LoadError as error:
            quarantine(artifact, str(error.what))
            library = Library(
                build_operator(
                    self.spec, parse_target(artifact.target), binding=artifact.facts.get("binding")
                )
            )
        self.dispatcher.use_library(library, key)
        self.ready = True

    def load_for(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Load for the device of the first tensor among the arguments."""
        for value in (*args, *kwargs.values()):
            if isinstance(value, torch.Tensor):
                self.load(value.device.type)
                return
        self.load("cpu")


def _dispatch_key(target: Target) -> str:
    if target.kind not in DISPATCH_KEYS:
        raise ToolchainError(
            f"operators cannot be run on target {target} yet",
            hint=f"Targets that run: {', '.join(DISPATCH_KEYS)}.",
        )
    return DISPATCH_KEYS[target.kind]
