"""A living operator: the dispatcher's entry with whatever kernels have been loaded into it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from opwright.binding.attach import attach
from opwright.binding.call import quick_call
from opwright.binding.dispatch import dispatcher_op
from opwright.errors import LoadError
from opwright.session.building import build_operator
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target


class Implementation:
    """The kernels that one operator has in this process."""

    def __init__(self, spec: OperatorSpec) -> None:
        self.spec = spec
        self.dispatcher = dispatcher_op(spec)
        self.overload = self.dispatcher.overload
        self.call = quick_call(spec, self.overload)
        self.ready = False
        self._loading = threading.Lock()

    def load(self, target: Target, *, binding: str | None = None) -> None:
        """Build or find what ``target`` needs, and use it.

        A library that does not load is set aside and built again, once.
        """
        with self._loading:
            artifact = build_operator(self.spec, target, binding=binding)
            try:
                attach(self.dispatcher, target, artifact)
            except LoadError as error:
                if artifact is None:
                    raise
                from opwright.build.quarantine import quarantine

                quarantine(artifact, error.what)
                attach(self.dispatcher, target, build_operator(self.spec, target, binding=binding))
            self.ready = True

    def load_for(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Load for the device of the first tensor among the arguments; tensors without data need nothing."""
        import torch
        from torch._subclasses.fake_tensor import FakeTensor

        tensors = (v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor))
        first = next(tensors, None)
        if first is None:
            return  # the dispatcher says what is wrong
        if first.device.type != "meta" and not isinstance(first, FakeTensor):
            from opwright.devices.device import target_for  # whoever names a target needs none

            self.load(target_for(first.device))
