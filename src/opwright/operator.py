"""`Operator`: what a user writes in ``op.py``, calls in a model, and names on the command line."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

from opwright.discovery import find_one
from opwright.spec.describe import describe
from opwright.spec.dims import Dim
from opwright.spec.expression import Expression
from opwright.spec.operator import Extension, Location, OperatorSpec
from opwright.spec.target import parse_target
from opwright.spec.tensor import Scalar, Tensor

if TYPE_CHECKING:
    from opwright.binding.reference_gradient import ReferenceGradient
    from opwright.session.implementation import Implementation
    from opwright.spec.backward import Backward
    from opwright.spec.dims import Shape
    from opwright.spec.tolerance import Tolerance


class Operator:
    """A custom operator: its schema, what it takes, what it computes, and where its kernels are.

    ``schema`` is a PyTorch schema. ``inputs`` describes each tensor argument; ``outputs`` each fresh
    return (by default like the first tensor argument). ``dtypes`` are those of every tensor without a
    dtype of its own. ``reference`` computes the right answer with PyTorch; for a schema that writes into
    arguments it does the same. ``reduction`` is how many terms the longest sum has: tolerances grow with
    it. ``flops`` is how many floating-point operations one call does, over dims, shapes (their number of
    elements) and int arguments: only measuring reads it. Exactly one of ``sources`` (kernel files by target),
    ``extension`` and ``function`` says how it is implemented.

    ``backward`` says how gradients come about: None, and calls that need some raise; ``"reference"``,
    by autograd of the reference; one `Backward` or several, of which each call takes those that it needs;
    ``"own"``, for a function or an extension that records its own. ``autocast`` is ``"lower"``, ``"float32"``
    or ``"widest"``: what autocast casts floating-point arguments to. ``vmap`` names the `Shape` whose elements
    are computed apart from each other. Raises `SpecError`, with file and line, for whatever is wrong.
    """

    def __init__(
        self,
        schema: str,
        *,
        inputs: Mapping[str, Tensor],
        reference: Callable[..., Any],
        dtypes: Sequence[str] | None = None,
        outputs: Tensor | Sequence[Tensor] | Mapping[str, Tensor] | None = None,
        sources: Mapping[str, str | Sequence[str]] | None = None,
        extension: Extension | None = None,
        function: Callable[..., Any] | None = None,
        scalars: Mapping[str, Scalar | Sequence[Any]] | None = None,
        constraints: Sequence[str | Expression] = (),
        tolerance: Tolerance | Mapping[str, Tolerance] | None = None,
        namespace: str | None = None,
        include_dirs: Sequence[str] = (),
        compile_flags: Sequence[str] = (),
        reduction: Dim | Expression | str | int | None = None,
        flops: Dim | Shape | Expression | str | int | None = None,
        backward: Backward | Sequence[Backward] | str | None = None,
        autocast: str | None = None,
        vmap: Shape | str | None = None,
    ) -> None:
        frame = sys._getframe(1)  # noqa: SLF001 -- the one way to learn the line of the description
        self.spec = describe(
            schema,
            location=Location(Path(frame.f_code.co_filename).absolute(), frame.f_lineno),
            inputs=inputs,
            outputs=outputs,
            dtypes=dtypes,
            reference=reference,
            sources=sources,
            extension=extension,
            function=function,
            scalars=scalars,
            constraints=constraints,
            tolerance=tolerance,
            namespace=namespace,
            include_dirs=include_dirs,
            compile_flags=compile_flags,
            reduction=reduction,
            flops=flops,
            backward=backward,
            gradient_of=_GradientOfReference,
            autocast=autocast,
            vmap=vmap,
        )
        self._take_place()

    @classmethod
    def _of(cls, spec: OperatorSpec, forward: Operator) -> Operator:
        """What computes gradients of ``forward``, whose description is checked already."""
        made = cls.__new__(cls)
        made.spec = spec
        made._take_place(forward)  # noqa: SLF001 -- its own class
        return made

    def _take_place(self, forward: Operator | None = None) -> None:
        self._forward = forward
        self._implementation: Implementation | None = None
        self._backwards: tuple[Operator, ...] | None = None
        _living[str(self.spec.location.file), self.spec.name] = self
        self.__name__ = self.spec.name
        self.__doc__ = f"{self.spec.schema.text}\n\nDescribed in {self.spec.location}."

    @property
    def backwards(self) -> tuple[Operator, ...]:
        """The operators that compute its gradients: each can be built, called and checked like any other."""
        if self._backwards is None:
            self._backwards = tuple(Operator._of(spec, self) for spec in self.spec.backwards)
        return self._backwards

    @property
    def implementation(self) -> Implementation:
        """The operator in the dispatcher, without kernels until `load` brings them."""
        with _making:
            if self._implementation is None:
                self._implementation = self._made()
            return self._implementation

    def _made(self) -> Implementation:
        if self._forward is not None:  # the forward's `load` says what its first call loads
            known = self._forward.implementation.backwards
            return next(one for one in known if one.spec is self.spec)
        from opwright.session.implementation import Implementation

        return Implementation(self.spec)

    def load(self, target: str = "cpu", *, binding: str | None = None) -> Operator:
        """Build or find the library for ``target`` and make it the operator's kernel there.

        Called again after an edit it builds again and swaps the kernel in the living process.
        """
        self.implementation.load(parse_target(target), binding=binding)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the operator; the first call builds what its tensors' device needs."""
        return self._first_call(args, kwargs)(*args, **kwargs)

    def _first_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        from torch.compiler import is_compiling

        implementation = self._implementation
        if implementation is None or not implementation.ready:
            implementation = self.implementation
            implementation.load_for(args, kwargs)
        if is_compiling() or not implementation.ready:  # tensors without data load nothing
            return cast("Callable[..., Any]", implementation.overload)
        self.__class__ = _called_by(type(self), implementation.overload, implementation.call)
        return implementation.call

    def __repr__(self) -> str:
        return f"<opwright.Operator {self.spec.schema.text}>"

    def __copy__(self) -> Operator:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Operator:
        """Copies of a model share the operator, as they share PyTorch's own."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Operator], tuple[str, str]]:
        """Pickled by where it is described: unpickling finds it there again."""
        return _described_at, (str(self.spec.location.file), self.spec.name)


def _called_by(
    kind: type[Operator], overload: Callable[..., Any], call: Callable[..., Any]
) -> type[Operator]:
    """``kind``, whose one object is called by ``call``, and by ``overload`` in what torch.compile traces."""
    from torch.compiler import is_dynamo_compiling

    def called(_self: Operator, /, *args: Any, **kwargs: Any) -> Any:
        if is_dynamo_compiling():
            return overload(*args, **kwargs)
        return call(*args, **kwargs)

    names = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__slots__": ()}
    return type(kind.__name__, (kind,), {**names, "__call__": called})


class _GradientOfReference:
    """The reference of a backward: the operator's own, differentiated. A library is found without it."""

    def __init__(self, *parts: Any) -> None:
        self._parts = parts
        self._gradient: ReferenceGradient | None = None

    @property
    def _made(self) -> ReferenceGradient:
        if self._gradient is None:
            from opwright.binding.reference_gradient import ReferenceGradient

            self._gradient = ReferenceGradient(*self._parts)
        return self._gradient

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._made(*args, **kwargs)

    def in_transforms(self, *args: Any) -> Any:
        """As a call, inside of a transform of torch.func's."""
        return self._made.in_transforms(*args)


_making = threading.RLock()

# (file, name) -> the operator that was described there last, for as long as somebody has it
_living: WeakValueDictionary[tuple[str, str], Operator] = WeakValueDictionary()


def _described_at(file: str, name: str) -> Operator:
    living = _living.get((file, name))
    return living if living is not None else cast("Operator", find_one(f"{file}:{name}"))
