"""Which of PyTorch's binary interfaces a binding is built for, and what of torch that takes."""

from __future__ import annotations

from opwright.errors import ToolchainError
from opwright.generate.binding_source import BINDINGS
from opwright.toolchain.torch_facts import TorchFacts

STABLE_SINCE = (2, 10)


def choose_binding(torch: TorchFacts, asked: str | None) -> str:
    """The binding that is asked for, or the stable one wherever this torch has it."""
    if asked is not None and asked not in BINDINGS:
        raise ToolchainError(
            f"unknown binding {asked!r}", hint=f"Bindings are: {', '.join(BINDINGS)}."
        )
    has_stable = torch.release >= STABLE_SINCE
    if asked == "stable" and not has_stable:
        raise ToolchainError(
            f"torch {torch.version} has no stable C ABI for operators",
            hint="Use --binding aten, or torch 2.10 or later.",
        )
    return asked or ("stable" if has_stable else "aten")


def abi_identity(torch: TorchFacts, binding: str) -> tuple[tuple[str, str], ...]:
    """What of torch decides the binary: nothing of one torch, where the C ABI is stable."""
    if binding == "stable":
        return (("torch", "stable ABI of 2.10"),)
    return (("torch", torch.version), ("cxx11_abi", str(torch.cxx11_abi)))


def openmp_libraries(torch: TorchFacts) -> tuple[str, ...]:
    """The OpenMP library that torch itself uses: with a second one there would be two sets of threads."""
    bundled = sorted(torch.library_dir.glob("libgomp*.so*"))
    return (f":{bundled[0].name}",) if bundled else ("gomp",)
