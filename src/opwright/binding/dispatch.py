"""An operator in PyTorch's dispatcher: its schema, its kernels, its fake kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from opwright.binding.library import Library, Offer
from opwright.binding.registration import register_transforms
from opwright.errors import DeviceError
from opwright.log import log
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.target import Target

# Type of device -> the dispatch key of its tensors.
DISPATCH_KEYS = {
    "cpu": "CPU",
    "cuda": "CUDA",
    "simulated": "PrivateUse1",
    "npu": "PrivateUse1",
}

# (namespace, name) -> the operator that has it, in this process
_holders: dict[tuple[str, str], DispatcherOp] = {}
_holders_lock = threading.RLock()  # an operator brings its backwards with it


def dispatch_key(target: Target) -> str:
    """The dispatch key of the tensors that a target's kernels take."""
    return DISPATCH_KEYS[target.device_type]


def dispatcher_op(spec: OperatorSpec) -> DispatcherOp:
    """The operator's entry in the dispatcher.

    An operator that is described again (its file was run a second time) gets the entry that it has
    already. The dispatcher has room for one operator of a name: where another one has it, this one is
    registered under ``<namespace>_2``, and so on, and the log says so.
    """
    with _holders_lock:
        count = 1
        while True:
            namespace = spec.namespace if count == 1 else f"{spec.namespace}_{count}"
            holder = _holders.get((namespace, spec.name))
            if holder is not None and _same(holder.spec, spec):
                holder.describe_again(spec)
                return holder
            if holder is None and not _is_defined(namespace, spec.name):
                break
            count += 1
        if count > 1:
            log(
                "binding.renamed",
                f"torch.ops.{spec.namespace}.{spec.name} is taken in this process; "
                f"this one is torch.ops.{namespace}.{spec.name}",
                namespace=namespace,
            )
        made = _holders[namespace, spec.name] = DispatcherOp(spec, namespace)
        return made


class DispatcherOp:
    """``torch.ops.<namespace>.<name>``, with a kernel for each dispatch key that one was loaded for."""

    def __init__(self, spec: OperatorSpec, namespace: str) -> None:
        self.spec = spec
        self.namespace = namespace
        self._definition = torch.library.Library(namespace, "FRAGMENT")
        # torch.compile takes no operator of ours that returns its argument.
        compiles = all(item.alias is None for item in spec.schema.returns)
        tags = (torch.Tag.pt2_compliant_tag,) if compiles else ()
        self._definition.define(spec.schema.text, tags=tags)
        self._kernels: dict[str, Offer | torch.library.Library] = {}
        #: the Python function that is its kernel; None for a library's
        self.function: Callable[..., Any] | None = None
        # Not register_fake: it looks for the caller's source text, which takes longer than the rest.
        self._definition.impl(spec.name, self._fake, "Meta")
        packet = getattr(getattr(torch.ops, namespace), spec.name)
        self.overload: Any = packet.default
        self._transforms: torch.library.Library | None = None
        self._load: Callable[..., None] | None = None
        self._transform()

    def describe_again(self, spec: OperatorSpec) -> None:
        """Take over what another description of the same schema says of autograd, vmap and autocast."""
        self.spec = spec
        self._transform()

    def has_kernel(self, target: Target) -> bool:
        """Whether a kernel for the target's tensors has been loaded."""
        return dispatch_key(target) in self._kernels

    def forget_kernel(self, target: Target) -> None:
        """Have none for the target's tensors any more: the next call asks for one. No call may be under way."""
        self._withdraw(dispatch_key(target))

    @property
    def library(self) -> Library | None:
        """A library that it has a kernel of, whichever target's."""
        offers = (kernel for kernel in self._kernels.values() if isinstance(kernel, Offer))
        return next((offer.library for offer in offers), None)

    def on_first_call(self, load: Callable[..., None]) -> None:
        """Have ``load`` bring the kernel for the device of a call's arguments where there is none yet.

        ``torch.ops`` and compiled graphs call the dispatcher, and no `Operator` that would load before.
        """
        if self._load is None:
            self._definition.impl(self.spec.name, self._first_call, "CompositeExplicitAutograd")
        self._load = load

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        assert self._load is not None
        tensors = [v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor)]
        if not tensors:  # then there is no kernel to load, and the call would come back here
            raise RuntimeError(f"{self.spec.name}: expected tensors, got None for each of them")
        for tensor in tensors:
            _require_dense(self.spec, tensor)
        self._load(args, kwargs)
        return self.overload(*args, **kwargs)

    def use_library(self, library: Library, dispatch_key: str) -> None:
        """Make a generated library's kernel the one for a dispatch key, in place of an earlier one."""
        earlier = self._kernels.get(dispatch_key)
        if isinstance(earlier, Offer) and earlier.follow_with(library):
            return
        self._withdraw(dispatch_key)
        offer = library.offer(self.namespace, dispatch_key)
        if offer is None:
            raise DeviceError(
                f"{library.artifact.library} serves too many operators of this process already",
                hint="Keep the operator that is loaded, and do not describe it anew.",
            )
        self._kernels[dispatch_key] = offer

    def use_function(self, function: Callable[..., Any], dispatch_key: str) -> None:
        """Make a Python function the kernel for a dispatch key."""
        # A library's kernel needs none.
        from opwright.binding.arguments import kernel_from, recording_from

        self._withdraw(dispatch_key)
        holder = torch.library.Library(self.namespace, "IMPL")
        holder.impl(self.spec.name, kernel_from(self.spec, function), dispatch_key)
        if self.spec.backward == OWN:
            recording = recording_from(self.spec, function)
            holder.impl(self.spec.name, recording, f"Autograd{dispatch_key}")
        self._kernels[dispatch_key] = holder
        self.function = function

    def _transform(self) -> None:
        """Tell the dispatcher what autograd, vmap and autocast make of a call."""
        if self._transforms is not None:
            self._transforms._destroy()
        self._transforms = torch.library.Library(self.namespace, "FRAGMENT")
        backwards = [dispatcher_op(backward).overload for backward in self.spec.backwards]
        self.record = register_transforms(self._transforms, self.spec, self.overload, backwards)

    def _withdraw(self, dispatch_key: str) -> None:
        earlier = self._kernels.pop(dispatch_key, None)
        if isinstance(earlier, Offer):
            earlier.withdraw()
        elif earlier is not None:
            earlier._destroy()

    def _fake(self, *args: Any, **kwargs: Any) -> Any:
        from opwright.binding.fake import fake_results  # a call with data needs none

        return fake_results(self.spec, args, kwargs)


def _require_dense(spec: OperatorSpec, tensor: torch.Tensor) -> None:
    if tensor.layout != torch.strided or tensor.is_nested or tensor.is_quantized:
        kind = "a nested or quantized one" if tensor.layout == torch.strided else tensor.layout
        raise NotImplementedError(f"{spec.name}: expected dense tensors, got {kind}")


def _same(one: OperatorSpec, other: OperatorSpec) -> bool:
    return one.location.file == other.location.file and one.schema == other.schema


def _is_defined(namespace: str, name: str) -> bool:
    return torch._C._jit_get_schemas_for_operator(f"{namespace}::{name}") != []
