"""The description of an operator as plain data: what `opwright.Operator` keeps of what a user wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.errors import SpecError
from opwright.frozen import Frozen, field
from opwright.spec.dims import Dim, Shape
from opwright.spec.dtypes import DTYPES
from opwright.spec.expression import Expression
from opwright.spec.schema import Schema
from opwright.spec.target import Target
from opwright.spec.tensor import Scalar, Tensor

if TYPE_CHECKING:
    from opwright.spec.tolerance import Tolerance

DEFAULT_NAMESPACE = "opwright"
REFERENCE, OWN = "reference", "own"  # what a description may say of gradients, beside `Backward`


class Location(Frozen):
    """Where a description stands."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Extension(Frozen):
    """An extension that exists already: its own pybind11 or ``TORCH_LIBRARY`` sources, built unchanged.

    ``call`` gets the loaded module (a Python module, or ``torch.ops`` when ``is_python_module`` is false)
    and then the operator's arguments: ``lambda module, x: module.forward(x)``.
    """

    sources: tuple[str, ...]
    call: Callable[..., Any]
    is_python_module: bool = True
    include_dirs: tuple[str, ...] = ()
    compile_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("sources", "include_dirs", "compile_flags", "link_flags"):
            value = getattr(self, name)
            words = (value,) if isinstance(value, str) else value
            if not isinstance(words, Sequence) or not all(isinstance(w, str) and w for w in words):
                raise SpecError(
                    f"Extension: field {name!r} is {value!r}", hint="Give a list of texts."
                )
            object.__setattr__(self, name, tuple(words))
        if not self.sources:
            raise SpecError("Extension: field 'sources' is empty", hint="Name its C++ files.")
        if not callable(self.call):
            raise SpecError(
                f"Extension: field 'call' is {self.call!r}, which cannot be called",
                hint="Give a function of the module and the operator's arguments: "
                "lambda module, x: module.f(x), say.",
            )


class TypeVariable(Frozen):
    """A dtype that varies from call to call: a template parameter of the kernel.

    ``leader`` is the first tensor argument that has it and is always there, and so decides it.
    """

    name: str
    dtypes: tuple[str, ...]
    leader: str


