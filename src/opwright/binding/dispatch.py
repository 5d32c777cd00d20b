"""An operator in PyTorch's dispatcher: its schema, its kernels, its fake kernel, its word on gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from opwright.binding.library import Library
from opwright.errors import DeviceError
from opwright.log import log
from opwright.spec.operator import OperatorSpec
from opwright.spec.sizing import bind_sizes, sizes_of
from opwright.spec.target import Target

DISPATCH_KEYS = {"cpu": "CPU"}

# (namespace, name) -> who holds it, in this process
_HOLDERS: dict[tuple[str, str], object] = {}


def dispatch_key(target: Target) -> str:
    """The dispatch key of the tensors that a target's kernels take; `DeviceError` where there is none."""
    if target.kind not in DISPATCH_KEYS:
        raise DeviceError(
            f"operators cannot be run on target {target} by this version",
            hint=f"Targets that run: {', '.join(DISPATCH_KEYS)}.",
        )
    return DISPATCH_KEYS[target.kind]


class DispatcherOp:
    """``torch.ops.<namespace>.<name>`` for one operator.

    The dispatcher has room for one operator of a name. Where another one holds it, this one is
    registered under ``<namespace>_2``, and so on, and the log says so.
    """

    def __init__(self, spec: OperatorSpec) -> None:
        self.spec = spec
        self.namespace = _free_namespace(spec, self)
        self._definition = torch.library.Library(self.namespace, "FRAGMENT")
        self._definition.define(spec.schema.text, tags=(torch.Tag.pt2_compliant_tag,))
        self._kernels: dict[str, Callable[[], None]] = {}
        self._python: list[torch.library.Library] = []
        packet = getattr(getattr(torch.ops, self.namespace), spec.name)
        self.overload: Any = packet.default
        self._definition.impl(spec.name, self._refuse_gradients, "Autograd", with_keyset=True)
        if any(argument.mutated for argument in spec.schema.arguments):
            self._definition.impl(
                spec.name, self._count_writes, "ADInplaceOrView", with_keyset=True
            )
        torch.library.register_fake(
            f"{self.namespace}::{spec.name}", self._fake, lib=self._definition
        )

    def use_library(self, library: Library, dispatch_key: str) -> None:
        """Make a generated library's kernel the one for a dispatch key, in place of an earlier one."""
        self._withdraw(dispatch_key)
        registration = library.offer(self.namespace, dispatch_key)
        self._kernels[dispatch_key] = lambda: library.withdraw(registration)

    def use_function(self, function: Callable[..., Any], dispatch_key: str) -> None:
        """Make a Python function the kernel for a dispatch key."""
        self._withdraw(dispatch_key)
        holder = torch.library.Library(self.namespace, "IMPL")
        # PyTorch leaves out arguments that have their default value; a function need not know it.
        holder.impl(
            self.spec.name, lambda *args, **kwargs: function(*self._all(args, kwargs)), dispatch_key
        )
        self._kernels[dispatch_key] = holder._destroy

    def _withdraw(self, dispatch_key: str) -> None:
        earlier = self._kernels.pop(dispatch_key, None)
        if earlier is not None:
            earlier()

    def _refuse_gradients(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled():
            for name, value in self._named(args, kwargs).items():
                if isinstance(value, torch.Tensor) and value.requires_grad:
                    raise RuntimeError(
                        f"{self.spec.name}: argument `{name}` requires grad, and the operator has no "
                        "backward: call it under torch.no_grad(), or detach the argument"
                    )
        keys = keyset & torch._C._after_autograd_keyset
        return self.overload.redispatch(keys, *args, **kwargs)

    def _count_writes(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        """Autograd has to see that an argument was written to, as for PyTorch's own operators."""
        result = self.overload.redispatch(keyset & torch._C._after_ADInplaceOrView_keyset, *args, **kwargs)
        named = self._named(args, kwargs)
        written = [named[a.name] for a in self.spec.schema.tensors if a.mutated]
        torch.autograd.graph.increment_version([tensor for tensor in written if tensor is not None])
        return result

    def _fake(self, *args: Any, **kwargs: Any) -> Any:
        named = self._named(args, kwargs)
        tensors = {n: v for n, v in named.items() if isinstance(v, torch.Tensor)}
        known = bind_sizes(self.spec, {n: t.shape for n, t in tensors.items()}, named)
        leader = next(iter(tensors.values()))
        for name, tensor in tensors.items():
            if tensor.device != leader.device:
                raise RuntimeError(
                    f"{self.spec.name}: argument `{name}`: expected device {leader.device}, "
                    f"that of `{next(iter(tensors))}`, got {tensor.device}"
                )
        made = iter(
            leader.new_empty(sizes_of(tensor, known), dtype=self._dtype(tensor, tensors))
            for tensor in self.spec.outputs
        )
        written = {a.mutated: a.name for a in self.spec.schema.tensors if a.mutated}
        results = tuple(
            next(made) if item.alias is None else tensors[written[item.alias]]
            for item in self.spec.schema.returns
        )
        return results[0] if len(results) == 1 else (results or None)

    def _dtype(self, tensor: Any, tensors: dict[str, torch.Tensor]) -> torch.dtype:
        name = self.spec.dtype_of(tensor)
        leader = next((v.leader for v in self.spec.type_variables if v.name == name), None)
        return tensors[leader].dtype if leader else getattr(torch, name)

    def _all(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Every argument, in schema order."""
        named = self._named(args, kwargs)
        return [named[argument.name] for argument in self.spec.schema.arguments]

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name, with the schema's defaults."""
        named = {a.name: a.default for a in self.spec.schema.arguments if a.has_default}
        named |= {a.name: v for a, v in zip(self.spec.schema.arguments, args, strict=False)}
        return named | kwargs


def _free_namespace(spec: OperatorSpec, holder: object) -> str:
    count = 1
    while True:
        namespace = spec.namespace if count == 1 else f"{spec.namespace}_{count}"
        if (namespace, spec.name) not in _HOLDERS and not _is_defined(namespace, spec.name):
            _HOLDERS[(namespace, spec.name)] = holder
            if count > 1:
                log(
                    "binding.renamed",
                    f"torch.ops.{spec.namespace}.{spec.name} is taken in this process; "
                    f"this one is torch.ops.{namespace}.{spec.name}",
                )
            return namespace
        count += 1


def _is_defined(namespace: str, name: str) -> bool:
    return bool(torch._C._dispatch_has_kernel(f"{namespace}::{name}")) or (
        torch._C._jit_get_schemas_for_operator(f"{namespace}::{name}") != []
    )
