"""Builds for AMD devices: what their compilers lack is made first, and device code can be built alone."""

from __future__ import annotations

from opwright.build.builder import build
from opwright.build.environment import compiler_environment
from opwright.build.store import Store
from opwright.build.tools import known_tools
from opwright.errors import ToolchainError
from opwright.generate.code_object import constants_request, with_device_support
from opwright.log import waiting
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain import hip
from opwright.toolchain.amd_device_libraries import device_support
from opwright.toolchain.torch_facts import TorchFacts


def with_compiler_support(request: BuildRequest) -> BuildRequest:
    """The request with what the compiler here has to be told for the architecture that it names.

    Raises `ToolchainError` where the compiler does not know the architecture, or finds no device library.
    """
    store, environment = Store.default(), compiler_environment()
    store.prepare()
    tools = known_tools(hip, store, environment)
    architecture = request.target.architecture or ""
    with waiting(f"asking {tools.driver[0]} what it needs for {architecture}"):
        support = device_support(tools, environment, architecture)
    constants = None
    if support.constants:
        constants = build(constants_request(request.target, support))
    return with_device_support(request, support, constants)


def require_hip_torch(target: Target, torch: TorchFacts) -> None:
    """Refuse to build a binding for HIP beside a torch without it; raises `ToolchainError`."""
    if target.kind == "hip" and not torch.hip:
        raise ToolchainError(
            f"a library for {target} is bound to a torch that is built for HIP, and torch "
            f"{torch.version} is not",
            hint="Install the vendor's build of torch for ROCm or DTK, or compile the kernels alone: "
            "opwright build --compile-only.",
        )