class OperatorSpec(Frozen):
    """A checked operator description. Exactly one of ``sources``, ``extension`` and ``function`` is set.

    ``reduction`` is how many terms the longest sum behind an output element has, None for one. ``flops`` is
    how many floating-point operations one call does, None where that is not declared.
    ``backward`` is None (calls that need gradients raise), ``"own"`` (the implementation records its own), or
    the operators that compute gradients; each of those has the operator as its ``forward``, and a
    ``derived_reference`` where that is autograd of the forward's. ``unchanged`` are
    the arguments whose gradient is the incoming one of a return, and that return. ``autocast`` is
    how arguments are cast under autocast, ``vmap`` the `Shape` that takes vmap's dimension.
    """

    schema: Schema
    namespace: str
    inputs: Mapping[str, Tensor]
    outputs: tuple[Tensor, ...]
    dtypes: tuple[str, ...]
    reference: Callable[..., Any]
    location: Location
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extension: Extension | None = None
    function: Callable[..., Any] | None = None
    scalars: Mapping[str, Scalar] = field(default_factory=dict)
    constraints: tuple[Expression, ...] = ()
    tolerance: Mapping[str, Tolerance] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    compile_flags: tuple[str, ...] = ()
    reduction: Expression | None = None
    flops: Expression | None = None
    backward: tuple[OperatorSpec, ...] | str | None = None
    unchanged: Mapping[str, str] = field(default_factory=dict)
    forward: OperatorSpec | None = None
    derived_reference: bool = False
    autocast: str | None = None
    vmap: str | None = None

    @property
    def backwards(self) -> tuple[OperatorSpec, ...]:
        """The operators that compute its gradients; none where it has no backward, its own, or all unchanged."""
        return self.backward if isinstance(self.backward, tuple) else ()

    @property
    def states_gradients(self) -> bool:
        """Whether it gives gradients that no check of a backward's kernels holds to its reference's.

        Its own, those that are handed on, and those of a backward with a reference that somebody wrote.
        """
        written = any(not backward.derived_reference for backward in self.backwards)
        return self.backward == OWN or bool(self.unchanged) or written

    @property
    def is_recorded(self) -> bool:
        """Whether the binding makes its calls part of autograd's graph."""
        return isinstance(self.backward, tuple)

    @property
    def family(self) -> tuple[OperatorSpec, ...]:
        """The operator, those that compute its gradients, and those that compute theirs."""
        return (self, *(one for backward in self.backwards for one in backward.family))

    @property
    def name(self) -> str:
        """The operator's name, without its namespace."""
        return self.schema.name

    @property
    def folder(self) -> Path:
        """The folder of the description: sources are relative to it."""
        return self.location.file.parent

    def sources_for(self, target: Target) -> tuple[str, tuple[str, ...]]:
        """The kind of target whose sources serve ``target``, and their names; both empty for none.

        The emulator runs device sources: those for CUDA first where waves have 32 lanes, those for HIP
        first where they have 64.
        """
        kinds: tuple[str, ...] = (target.source or target.kind,)
        if target.kind in {"emulated", "simulated"} and not target.source:
            kinds = ("hip", "cuda") if target.architecture == "wave64" else ("cuda", "hip")
        return next(
            ((kind, self.sources[kind]) for kind in kinds if kind in self.sources), ("", ())
        )

    def lacks_kernels_for(self, target: Target) -> str:
        """Why nothing of it can run on ``target``, empty where something can.

        An operator for inference may have kernels where its backward has none.
        """
        if self.implementation != "generated" or self.sources_for(target)[1]:
            return ""
        return f"{self.name} has no sources for target {target}"

    @property
    def implementation(self) -> str:
        """``generated``, ``extension`` or ``callable``."""
        if self.extension is not None:
            return "extension"
        return "callable" if self.function is not None else "generated"

    @property
    def type_variables(self) -> tuple[TypeVariable, ...]:
        """The template parameters of the kernel: the operator's dtype first, then sets of single tensors."""
        found: list[TypeVariable] = []
        for argument in sorted(self.schema.tensors, key=lambda argument: argument.optional):
            dtype = self.inputs[argument.name].dtype
            if dtype is None and all(v.name != "T" for v in found):
                found.insert(0, TypeVariable("T", self.dtypes, argument.name))
            elif isinstance(dtype, tuple):
                found.append(TypeVariable(f"T_{argument.name}", dtype, argument.name))
        return tuple(found)

    def dtype_of(self, tensor: Tensor) -> str:
        """A tensor's dtype: the name of a type variable, or of a fixed dtype."""
        if isinstance(tensor.dtype, str) and tensor.dtype.startswith("like:"):
            return self.dtype_of(self.inputs[tensor.dtype.removeprefix("like:")])
        if isinstance(tensor.dtype, tuple):
            owner = next(name for name, t in self.inputs.items() if t is tensor)
            return f"T_{owner}"
        return "T" if tensor.dtype is None else tensor.dtype

    def can_have_gradient(self, tensor: Tensor) -> bool:
        """Whether one of the tensor's dtypes is floating-point or complex."""
        name = self.dtype_of(tensor)
        dtypes = next((v.dtypes for v in self.type_variables if v.name == name), (name,))
        return any(DTYPES[dtype].family in ("float", "complex") for dtype in dtypes)

    @property
    def learning_arguments(self) -> list[str]:
        """The arguments that can have a gradient."""
        return [a.name for a in self.schema.tensors if self.can_have_gradient(self.inputs[a.name])]

    @property
    def learning_returns(self) -> list[str]:
        """The fresh returns that can have a gradient."""
        pairs = zip(self.schema.fresh_returns, self.outputs, strict=True)
        return [item.name for item, tensor in pairs if self.can_have_gradient(tensor)]

    @property
    def dims(self) -> dict[str, Dim | Shape]:
        """Every dim and shape of the inputs, by name, in order of appearance."""
        found: dict[str, Dim | Shape] = {}
        for argument in self.schema.tensors:
            for size in self.inputs[argument.name].sizes:
                if isinstance(size, (Dim, Shape)):
                    found.setdefault(size.name, size)
        return found
