"""The build of the simulated device: a library that PyTorch takes for a device's support."""

from __future__ import annotations

from pathlib import Path

from opwright.errors import ToolchainError
from opwright.generate.merged import merged
from opwright.generate.torch_extension import extension_flags
from opwright.spec.request import BuildRequest
from opwright.spec.target import HOST
from opwright.toolchain.torch_facts import TorchFacts

SIMULATED_NAME = "opwright_simulated"
_PACKAGE = Path(__file__).parent.parent
_SOURCES = _PACKAGE / "simulated" / "source"
_INCLUDE = _PACKAGE / "include"
# Most of the time of the build is that for torch's headers.
_USE_TORCH = frozenset(
    f"{name}.cpp" for name in ("allocator", "fallback", "graph", "guard", "hooks", "tensors")
)
# What it is made of is no stable interface; older ones lack parts of it.
SINCE = (2, 13)


def simulated_request(torch: TorchFacts) -> BuildRequest:
    """The build of the device: one a store and torch, whatever operators run on it.

    Raises `ToolchainError` where this torch lacks what it takes.
    """
    if torch.release[:2] < SINCE:
        raise ToolchainError(
            f"the simulated device needs torch 2.13 or later, and this is {torch.version}",
            hint="Use --target emulated, or a later torch.",
        )
    flags = extension_flags()
    sources = sorted(_SOURCES.glob("*.cpp"))
    return BuildRequest(
        name=SIMULATED_NAME,
        target=HOST,
        root=_SOURCES,
        units=(
            merged("torch__.cpp", (path for path in sources if path.name in _USE_TORCH)),
            merged("device__.cpp", (path for path in sources if path.name not in _USE_TORCH)),
        ),
        include_dirs=(_SOURCES, _INCLUDE, *torch.include_dirs),
        named_roots=(("opwright", _INCLUDE), ("torch", torch.root)),
        defines=tuple(item for item in flags.defines if not item[0].startswith("PYBIND11_")),
        # Its own loops are memset and memcpy: what counts is how long the tests wait for it.
        compile_flags=(f"-std={flags.standard}", "-O0"),
        link_flags=("-pthread", "-ldl"),
        library_dirs=flags.library_dirs,
        libraries=("torch_cpu", "c10"),
        identity=(("torch", torch.version),),
        facts={"kind": "simulated device"},
    )
