"""From an operator and a target to its artifact, whichever kind of implementation it has."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from opwright.build.receipt import Question, recall
from opwright.build.trust import default_folder, require_trusted
from opwright.errors import CompileError, SpecError, TimedOut
from opwright.frozen import replace
from opwright.records.artifact import Artifact
from opwright.spec.operator import OWN, Location, OperatorSpec
from opwright.spec.target import Target
from opwright.torch_root import FACT_FILES, torch_root

if TYPE_CHECKING:
    from opwright.spec.request import BuildRequest

# What may be wrong with one operator, and says nothing of the next one's build.
FAULTS_OF_ONE = (SpecError, CompileError, TimedOut)

# What builds is imported where it is needed: finding a library has milliseconds, imports included.


def request_for(
    spec: OperatorSpec, target: Target, *, binding: str | None = None, compile_only: bool = False
) -> BuildRequest | None:
    """What has to be built for ``target``; None for a callable, which is ready as it is.

    With ``compile_only`` that is its kernels for an AMD device, without a binding to torch.
    """
    if compile_only:
        from opwright.generate.code_object import code_object_request

        return code_object_request(spec, target)
    from opwright.toolchain.torch_facts import torch_facts

    if target.kind == "hip" and spec.function is None:
        from opwright.session.code_object import require_hip_torch

        require_hip_torch(target, torch_facts())
    if spec.extension is not None:
        from opwright.generate.extension import extension_request

        return extension_request(spec, target, torch_facts())
    if spec.function is not None:
        return None
    from opwright.generate.request import generated_request

    return generated_request(spec, target, torch_facts(), binding=binding)


def build_operator(
    spec: OperatorSpec,
    target: Target,
    *,
    binding: str | None = None,
    compile_only: bool = False,
    force: bool = False,
) -> Artifact | None:
    """Find or build the operator's library. Raises what `opwright.build.builder.build` raises."""
    if target.kind in {"cuda", "hip"}:
        from opwright.session.architecture import with_architecture  # the host's needs none

        target = with_architecture(target)
    question = None if compile_only else question_for(spec, target, binding)
    known = recall(question) if question is not None and not force else None
    if known is not None:
        return known
    request = request_for(spec, target, binding=binding, compile_only=compile_only)
    return None if request is None else build_request(request, force=force, question=question)


def build_request(
    request: BuildRequest, *, force: bool = False, question: Question | None = None
) -> Artifact:
    """Find or build the request's library, and before it what it is made with."""
    from opwright.build.builder import build

    request = prepared(request)
    return build(request, force=force, question=question)


def prepared(request: BuildRequest) -> BuildRequest:
    """The request with what it is made with, which is found or built first. Raises as `build_request`."""
    from opwright.build.builder import build

    kind = request.target.kind
    if kind == "simulated":
        from opwright.session.simulating import build_simulated_device

        build_simulated_device()  # before a worker waits for it
    if kind in {"emulated", "simulated"}:
        from opwright.generate.emulated import emulator_request, linked

        return linked(request, build(emulator_request()))
    if kind == "hip":
        from opwright.session.code_object import with_compiler_support

        return with_compiler_support(request)
    from opwright.generate.stand_in import linked_with, needs_stand_in, stand_in_request
    from opwright.toolchain.torch_facts import torch_facts

    if needs_stand_in(request.target, torch_facts()):
        request = linked_with(request, build(stand_in_request(request.target)))
    return request


def question_for(spec: OperatorSpec, target: Target, binding: str | None) -> Question | None:
    """All that a generated request is made of, as text; None where it is made of more than that.

    Sources for the emulator are translated: their text is in the request.
    """
    if spec.implementation != "generated" or target.kind not in {"cpu", "cuda", "hip"}:
        return None
    where = default_folder(os.environ)
    require_trusted(where, os.environ)
    root = torch_root()
    described = replace(
        spec,
        reference=None,
        location=Location(spec.location.file, 0),
        # The kernel's library depends on no more of its gradients than whether there are some.
        backward=None if spec.backward is None else OWN,
        unchanged={},
        derived_reference=False,
        forward=None,
    )
    text = repr((described, str(target), binding, str(root), __file__))
    return Question(text, where, (str(root / name) for name in FACT_FILES))
