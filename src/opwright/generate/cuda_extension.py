"""What the build of an extension takes on CUDA, as `torch.utils.cpp_extension` has it."""

from __future__ import annotations

from opwright.errors import ToolchainError
from opwright.frozen import replace
from opwright.generate.kernels import HIP_OVER_CUDA
from opwright.spec.request import BuildRequest
from opwright.toolchain.torch_facts import TorchFacts

# `torch.utils.cpp_extension.COMMON_NVCC_FLAGS`: with them a source means what it means there.
_MACROS = (
    "__CUDA_NO_HALF_OPERATORS__",
    "__CUDA_NO_HALF_CONVERSIONS__",
    "__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "__CUDA_NO_HALF2_OPERATORS__",
)


def cuda_extension(request: BuildRequest, torch: TorchFacts) -> BuildRequest:
    """The request for CUDA. Raises `ToolchainError` for a torch whose CUDA headers and libraries are missing."""
    if not torch.cuda:
        raise ToolchainError(
            f"torch {torch.version} is built without CUDA, and {request.name} is an extension for it",
            hint="Install a CUDA build of torch, or check it with --target emulated.",
        )
    # HIP's names in a source beside torch's CUDA headers: these must not take it for a build for HIP.
    over_cuda = (HIP_OVER_CUDA,) if request.target.source == "hip" else ()
    return replace(
        request,
        include_dirs=(*over_cuda, *request.include_dirs),
        defines=(*request.defines, *((name, "1") for name in _MACROS)),
        libraries=(*request.libraries, "c10_cuda", "torch_cuda"),
        facts={**request.facts, "architecture": request.target.architecture},
    )
