"""`torch.vmap` and `torch.func`: what a transform gives is right, or the transform is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from opwright.checks.learning.derived import derived
from opwright.checks.learning.places import function_of, rich_sizes
from opwright.checks.learning.transforms import ALONG, FORWARD, TRANSFORMS
from opwright.checks.learning.vmapped import vmapped
from opwright.checks.planning.choices import absences, case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.records.verdict import Outcome, not_checked
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.sampling import Sizes
from opwright.spec.sizing import known_values, sizes_of

_BATCH, _MOST = 3, 8
_SIZES = 2
_MAPPED: dict[str, Any] = {
    "how": "vmap", "nested": False, "out_dim": 0, "randomness": "error",
}  # fmt: skip
_PLAINEST = "in front"
# Of all tensors at once: what differs from the plainest way to map, and where the samples lie.
_WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    _PLAINEST: ("front", {}),
    "at the end": ("back", {}),
    "at the end, results too": ("back", {"out_dim": -1}),
    "here in front, there at the end": ("mixed", {}),
    "one before the end": ("middle", {}),
    "nested": ("front", {"nested": True}),
    "nested, at the end": ("back", {"nested": True, "out_dim": -1}),
    "one sample": ("front", {"batch": 1}),
    "no sample": ("front", {"batch": 0}),
    "randomness different": ("front", {"randomness": "different"}),
}


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each way to map, each tensor alone, dtypes and absences; then the transforms of gradients."""
    scalars, dtypes = scalar_choices(spec)[0], dtype_choices(spec)
    if not spec.schema.tensors:
        return
    for number, sizes in enumerate(rich_sizes(spec, scalars, _SIZES)):
        for through in _entries(spec):
            plan = _Plan(spec, sizes, scalars, through)
            for chosen in dtypes if number == 0 else dtypes[:1]:
                yield plan.mapped(_PLAINEST, plan.names(), chosen)
            if number == 0:
                yield from _mapped_cases(plan)
                yield from _derived_cases(plan)


def _entries(spec: OperatorSpec) -> tuple[str, ...]:
    """What is called: the operator, and a function that programs may call without it."""
    is_python = spec.function is not None or spec.extension is not None
    return ("operator", "function") if is_python else ("operator",)


@dataclass(frozen=True)
class _Plan:
    """What the cases at one set of sizes have in common; ``through`` is what is called."""

    spec: OperatorSpec
    sizes: Sizes
    scalars: dict[str, Any]
    through: str

    def names(self, absent: tuple[str, ...] = ()) -> list[str]:
        """The tensors that are there."""
        return [a.name for a in self.spec.schema.tensors if a.name not in absent]

    def mapped(
        self,
        way: str,
        names: Sequence[str],
        dtypes: dict[str, str] | None = None,
        absent: tuple[str, ...] = (),
    ) -> Case:
        """`torch.vmap` over ``names``, in one of the ways."""
        where, more = _WAYS[way]
        dims = {name: self.dim(where, place, name) for place, name in enumerate(names)}
        # As many as a tensor's own dimension has: what mixes up the two fits, and is silent.
        count = _BATCH if where == "front" else self.last_size(names[0])
        words = f"vmap of {','.join(names)} {way}"
        extra = {**_MAPPED, "batch": count, **more, "in_dims": dims}
        return self.case(words, extra, dtypes, absent)

    def dim(self, where: str, place: int, name: str) -> int:
        """Where the samples of an argument lie; in the middle, before its last dimension."""
        rank = len(sizes_of(self.spec.inputs[name], known_values(self.sizes, self.scalars)))
        middle = -2 if rank else -1
        return {"front": 0, "back": -1, "mixed": -(place % 2), "middle": middle}[where]

    def last_size(self, name: str) -> int:
        """How large the last dimension of an argument is, where that makes few samples and some."""
        sizes = sizes_of(self.spec.inputs[name], known_values(self.sizes, self.scalars))
        return sizes[-1] if sizes and 1 < sizes[-1] <= _MOST else _BATCH

    def case(
        self,
        words: str,
        extra: dict[str, Any],
        dtypes: dict[str, str] | None = None,
        absent: tuple[str, ...] = (),
    ) -> Case:
        """A case of that name, in the first dtype where none is given."""
        of = () if self.through == "operator" else ("of the function itself",)
        chosen = dtypes or dtype_choices(self.spec)[0]
        name = case_name(self.sizes, chosen, self.scalars, absent, words, *of)
        extra = {**extra, "through": self.through}
        return Case("vmap", name, chosen, self.sizes, self.scalars, absent=absent, extra=extra)


def _mapped_cases(plan: _Plan) -> Iterator[Case]:
    names = plan.names()
    for way in _WAYS:
        if way != _PLAINEST and (len(names) > 1 or _WAYS[way][0] != "mixed"):
            yield plan.mapped(way, names)
    for name in names if len(names) > 1 else ():
        yield plan.mapped(_PLAINEST, [name])
        yield plan.mapped("at the end", [name])
    for left_out in list(absences(plan.spec))[1:]:
        if some := plan.names(left_out):
            yield plan.mapped(_PLAINEST, some, absent=left_out)


def _derived_cases(plan: _Plan) -> Iterator[Case]:
    if not _is_derived(plan.spec) or (plan.through == "function" and plan.spec.backward != OWN):
        return
    names = plan.names()
    for how in TRANSFORMS:
        yield _derived(plan, how, names)
        if "in torch.vmap" in how and len(names) > 1:
            yield _derived(plan, how, names[:1])
        if how == ALONG and plan.spec.backward in (None, OWN) and len(names) > 1:
            for name in names:
                yield _derived(plan, how, names, only=name)


def _derived(plan: _Plan, how: str, batched: Sequence[str], only: str = "") -> Case:
    count = _BATCH if "vmap" in how else 1
    words = f"{how} over {','.join(batched)}" if "vmap" in how else how
    extra: dict[str, Any] = {"how": how, "in_dims": dict.fromkeys(batched, 0), "batch": count}
    if only:
        words, extra = f"{words} along {only} alone", {**extra, "wanted": only}
    return plan.case(words, extra)


def _is_derived(spec: OperatorSpec) -> bool:
    """Whether a gradient, or a tangent, can be asked for: of a fresh result, by an argument."""
    taken = [spec.inputs[argument.name] for argument in spec.schema.tensors]
    return all(any(spec.can_have_gradient(one) for one in some) for some in (taken, spec.outputs))


def run(case: Case, subject: Subject) -> Outcome:
    """Transform one call, and judge what comes of it."""
    spec, how = subject.spec, case.extra["how"]
    # What brings tensors to the device cannot be mapped: there, all of a transform is on the device.
    device = subject.device.first if subject.device else torch.device("cpu")
    function = subject.kernel or subject.call
    if case.extra["through"] == "function":
        found = function_of(subject)
        if found is None:
            return not_checked("the function is what is called anyway")
        function = found
    if how == "vmap":
        promised = case.extra["through"] == "operator"
        return vmapped(case, spec, function, device, promised=promised)
    if subject.lacks_backward and how not in FORWARD:
        return not_checked(subject.lacks_backward)
    return derived(case, spec, function, device)


def _why_none(spec: OperatorSpec) -> str:
    return no_sizes(spec) if spec.schema.tensors else f"{spec.name} takes no tensors"


CHECK = Check(
    "vmap",
    "torch.vmap, torch.func's gradients and its tangents are those of a loop and of the reference, or refused",
    cases,
    run,
    why_none=_why_none,
    kinds=("cpu", "simulated", "cuda", "hip"),
    takes_gradients=True,
    compiles=True,
)
