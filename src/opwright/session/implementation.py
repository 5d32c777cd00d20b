"""A living operator: the dispatcher's entry with whatever kernels have been loaded into it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from opwright.binding.attach import attach
from opwright.binding.dispatch import DISPATCH_KEYS, dispatch_key, dispatcher_op
from opwright.session.building import build_operator
from opwright.session.whole import with_whole
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target


class Implementation:
    """The kernels that one operator has in this process."""

    def __init__(self, spec: OperatorSpec) -> None:
        self.spec = spec
        self.dispatcher = dispatcher_op(spec)
        self.overload = self.dispatcher.overload
        self.ready = False
        self._loading = threading.Lock()
        # Dispatch key -> what the first call with such tensors loads; for others, what fits their device.
        self._wanted: dict[str, tuple[Target, str | None]] = {}
        self.backwards = [Implementation(backward) for backward in spec.backwards]
        self.dispatcher.on_first_call(self.load_for)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The quickest way to the kernel, made by the first call."""
        from opwright.binding.call import quick_call

        known = self.dispatcher
        return quick_call(self.spec, self.overload, known.record(), known.library)

    def load(self, target: Target, *, binding: str | None = None) -> None:
        """Build or find what ``target`` needs, and use it.

        A library that does not load is set aside and built again, once. What computes its gradients
        is loaded in the same way by its first call, and at once where it has a kernel already.
        """
        if target.kind == "simulated":
            from opwright.session.simulating import simulated_device

            simulated_device()
        with self._loading:
            with_whole(
                partial(build_operator, self.spec, target, binding=binding),
                partial(attach, self.dispatcher, target),
            )
            self.ready = True
        for backward in self.backwards:
            backward.follow(target, binding)

    def follow(self, target: Target, binding: str | None) -> None:
        """Compute gradients with kernels for ``target`` from now on: its forward runs on such ones."""
        self._wanted[dispatch_key(target)] = target, binding
        if not self.dispatcher.has_kernel(target):
            return
        if self.spec.lacks_kernels_for(target):
            self.dispatcher.forget_kernel(target)  # the next call says what is lacking
        else:  # after an edit, or a load for another target, it would be the old one
            self.load(target, binding=binding)

    def load_for(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Load for the device of the first tensor among the arguments; tensors without data need nothing.

        What computes gradients follows the target that its forward was loaded for.
        """
        import torch
        from torch._subclasses.fake_tensor import FakeTensor

        tensors = (v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor))
        first = next(tensors, None)
        if first is None:
            return  # the dispatcher says what is wrong
        if first.device.type != "meta" and not isinstance(first, FakeTensor):
            wanted = self._wanted.get(DISPATCH_KEYS.get(first.device.type, ""))
            if wanted is None:
                from opwright.devices.device import target_for  # whoever names a target needs none

                wanted = target_for(first.device), None
            self.load(wanted[0], binding=wanted[1])
