"""A library that stands in for a device's part of torch, where the torch that is here has none.

What is built beside a CPU-only torch has to name libtorch_cuda as needed, or it fails to load on the
machine with the GPU with an undefined symbol. For that the linker needs a library of this name and
these symbols; nothing of it gets into what is linked.
"""

from __future__ import annotations

from pathlib import Path

from opwright.frozen import replace
from opwright.records.artifact import Artifact
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import TorchFacts

# Kind of target -> torch's library for its devices.
DEVICE_LIBRARIES = {"cuda": "torch_cuda", "hip": "torch_hip"}

_FUNCTIONS = (
    "aoti_torch_create_cuda_guard",
    "aoti_torch_delete_cuda_guard",
    "aoti_torch_get_current_cuda_stream",
)


def needs_stand_in(target: Target, torch: TorchFacts) -> bool:
    """Whether torch has no library for the target's devices."""
    return (
        target.kind in DEVICE_LIBRARIES and not {"cuda": torch.cuda, "hip": torch.hip}[target.kind]
    )


def stand_in_request(target: Target) -> BuildRequest:
    """The build of the library that stands in, by the host's compiler; one a store."""
    library = DEVICE_LIBRARIES[target.kind]
    functions = (
        f'extern "C" __attribute__((visibility("default"))) void {name}() {{}}\n'
        for name in _FUNCTIONS
    )
    return BuildRequest(
        name=library,
        target=Target("cpu"),
        root=Path(__file__).parent,
        units=(Unit("stand_in__.cpp", text="".join(functions)),),
        link_flags=(f"-Wl,-soname,lib{library}.so",),
        facts={"kind": "stand-in"},
    )


def linked_with(request: BuildRequest, stand_in: Artifact) -> BuildRequest:
    """The request with the library that stands in, by its path: its folder is searched for nothing else."""
    name = DEVICE_LIBRARIES[request.target.kind]
    return replace(
        request,
        named_roots=(*request.named_roots, ("stand-in", stand_in.library.parent)),
        libraries=tuple(library for library in request.libraries if library != name),
        link_flags=(*request.link_flags, str(stand_in.library)),
    )
